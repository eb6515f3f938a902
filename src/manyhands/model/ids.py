"""Names of things: short, lower-case, safe in paths, branches and URLs."""

from __future__ import annotations

import secrets
from typing import NewType

SessionId = NewType("SessionId", str)
ConversationId = NewType("ConversationId", str)
AttentionId = NewType("AttentionId", str)
MessageId = NewType("MessageId", str)
CommandId = NewType("CommandId", str)
JobId = NewType("JobId", str)
TerminalId = NewType("TerminalId", str)
AgentSessionId = NewType("AgentSessionId", str)
"""The agent's own name for a dialogue, by which it can be resumed."""
Oid = NewType("Oid", str)
"""A git object name in hexadecimal."""

MAIN = ConversationId("main")

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def fresh_id(length: int = 8) -> str:
    """A random id without look-alike letters; eight of them carry 40 bits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))
