"""The two versions of one file as git stores them, and the head of the patch between them.

On its way in git changes line endings and `$Id$`; nothing here runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import pygit2

from manyhands.model.events import FileStatus

PROGRAM, REGULAR, LINK = "100755", "100644", "120000"
Attribute = Callable[[str], bool | str | None]
Endings = Literal["keep", "text", "auto"]

_IDENT = re.compile(rb"\$Id:[^$\n]*\$")
_CONTROL = bytes(c for c in range(32) if c not in b"\b\t\n\r\x1b\x0c") + b"\x7f"
_UNCOUNTED = _CONTROL + b"\r\n"


@dataclass(frozen=True)
class Side:
    """One version of a file; absent where `mode` is None."""

    mode: str | None = None
    content: bytes = b""

    @property
    def oid(self) -> str:
        return str(pygit2.hash(self.content)) if self.mode else "0" * 40


def status(old: Side, new: Side) -> FileStatus:
    if old.mode is None:
        return "added"
    if new.mode is None:
        return "deleted"
    return "typechange" if (old.mode == LINK) != (new.mode == LINK) else "modified"


def patch_header(name: bytes, old: Side, new: Side, binary: bool, hunks: bool) -> bytes:
    a, b = b"a/" + name, b"b/" + name
    lines = [b"diff --git " + a + b" " + b]
    if old.mode is None:
        lines.append(f"new file mode {new.mode}".encode())
    elif new.mode is None:
        lines.append(f"deleted file mode {old.mode}".encode())
    elif old.mode != new.mode:
        lines += [f"old mode {old.mode}".encode(), f"new mode {new.mode}".encode()]
    if old.content != new.content or None in (old.mode, new.mode):
        kept = f" {old.mode}" if old.mode == new.mode else ""
        lines.append(f"index {old.oid}..{new.oid}{kept}".encode())
    a, b = (a if old.mode else b"/dev/null"), (b if new.mode else b"/dev/null")
    if binary and old.content != new.content:
        lines.append(b"Binary files " + a + b" and " + b + b" differ")
    elif hunks:
        tab = b"\t" if b" " in name else b""
        lines += [
            b"--- " + a + (tab if old.mode else b""),
            b"+++ " + b + (tab if new.mode else b""),
        ]
    return b"\n".join(lines) + b"\n"


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
