"""Who judges a command: the row of its program, or a reader of its own where a row cannot tell."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from manyhands.agents.permission.shell.call import UNSURE, ShellCall
from manyhands.agents.permission.shell.marks import OUT, TILDE, UNKNOWN, globs, shown
from manyhands.agents.permission.shell.paths import PROGRAMS, display, resolved
from manyhands.agents.permission.shell.programs import (
    inline,
    installs,
    jobs,
    network,
    places,
    wrappers,
)
from manyhands.agents.permission.shell.programs.git import judge_git
from manyhands.agents.permission.shell.programs.operands import judge_row
from manyhands.agents.permission.shell.programs.rows import ROWS, STRICT, VERBS, ProgramRow

READERS: dict[str, Callable[[ShellCall], None]] = {
    "git": judge_git,
    **wrappers.READERS,
    **network.READERS,
    **installs.READERS,
    **inline.READERS,
    **places.READERS,
    **jobs.READERS,
}


PASSING = frozenset({"grep", "head", "tail", "sort", "uniq"})
"""They hand on some of the lines that they get, each as it was."""


def _only_chooses(call: ShellCall) -> bool:
    """No file of its own, and no option that cuts lines to pieces."""
    options = [word for word in call.arguments if word.startswith("-")]
    others = [word for word in call.arguments if not word.startswith("-")]
    files = others[1:] if call.name == "grep" else [w for w in others if not w.isdigit()]
    return not files and not any(set(option[1:]) & set("ocz") for option in options)


def judge(call: ShellCall) -> None:
    word = call.words[0]
    if UNKNOWN in word or OUT in word or globs(word) or not word or word[0] in "=-+%0123456789":
        call.asks(f"runs a program that is {UNSURE}: {shown(word)}")
        return
    if "/" in word or word.startswith(TILDE):
        _judge_place(call, word)
    reader = READERS.get(call.name)
    row = ROWS.get(call.name)
    if reader is not None:
        reader(call)
    elif call.name in VERBS:
        installs.judge_verbs(call)
    else:
        judge_row(call, row or ProgramRow())
    if call.name in STRICT and any(UNKNOWN in argument for argument in call.arguments):
        call.asks(f"may write to a place that is {UNSURE}")
    if call.own:
        call.changes()
    if call.piped == "inside" and call.name in PASSING and not call.part.changes:
        call.lists = _only_chooses(call)


def _judge_place(call: ShellCall, word: str) -> None:
    """A program that is named by its path: the worktree's own, the system's, or somebody's."""
    for path in resolved(word, call.state.cwds, str(call.bounds.home)):
        if call.bounds.writable(path) or _is_link_of(call, path):
            call.own = True
        elif not PROGRAMS.fullmatch(os.path.normpath(path)):
            call.asks(f"runs a program outside the worktree: {display(path, call.bounds)}")


def _is_link_of(call: ShellCall, path: str) -> bool:
    """A virtual environment's `python` is a link to the system's."""
    return call.bounds.inside(str(Path(path).parent))
