"""What every event carries, and how its name on the wire follows from its class."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from manyhands.model.clock import Instant
from manyhands.model.ids import MAIN, ConversationId, SessionId


def wire_name(class_name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", class_name).lower()


class Asker(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who asked for it: by which way in, under whose token (by name, never the token itself), and
    which program that was."""

    via: Literal["cli", "page", "api"]
    token: str
    pid: int = 0
    program: str = ""
    seen: bool = False
    """Whether the hub saw the process at the connection; else it is what the asker said."""


class Event(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=wire_name
):
    """The envelope: `seq` is the hub's, the rest is set where the fact was seen."""

    seq: int = 0
    session: SessionId = SessionId("")
    at: Instant = ""
    turn: int = 0
    conversation: ConversationId = MAIN
    asked_by: Asker | None = None
    """Only the hub sets it, for what somebody's command decided."""
