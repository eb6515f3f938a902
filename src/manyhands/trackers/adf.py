"""Jira's documents (ADF) as Markdown, and Markdown as such documents: the nodes that people use.

What is not known is read by the text within it, so nothing that was written gets lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it.token import Token

Node = dict[str, Any]
DEEPEST = 40
_AROUND = {"strong": "**", "em": "*", "strike": "~~"}


def markdown(document: Node | str | None) -> str:
    """A document's text; an older server gives it as text already."""
    if document is None or isinstance(document, str):
        return document or ""
    return _blocks(document, 0).strip()


def _children(node: Node) -> list[Node]:
    found = node.get("content")
    return [child for child in found if isinstance(child, dict)] if isinstance(found, list) else []


def _attribute(node: Node, *names: str) -> str:
    given = node.get("attrs") or {}
    return next((str(given[name]) for name in names if given.get(name)), "")


def _blocks(node: Node, depth: int) -> str:
    if depth > DEEPEST:
        return ""
    return "\n\n".join(filter(None, (_block(child, depth + 1) for child in _children(node))))


def _block(node: Node, depth: int) -> str:
    kind = str(node.get("type", ""))
    if kind in _BLOCKS:
        return _BLOCKS[kind](node, depth)
    if kind in _INLINE:
        return _piece(node, depth)
    if any(child.get("type") in _INLINE for child in _children(node)):
        return _inline(node, depth)
    return _blocks(node, depth)


def _heading(node: Node, depth: int) -> str:
    level = int((node.get("attrs") or {}).get("level") or 1)
    return f"{'#' * level} {_inline(node, depth)}"


def _list(node: Node, depth: int) -> str:
    return "\n".join(_items(node, depth))


def _code(node: Node, depth: int) -> str:
    text = _inline(node, depth)
    fence = "`" * max(3, _longest_run(text, "`") + 1)
    return f"{fence}{_attribute(node, 'language')}\n{text}\n{fence}"


def _quotation(node: Node, depth: int) -> str:
    return "\n".join(f"> {line}".rstrip() for line in _blocks(node, depth).splitlines())


def _expand(node: Node, depth: int) -> str:
    title = _attribute(node, "title")
    return "\n\n".join(filter(None, (title and f"**{title}**", _blocks(node, depth))))


def _items(node: Node, depth: int) -> Iterator[str]:
    ordered, first = node["type"] == "orderedList", (node.get("attrs") or {}).get("order") or 1
    for number, item in enumerate(_children(node), int(first)):
        if item.get("type") in ("taskList", "decisionList"):
            yield _indented("\n".join(_items(item, depth + 1)), "  ")
            continue
        mark = f"{number}. " if ordered else "- "
        if item.get("type") == "taskItem":
            mark += "[x] " if _attribute(item, "state") == "DONE" else "[ ] "
            text = _inline(item, depth)
        else:
            parts = [_block(child, depth + 1) for child in _children(item)]
            text = "\n".join(filter(None, parts)) if depth < DEEPEST else ""
        yield mark + _indented(text, " " * (3 if ordered else 2)).lstrip()


def _indented(text: str, by: str) -> str:
    return "\n".join(f"{by}{line}" if line else "" for line in text.splitlines())


def _table(node: Node, depth: int) -> str:
    rows = [
        [_blocks(cell, depth).replace("\n", " ").replace("|", "\\|") for cell in _children(row)]
        for row in _children(node)
    ]
    if not rows:
        return ""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, f"|{' --- |' * max(1, len(rows[0]))}")
    return "\n".join(lines)


def _inline(node: Node, depth: int) -> str:
    if depth > DEEPEST:
        return ""
    return "".join(_piece(child, depth + 1) for child in _children(node))


def _piece(node: Node, depth: int) -> str:
    kind = str(node.get("type", ""))
    if kind == "text":
        return _marked(str(node.get("text", "")), node.get("marks") or [])
    return _INLINE[kind](node) if kind in _INLINE else _inline(node, depth)


_INLINE: dict[str, Callable[[Node], str]] = {
    "text": lambda node: str(node.get("text", "")),
    "hardBreak": lambda node: "\n",
    "mention": lambda node: "@" + _attribute(node, "text", "id").removeprefix("@"),
    "emoji": lambda node: _attribute(node, "text", "shortName"),
    "inlineCard": lambda node: _attribute(node, "url"),
    "status": lambda node: f"[{_attribute(node, 'text')}]",
    "date": lambda node: _attribute(node, "timestamp"),
    "mediaInline": lambda node: "[attachment]",
}


