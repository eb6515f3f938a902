"""What reaches a terminal: text that others wrote is made inert, colours only where wanted."""

from __future__ import annotations

import re
import sys
from typing import IO

import click

_ACTIVE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    r"\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"  # direction, invisible, line ends
    r"\ud800-\udfff\U000e0000-\U000e007f]"
)


def inert(text: str, *, lines: bool = False) -> str:
    """Text of a title, branch, file or agent with nothing left that could drive a terminal."""
    shown = _ACTIVE.sub(_visible, text.replace("\r\n", "\n"))
    return shown if lines else shown.replace("\n", "\\n")


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def is_terminal(stream: IO[str] | None = None) -> bool:
    chosen = stream or sys.stdout
    return chosen.isatty()


def can_ask() -> bool:
    """Whether a person sits there to answer a question."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def styled(text: str, **style: bool | str) -> str:
    """`text`, which must be inert already, in colour where the terminal and its user want it."""
    from manyhands.config import variable

    if not is_terminal() or variable("NO_COLOR") or variable("TERM") == "dumb":
        return text
    return click.style(text, **style)  # type: ignore[arg-type]
