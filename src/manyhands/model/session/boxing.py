"""A session's box: what was chosen for it, and what holds around its agent."""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from manyhands.model import events as e
from manyhands.model.box import BoxLevel, BoxMeans, BoxWish, Network


class Entered(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """As the keeper told when it started an agent."""

    level: BoxLevel = "none"
    by: BoxMeans = ""
    network: Network = "open"
    reason: str = ""
    apart: bool = False


class Boxing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    wish: BoxWish = BoxWish()
    """The session's own."""
    born: BoxWish = BoxWish()
    """What it was when the last keeper was born, which knows of no later one."""
    entered: Entered | None = None
    """Around the agent that runs, or ran last."""

    @property
    def is_apart(self) -> bool:
        """Whether what runs has a git directory of its own."""
        return self.entered is not None and self.entered.apart

    @property
    def is_stale(self) -> bool:
        """Something else was chosen since the last keeper was born."""
        return self.wish != self.born


BoxingEvent = e.SessionCreated | e.BoxChanged | e.BoxEntered | e.KeeperStarted


def fold(boxing: Boxing, event: BoxingEvent) -> Boxing:
    match event:
        case e.BoxChanged():
            return replace(boxing, wish=BoxWish(level=event.level, network=event.network))
        case e.BoxEntered():
            entered = Entered(
                level=event.level,
                by=event.by,
                network=event.network,
                reason=event.reason,
                apart=event.apart,
            )
            return replace(boxing, entered=entered)
        case e.KeeperStarted():
            return replace(boxing, born=boxing.wish)
        case e.SessionCreated():
            return replace(boxing, wish=BoxWish(level=event.box, network=event.network))
        case _:
            assert_never(event)
