"""Assignments: what a variable holds from then on, and those whose change matters."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from manyhands.agents.permission.shell.line import Objection, Part
from manyhands.agents.permission.shell.marks import UNKNOWN
from manyhands.agents.permission.shell.paths import resolved
from manyhands.agents.permission.shell.state import ShellState
from manyhands.agents.permission.shell.syntax import Unreadable, descendants
from manyhands.agents.permission.shell.words import WordReader

if TYPE_CHECKING:
    from tree_sitter import Node

_OWN = re.compile(r"(?!(?:f|cd|man|module_)?path$|.*_proxy$)[a-z_][a-z0-9_]*")
"""Names of no program's business; zsh ties `path` to `PATH`."""
_GIT_HARMLESS = re.compile(
    r"GIT_(?:EDITOR|SEQUENCE_EDITOR|PAGER|AUTHOR_\w+|COMMITTER_\w+|TERMINAL_PROMPT|TRACE\w*"
    r"|MERGE_AUTOEDIT|OPTIONAL_LOCKS|LITERAL_PATHSPECS|REFLOG_ACTION)"
)
COMMANDS = frozenset(
    [
        *("GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "EDITOR", "VISUAL", "PAGER", "BROWSER"),
        *("MANPAGER", "PROMPT_COMMAND"),
    ]
)
"""Their values are run."""
_SETTERS = frozenset({"read", "mapfile", "readarray", "getopts", "printf", "let"})
_ENV = re.compile(r"(\w+)=(.*)", re.DOTALL)


def environment_objection(name: str, value: str, state: ShellState) -> Objection | None:
    """A variable that turns a program on something else than the worktree."""
    if name.startswith("GIT_") and not _GIT_HARMLESS.fullmatch(name):
        return Objection(f"points git elsewhere by {name}")
    home = resolved(value, state.cwds, str(state.bounds.home))
    if name == "HOME" and (UNKNOWN in value or not all(map(state.bounds.writable, home))):
        return Objection("gives a command another home")
    return None


class Variables:
    def __init__(self, words: WordReader, run: Callable[[str, ShellState], None]) -> None:
        self._words = words
        self._run = run

    def matters(self, name: str) -> bool:
        """Whether programs look at it: then a change may make any of them do other things."""
        return _OWN.fullmatch(name) is None

    def declare(self, node: Node, state: ShellState, part: Part) -> None:
        """`x=1`, `export X=1`, `local x`, `unset x`."""
        if node.type == "variable_assignment":
            self.assign(node, state, part)
            return
        for child in node.named_children:
            if child.type == "variable_assignment":
                self.assign(child, state, part)
            elif child.type == "variable_name" and node.type == "unset_command":
                state.variables[(child.text or b"").decode()] = ""
                part.changes = True
            else:
                words = self._words.fields(child, state)
                part.changes = True
                if any(word.startswith("-") and "n" in word for word in words):
                    raise Unreadable("gives a variable another name")

    def assign(self, node: Node, state: ShellState, part: Part) -> None:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        word = self._words.text(value, state) if value is not None else ""
        if name is None or name.type != "variable_name" or (value and value.type == "array"):
            self._words.visit(node, state)
            names = [n for n in descendants(node) if n.type == "variable_name"]
            state.variables[(names[-1].text or b"").decode() if names else ""] = UNKNOWN
            part.changes = True
            return
        text = (name.text or b"").decode()
        adds = any(child.type == "+=" for child in node.children)
        state.variables[text] = (
            UNKNOWN
            if adds and UNKNOWN in state.value(text)
            else (state.value(text) + word if adds else word)
        )
        if self.matters(text):
            part.changes = True
        if objection := environment_objection(text, word, state):
            part.objections.append(objection)
            part.changes = True
        if text in COMMANDS and word:
            self._run(word, state)

    def assigned_in(self, node: Node) -> set[str]:
        """Every name that may get another value in there."""
        found = set[str]()
        for one in descendants(node):
            if one.type in ("variable_assignment", "for_statement"):
                kids = [c for c in one.children if c.type in ("variable_name", "subscript")]
                found.update((kid.text or b"").decode().partition("[")[0] for kid in kids[:1])
            elif one.type == "command_name" and (one.text or b"").decode() in _SETTERS:
                parent = one.parent
                words = parent.named_children[1:] if parent is not None else []
                found.update((word.text or b"").decode() for word in words)
        return found


def split_assignment(word: str) -> tuple[str, str] | None:
    found = _ENV.fullmatch(word)
    return (found[1], found[2]) if found else None
