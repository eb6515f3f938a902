"""From the nodes of a syntax tree to words: quotes removed, what is known filled in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from manyhands.agents.permission.shell.marks import (
    BRACES,
    GLOBS,
    INSIDE,
    JOB,
    OUT,
    SPLIT,
    TILDE,
    TOKEN,
    UNKNOWN,
    fields,
)
from manyhands.agents.permission.shell.state import ShellState
from manyhands.agents.permission.shell.syntax import Unreadable

if TYPE_CHECKING:
    from tree_sitter import Node

_SPECIAL = {**GLOBS, **BRACES}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f"}
_ANSI = re.compile(
    r"\\(?:x(?P<hex>[0-9a-fA-F]{1,2})|u(?P<short>[0-9a-fA-F]{1,4})|U(?P<long>[0-9a-fA-F]{1,8})"
    r"|(?P<octal>[0-7]{1,3})|(?P<other>.))",
    re.DOTALL,
)
DEVICE = "/dev/fd/63"


class WordReader:
    """`substitute` walks the commands of a substitution and says what their output may be."""

    def __init__(self, substitute: Callable[[Node, ShellState], str]) -> None:
        self._substitute = substitute

    def fields(self, node: Node, state: ShellState) -> list[str]:
        return fields(self._text(node, state, quoted=False))

    def text(self, node: Node, state: ShellState) -> str:
        """As one word, such as the value of an assignment."""
        return " ".join(self.fields(node, state))

    def _text(self, node: Node, state: ShellState, *, quoted: bool) -> str:
        source = _source(node)
        if literal := _LITERALS.get(node.type):
            return literal(source)
        match node.type:
            case "string" | "translated_string":
                return self._inside(node, state, '"' if node.type == "string" else "$", quoted=True)
            case "concatenation" | "command_name":
                return self._inside(node, state, "", quoted=quoted)
            case "simple_expansion" | "expansion":
                return self._expansion(node, state, quoted)
            case "command_substitution":
                return self._substitute(node, state)
            case "process_substitution":
                self._substitute(node, state)
                return DEVICE
        if not node.is_named and not node.child_count:
            return _bare(source)
        self.visit(node, state)
        return TOKEN if node.type in _SHORT else UNKNOWN

    def _inside(self, node: Node, state: ShellState, fence: str, *, quoted: bool) -> str:
        """The texts of all children, and what lies between them."""
        pieces, position = list[str](), node.start_byte
        source = node.text or b""
        for child in node.children:
            gap = source[position - node.start_byte : child.start_byte - node.start_byte]
            pieces.append(gap.decode("utf-8", "surrogatepass").replace("\\\n", ""))
            position = child.end_byte
            if fence and not child.is_named and _source(child) == fence:
                continue
            pieces.append(self._text(child, state, quoted=quoted))
        return "".join(pieces)

    def visit(self, node: Node, state: ShellState) -> None:
        """Whatever runs within a node whose own value does not matter."""
        for child in node.children:
            if child.type in ("command_substitution", "process_substitution"):
                self._substitute(child, state)
            else:
                self.visit(child, state)

    def _expansion(self, node: Node, state: ShellState, quoted: bool) -> str:
        value = self._value(node, state)
        if quoted or UNKNOWN in value:
            return value
        if "IFS" in state.variables:
            return UNKNOWN  # nobody knows where it is split
        # Unquoted it is split at blanks, and globs in it are globs.
        return SPLIT.join(_bare(piece) for piece in value.split())

    def _value(self, node: Node, state: ShellState) -> str:
        kids = [child for child in node.children if _source(child) not in ("$", "${", "}")]
        names = [_source(kid) for kid in kids]
        if len(names) == 1 and kids[0].type.endswith("variable_name"):
            return JOB if names[0] == "!" else state.value(names[0])
        self.visit(node, state)
        if "@" in names:
            raise Unreadable("runs what a variable holds")  # ${x@P}
        if names and names[0] == "#":
            return TOKEN
        if len(names) == 3 and kids[0].type == "variable_name":
            return _trimmed(state.value(names[0]), names[1], names[2])
        return UNKNOWN


def _trimmed(value: str, operator: str, pattern: str) -> str:
    """`${f%.py}` is a beginning of the value, `${f##*/}` its last part."""
    if UNKNOWN in value:
        return UNKNOWN
    if operator in ("-", ":-"):
        return value
    if operator == "##" and pattern == "*/" and not value.endswith(".."):
        return TOKEN
    if operator not in ("%", "%%") or value.startswith("/") or ".." in value:
        return UNKNOWN
    if INSIDE in value or OUT in value:
        return value
    literal = not re.search(r"[*?\[\\]", pattern)
    return (value.removesuffix(pattern) if literal else "") or TOKEN


def _source(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogatepass")


def _bare(text: str) -> str:
    """Unquoted text: escapes resolved, and what the shell would expand marked."""
    pieces, position = list[str](), 0
    while position < len(text):
        sign = text[position]
        if sign == "\\":
            following = text[position + 1 : position + 2]
            pieces.append("" if following == "\n" else following)
            position += 2
            continue
        pieces.append(TILDE if sign == "~" and position == 0 else _SPECIAL.get(sign, sign))
        position += 1
    return "".join(pieces)


def _in_quotes(text: str) -> str:
    return re.sub(r'\\([$`"\\\n])', lambda m: "" if m.group(1) == "\n" else m.group(1), text)


def _ansi(text: str) -> str:
    def one(escape: re.Match[str]) -> str:
        if digits := escape["hex"] or escape["short"] or escape["long"]:
            return chr(min(int(digits, 16), 0xFFFD))
        if escape["octal"]:
            return chr(int(escape["octal"], 8))
        return _ESCAPES.get(escape["other"], escape["other"])

    return _ANSI.sub(one, text)


_LITERALS: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(("word", "number", "variable_name", "test_operator"), _bare),
    "string_content": _in_quotes,
    "raw_string": lambda source: source[1:-1],
    "ansi_c_string": lambda source: _ansi(source[2:-1]),
}
_SHORT = ("arithmetic_expansion", "brace_expression")
"""Numbers, or letters from one to another."""
