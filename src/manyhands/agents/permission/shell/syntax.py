"""A command line as a syntax tree, in bounded time.

The grammar is loaded with the first command that is judged. It reads what is well formed in
linear time, but takes quadratic time to find its way through what is not: so a line with very
many signs is not read at all. Text of here-documents is set aside before they are counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from manyhands.agents.permission.shell.marks import MARKED

if TYPE_CHECKING:
    from tree_sitter import Language, Node

LONGEST = 100_000
MOST_SIGNS = 1000
_SIGNS = re.compile(r"[|&;<>(){}$`]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_HEREDOC = re.compile(
    r"(?<!<)<<(?P<dash>-?)[ \t]*(?:(?P<quote>['\"])(?P<quoted>[^'\"\n]+)(?P=quote)"
    r"|(?P<escape>\\?)(?P<bare>[A-Za-z_][\w.-]*))"
)


class Unreadable(Exception):
    """The command cannot be judged; the message says why, for a person."""


@dataclass
class Script:
    root: Node
    bodies: dict[int, str] = field(default_factory=dict)
    """Here-documents that were set aside, by where each begins."""


@cache
def _grammar() -> Language:
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


def _tree(text: str) -> Node:
    from tree_sitter import Parser

    # One for each text: they may be read in several threads.
    return Parser(_grammar()).parse(text.encode("utf-8", "surrogatepass")).root_node


def parse(command: str) -> Script:
    if len(command) > LONGEST:
        raise Unreadable(f"is too long to be judged ({len(command)} characters)")
    if _CONTROL.search(command) or MARKED.search(command):
        raise Unreadable("holds control characters")
    text, bodies = command, dict[int, str]()
    if _is_crowded(text):
        text, bodies = _set_aside(command)
        if _is_crowded(text):
            raise Unreadable("has too many parts to be judged")
    root = _tree(text)
    if root.has_error:
        raise Unreadable("cannot be read as a shell command")
    found = {node.start_byte for node in descendants(root) if node.type == "heredoc_redirect"}
    if not found.issuperset(bodies):
        raise Unreadable("has too many parts to be judged")
    return Script(root, bodies)


def descendants(root: Node) -> list[Node]:
    """All nodes, without recursion: a tree may be deeper than Python's stack."""
    found: list[Node] = []
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        found.append(node)
        open_nodes.extend(node.children)
    return found


def _is_crowded(text: str) -> bool:
    return sum(1 for _ in _SIGNS.finditer(text)) > MOST_SIGNS


def _set_aside(command: str) -> tuple[str, dict[int, str]]:
    """The text with empty here-documents, where they hold nothing that the shell would expand."""
    lines = [f"{line}\n" for line in command.split("\n")]
    kept, bodies = list[str](), dict[int, str]()
    position = size = 0
    while position < len(lines):
        line = lines[position]
        pieces, position = [line], position + 1
        for start in _HEREDOC.finditer(line):
            end = _end_of(lines, position, start)
            if end is None:
                return "".join([*kept, *pieces, *lines[position:]]), bodies
            body = "".join(lines[position:end])
            if start["quoted"] or start["escape"] or not re.search(r"[$`\\]", body):
                bodies[size + _bytes(line[: start.start()])] = body
            else:
                pieces.append(body)
            pieces.append(lines[end])
            position = end + 1
        kept += pieces
        size += sum(map(_bytes, pieces))
    return "".join(kept), bodies


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _end_of(lines: list[str], position: int, start: re.Match[str]) -> int | None:
    word = start["quoted"] or start["bare"]
    for number in range(position, len(lines)):
        line = lines[number].rstrip("\n")
        if (line.lstrip("\t") if start["dash"] else line) == word:
            return number
    return None
