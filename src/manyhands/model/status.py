"""The statuses of a session, and which may follow which."""

from __future__ import annotations

from typing import Literal

Status = Literal[
    "queued", "preparing", "idle", "working", "waiting", "failed", "unreachable", "archived"
]

LEGAL: dict[Status, frozenset[Status]] = {
    "preparing": frozenset({"queued", "working", "idle", "waiting", "failed", "archived"}),
    "queued": frozenset({"working", "idle", "failed", "unreachable", "waiting", "archived"}),
    "idle": frozenset({"queued", "working", "waiting", "failed", "unreachable", "archived"}),
    "working": frozenset({"idle", "queued", "waiting", "failed", "unreachable", "archived"}),
    "waiting": frozenset(
        {"preparing", "working", "idle", "queued", "failed", "unreachable", "archived"}
    ),
    "failed": frozenset(
        {"preparing", "queued", "working", "idle", "waiting", "unreachable", "archived"}
    ),
    "unreachable": frozenset({"working", "waiting", "idle", "queued", "failed", "archived"}),
    "archived": frozenset({"preparing", "idle", "working", "waiting", "queued", "failed"}),
}
"""Which status may follow which, in one transaction of the hub."""