def _marked(text: str, marks: list[Node]) -> str:
    kinds = {str(mark.get("type")): mark for mark in marks}
    if "code" in kinds:
        text = f"`{text}`"
    for kind, around in _AROUND.items():
        if kind in kinds and text.strip():
            inner = text.strip()
            text = text.replace(inner, f"{around}{inner}{around}", 1)
    if "link" in kinds and (url := _attribute(kinds["link"], "href")):
        text = text if text == url else f"[{text}]({url})"
    return text


_BLOCKS: dict[str, Callable[[Node, int], str]] = {
    "heading": _heading,
    "bulletList": _list,
    "orderedList": _list,
    "taskList": _list,
    "decisionList": _list,
    "codeBlock": _code,
    "blockquote": _quotation,
    "panel": _quotation,
    "rule": lambda node, depth: "---",
    "table": _table,
    "expand": _expand,
    "nestedExpand": _expand,
    "mediaSingle": lambda node, depth: "[attachment]",
    "mediaGroup": lambda node, depth: "[attachment]",
    "blockCard": lambda node, depth: _attribute(node, "url"),
    "embedCard": lambda node, depth: _attribute(node, "url"),
    "paragraph": _inline,
}


def _longest_run(text: str, char: str) -> int:
    longest = run = 0
    for one in text:
        run = run + 1 if one == char else 0
        longest = max(longest, run)
    return longest


# And back


def document(text: str) -> Node:
    from markdown_it import MarkdownIt

    tokens = MarkdownIt().enable("strikethrough").parse(text)
    content = list(_read(tokens))
    return {"type": "doc", "version": 1, "content": content or [{"type": "paragraph"}]}


_CONTAINERS = {"bullet_list": "bulletList", "blockquote": "blockquote", "list_item": "listItem"}


def _read(tokens: list[Token]) -> Iterator[Node]:
    at = 0
    while at < len(tokens):
        end = _end(tokens, at)
        yield from _node(tokens[at], tokens[at + 1 : end])
        at = end + 1


def _end(tokens: list[Token], at: int) -> int:
    """Where what is opened there is closed."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += tokens[place].nesting
        if depth <= 0:
            return place
    return len(tokens) - 1


def _node(token: Token, inside: list[Token]) -> Iterator[Node]:
    kind = token.type.removesuffix("_open")
    match kind:
        case "paragraph":
            yield {"type": "paragraph", "content": _runs(inside)}
        case "heading":
            level = int(token.tag[1:])
            yield {"type": "heading", "attrs": {"level": level}, "content": _runs(inside)}
        case "fence" | "code_block":
            language = {"language": token.info.split()[0]} if token.info.strip() else {}
            text = token.content.rstrip("\n")
            yield {"type": "codeBlock", "attrs": language, "content": _plain(text)}
        case "hr":
            yield {"type": "rule"}
        case "ordered_list":
            order = {"order": int(token.attrs.get("start", 1))}
            yield {"type": "orderedList", "attrs": order, "content": list(_read(inside))}
        case "bullet_list" | "blockquote" | "list_item":
            content = list(_read(inside)) or [{"type": "paragraph", "content": []}]
            yield {"type": _CONTAINERS[kind], "content": content}
        case _:
            if token.content:
                yield {"type": "paragraph", "content": _plain(token.content)}


def _runs(inside: list[Token]) -> list[Node]:
    found: list[Node] = []
    marks: list[Node] = []
    for token in inside[0].children or () if inside else ():
        match token.type:
            case "strong_open" | "em_open" | "s_open":
                kind = {"strong": "strong", "em": "em", "s": "strike"}[token.type[:-5]]
                marks.append({"type": kind})
            case "link_open":
                marks.append({"type": "link", "attrs": {"href": str(token.attrs["href"])}})
            case "strong_close" | "em_close" | "s_close" | "link_close":
                marks.pop()
            case "softbreak":
                found.append({"type": "text", "text": " "})
            case "hardbreak":
                found.append({"type": "hardBreak"})
            case "code_inline":
                links = [mark for mark in marks if mark["type"] == "link"]
                found.append(_text(token.content, [*links, {"type": "code"}]))
            case _ if token.content:
                found.append(_text(token.content, marks))
    return found


def _plain(text: str) -> list[Node]:
    return [{"type": "text", "text": text}] if text else []


def _text(text: str, marks: list[Node]) -> Node:
    node: Node = {"type": "text", "text": text}
    return node | {"marks": list(marks)} if marks else node
