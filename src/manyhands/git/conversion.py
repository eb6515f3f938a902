"""How git changes a file's bytes on the way in: line endings and `$Id$`, nothing that runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

Attribute = Callable[[str], bool | str | None]
Endings = Literal["keep", "text", "auto"]

_IDENT = re.compile(rb"\$Id:[^$\n]*\$")
_CONTROL = bytes(c for c in range(32) if c not in b"\b\t\n\r\x1b\x0c") + b"\x7f"
_UNCOUNTED = _CONTROL + b"\r\n"


def needs_git(attribute: Attribute) -> bool:
    """Whether only git itself can convert the file: by a program, or from another encoding."""
    return any(isinstance(attribute(name), str) for name in ("filter", "working-tree-encoding"))


def endings(attribute: Attribute, autocrlf: str) -> Endings:
    """What git does to line endings, by attributes and config."""
    text = attribute("text")
    if text is None:
        text = attribute("crlf")
    if text is None and attribute("eol") in ("lf", "crlf"):
        text = True
    if text is None and autocrlf in ("true", "input"):
        text = "auto"
    if text == "auto":
        return "auto"
    return "text" if text is True or text == "input" else "keep"


def to_git(content: bytes, attribute: Attribute, autocrlf: str, base: bytes | None) -> bytes:
    """The bytes that git would store for a file that `base` is the older version of."""
    how = endings(attribute, autocrlf)
    if b"\r\n" in content and (how == "text" or (how == "auto" and _is_safe(content, base))):
        content = content.replace(b"\r\n", b"\n")
    if attribute("ident") is True:
        content = _IDENT.sub(b"$Id$", content)
    return content


def _is_safe(content: bytes, base: bytes | None) -> bool:
    """Git leaves binary files alone, and files that already had CRLF when stored."""
    had_crlf = base is not None and b"\r\n" in base and not _looks_binary(base)
    return not had_crlf and not _looks_binary(content)


def _looks_binary(content: bytes) -> bool:
    if b"\0" in content or content.count(b"\r") != content.count(b"\r\n"):
        return True
    control = len(content) - len(content.translate(None, _CONTROL))
    if content.endswith(b"\x1a"):
        control -= 1
    printable = len(content.translate(None, _UNCOUNTED))
    return printable >> 7 < control
