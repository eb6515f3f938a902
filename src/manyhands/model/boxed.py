"""What becomes of a wish for a box on a machine with its means; and what a box promises."""

from __future__ import annotations

import msgspec

from manyhands.model.box import BoxLevel, BoxMeans, BoxWish, Means, Network

LEVELS: tuple[BoxLevel, ...] = ("none", "files", "full")
NETWORKS: tuple[Network, ...] = ("open", "listed", "none")
"""Each confines more than the one before it."""
DEFAULT = BoxWish(level="full", network="open")
CLOSING: tuple[BoxMeans, ...] = ("bubblewrap", "seatbelt")
"""By these a network is confined, at any level; Landlock cannot."""
IN_PLACE = "it works in the main checkout, whose git it shares"


class BoxHeld(msgspec.Struct, frozen=True, kw_only=True):
    """What holds, or would."""

    level: BoxLevel
    by: BoxMeans = ""
    network: Network = "open"
    reason: str = ""
    """Why it is not full, or the network not as wished."""


def holding(means: Means, wish: BoxWish, *, in_place: bool = False) -> BoxHeld:
    """The lesser of what is wished and what can be."""
    most: BoxLevel = "files" if in_place else "full"
    level = min(wish.level or "full", means.level, most, key=LEVELS.index)
    if level == "none":
        return BoxHeld(level=level, reason=means.reason)
    return BoxHeld(
        level=level,
        by=means.by,
        network=(wish.network or "open") if means.by in CLOSING else "open",
        reason=means.reason or (IN_PLACE if in_place else ""),
    )


def is_less(one: BoxLevel, other: BoxLevel) -> bool:
    return LEVELS.index(one) < LEVELS.index(other)


def is_laxer(one: Network, other: Network) -> bool:
    return NETWORKS.index(one) < NETWORKS.index(other)


_REACH: dict[Network, str] = {
    "open": "",
    "listed": ", and only listed hosts can be reached",
    "none": ", and nothing can be reached over the network",
}


def promise(level: BoxLevel, network: Network) -> str:
    """What nothing that runs in it can do."""
    match level:
        case "full":
            return f"nothing outside the worktree can be changed{_REACH[network]}"
        case "files":
            return "what files outside the worktree hold cannot be changed"
        case "none":
            return ""
