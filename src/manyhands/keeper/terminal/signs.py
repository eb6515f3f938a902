"""What a terminal's bytes tell beside the screen: its title, and that its bell rang."""

from __future__ import annotations

import re

_TITLE = re.compile(rb"\x1b\][02];([^\x07\x1b]{0,1000})(?:\x07|\x1b\\)")
_STRING = re.compile(rb"\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|\Z)")
_OPEN = re.compile(rb"\x1b(?:[\]PX^_][^\x07\x1b]*(?:\x1b)?)?\Z")
LONGEST_OPEN = 1024
LONGEST_TITLE = 200


class Signs:
    def __init__(self) -> None:
        self.title = ""
        self._open = b""
        """A sequence whose end is still to come."""

    def hear(self, data: bytes) -> bool:
        """Whether the bell rang."""
        if not self._open and b"\x07" not in data and b"\x1b]" not in data:
            if data[-1:] == b"\x1b":
                self._open = b"\x1b"
            return False
        data = self._open + data
        for found in _TITLE.finditer(data):
            text = found[1].decode("utf-8", "replace")
            self.title = "".join(c for c in text if c.isprintable())[:LONGEST_TITLE]
        begun = _OPEN.search(data, max(0, len(data) - LONGEST_OPEN))
        self._open = begun[0] if begun else b""
        return b"\x07" in _STRING.sub(b"", data)
