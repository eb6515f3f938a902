"""The two versions of one file, and the head of the patch between them."""

from __future__ import annotations

from dataclasses import dataclass

import pygit2

from manyhands.model.events import FileStatus

PROGRAM, REGULAR, LINK = "100755", "100644", "120000"


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
