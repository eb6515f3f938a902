"""Going somewhere else: `cd` and its kin, and the programs that search from a place on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from manyhands.agents.permission.shell.call import UNSURE, ShellCall
from manyhands.agents.permission.shell.marks import INSIDE, TILDE, UNKNOWN, shown
from manyhands.agents.permission.shell.paths import display, readable, resolved
from manyhands.agents.permission.shell.programs.operands import judge_row
from manyhands.agents.permission.shell.programs.rows import ROWS


def _cd(call: ShellCall) -> None:
    state = call.state
    words = [word for word in call.arguments if word not in ("-P", "-L", "-e", "-@", "--")]
    target = words[0] if words else TILDE
    if call.name == "popd" or target == "-":
        if not state.previous:
            call.asks("goes to a directory that the command does not name", reads=True)
            return
        state.cwds, state.previous = state.previous, state.cwds
        return
    if UNKNOWN in target:
        call.asks(f"goes to a directory that is {UNSURE}: {shown(target)}")
        return
    follow = os.path.realpath if "-P" in call.arguments else os.path.normpath
    found = [follow(p) for p in resolved(target, state.cwds, str(state.bounds.home))]
    if not found:  # somewhere inside, which need not be known more exactly
        found = [str(state.bounds.worktree)]
    for path in found:
        if not readable(path, state.bounds):
            where = shown(target) if path == "/…" else display(path, state.bounds)
            call.asks(f"goes outside the worktree: {where}", reads=True)
            break
    sure = all(path in state.made or Path(path).is_dir() for path in found)
    state.previous, state.maybe = state.cwds, (() if sure else state.cwds)
    state.cwds = tuple(dict.fromkeys(found))


def _mkdir(call: ShellCall) -> None:
    judge_row(call, ROWS["mkdir"])
    home = str(call.bounds.home)
    words = [word for word in call.arguments if not word.startswith("-") and UNKNOWN not in word]
    made = (os.path.normpath(p) for w in words for p in resolved(w, call.state.cwds, home))
    call.state.made |= frozenset(made)


_VALUES = frozenset(
    [
        *(
            "-name",
            "-iname",
            "-path",
            "-ipath",
            "-wholename",
            "-regex",
            "-iregex",
            "-type",
            "-size",
        ),
        *("-mtime", "-mmin", "-atime", "-ctime", "-cmin", "-amin", "-maxdepth", "-mindepth"),
        *("-perm", "-user", "-group", "-uid", "-gid", "-printf", "-newermt", "-regextype"),
        *("-lname", "-ilname", "-links", "-inum", "-fstype", "-used", "-xtype"),
    ]
)
_RUNS = ("-exec", "-execdir", "-ok", "-okdir")
_FILES = ("-fprint", "-fprint0", "-fls", "-fprintf")


def _find(call: ShellCall) -> None:
    words = list(call.arguments)
    follows = False
    while words and words[0] in ("-H", "-L", "-P"):
        follows |= words.pop(0) == "-L"
    roots: list[str] = []
    while words and not words[0].startswith(("-", "(", "!", "\\")):
        roots.append(words.pop(0))
    roots = roots or ["."]
    for root in roots:
        call.reads(root)
    sure = not follows and not call.part.objections and not any(UNKNOWN in r for r in roots)
    if call.own or any(UNKNOWN in word for word in words):
        call.changes()
    _find_actions(call, words, roots, INSIDE if sure else UNKNOWN)
    call.lists = sure and not call.part.changes and "-printf" not in words


def _find_actions(call: ShellCall, words: list[str], roots: list[str], found: str) -> None:
    while words:
        word = words.pop(0)
        if word in _VALUES:
            del words[:1]
        elif word == "-delete":
            for root in roots:
                call.writes(root)
        elif word in _FILES:
            call.writes(words.pop(0) if words else "")
        elif word in _RUNS:
            inner: list[str] = []
            while words and words[0] not in (";", "+"):
                inner.append(words.pop(0).replace("{}", found))
            if inner:
                call.runs(inner, call)
        elif not word.startswith(("-", "(", ")", "!", ",")):
            call.reads(word)


READERS: dict[str, Callable[[ShellCall], None]] = {
    **dict.fromkeys(("cd", "pushd", "popd", "chdir"), _cd),
    "mkdir": _mkdir,
    "find": _find,
}
