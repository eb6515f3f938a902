"""What the doctor found: in words, and, where it is ours alone to mend, how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec


class Finding(msgspec.Struct, frozen=True):
    check: str
    ok: bool
    detail: str
    fix: str = ""


@dataclass(frozen=True)
class Oddity:
    """A finding that can be mended without anybody losing anything."""

    finding: Finding
    mend: Callable[[], None]
    """Blocks; raises where it cannot be mended after all."""


FIX = "`manyhands doctor --fix`"


def odd(check: str, detail: str, fix: str) -> Finding:
    return Finding(check, False, detail, fix)
