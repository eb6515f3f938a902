"""What every event carries, and how its name on the wire follows from its class."""

from __future__ import annotations

import re

import msgspec

from manyhands.model.clock import Instant
from manyhands.model.ids import MAIN, ConversationId, SessionId


def wire_name(class_name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", class_name).lower()


class Event(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=wire_name
):
    """The envelope: `seq` is the hub's, the rest is set where the fact was seen."""

    seq: int = 0
    session: SessionId = SessionId("")
    at: Instant = ""
    turn: int = 0
    conversation: ConversationId = MAIN
