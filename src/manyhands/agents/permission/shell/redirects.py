"""Where input comes from and output goes to: files, here-documents, and what hangs there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from manyhands.agents.permission.shell.call import ShellCall
from manyhands.agents.permission.shell.marks import UNKNOWN
from manyhands.agents.permission.shell.syntax import Script, Unreadable
from manyhands.agents.permission.shell.words import WordReader

if TYPE_CHECKING:
    from tree_sitter import Node

_CLOSING = (">&-", "<&-")


@dataclass
class Redirected:
    words: list[str] = field(default_factory=list)
    """Arguments that stand behind a redirection: they are the command's."""
    handed: str | None = None
    rest: list[Node] = field(default_factory=list)
    """What follows on the line of a here-document's start: `cat <<E | sh`, `cat <<E && ls`."""


class Redirects:
    def __init__(self, script: Script, words: WordReader, met: set[int]) -> None:
        self._script = script
        self._words = words
        self._met = met

    def judge(self, nodes: list[Node], call: ShellCall) -> Redirected:
        found = Redirected()
        for node in nodes:
            if not node.is_named or node.type == "comment":
                continue
            self._met.add(node.id)
            match node.type:
                case "file_redirect":
                    found.words += self._file(node, call)
                case "herestring_redirect":
                    values = [self._words.text(c, call.state) for c in node.named_children]
                    found.handed = " ".join(values)
                case "heredoc_redirect":
                    self._here(node, call, found)
                case _:
                    raise Unreadable("cannot be read as a shell command")
        return found

    def _file(self, node: Node, call: ShellCall) -> list[str]:
        operator = next((c.type for c in node.children if not c.is_named), "")
        named = [c for c in node.named_children if c.type != "file_descriptor"]
        if operator in _CLOSING or not named:
            return [word for child in named for word in self._words.fields(child, call.state)]
        first, *more = named
        targets = self._words.fields(first, call.state) or [UNKNOWN]
        descriptor = operator in (">&", "<&") and first.type == "number"
        for target in targets:
            if not descriptor and not (target == "-" and operator in (">&", "<&")):
                self._target(operator, target, call)
        # The grammar takes `>out a b` for three targets; the shell takes one.
        return [word for child in more for word in self._words.fields(child, call.state)]

    def _target(self, operator: str, target: str, call: ShellCall) -> None:
        if operator in ("<", "<&"):
            call.reads(target)
            return
        if target in ("/dev/null", "/dev/stdout", "/dev/stderr"):
            return
        call.part.plain = False
        call.writes(target)

    def _here(self, node: Node, call: ShellCall, found: Redirected) -> None:
        found.handed = self._script.bodies.get(node.start_byte, "")
        quoted = False
        for child in node.named_children:
            match child.type:
                case "heredoc_start":
                    quoted = any(sign in (child.text or b"") for sign in (b"'", b'"', b"\\"))
                case "heredoc_end" | "comment" | "file_descriptor":
                    pass
                case "heredoc_body":
                    self._words.visit(child, call.state)
                    text = (child.text or b"").decode("utf-8", "surrogatepass")
                    expands = not quoted and any(sign in text for sign in "$`\\")
                    found.handed = found.handed or (UNKNOWN + text if expands else text)
                case "file_redirect" | "herestring_redirect" | "heredoc_redirect":
                    more = self.judge([child], call)
                    found.words += more.words
                    found.rest += more.rest
                case kind if _is_word(kind):
                    found.words += self._words.fields(child, call.state)
                case _:
                    found.rest.append(child)


def _is_word(kind: str) -> bool:
    return kind in ("word", "number", "string", "raw_string", "concatenation", "ansi_c_string") or (
        kind.endswith(("expansion", "substitution"))
    )
