"""The audit of a session: who decided what about its agents' calls and plans, and by which rule."""

from __future__ import annotations

import msgspec

from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.model import events as e
from manyhands.model.clock import Instant

PAGE = 5000


class AuditLine(msgspec.Struct, frozen=True, kw_only=True):
    at: Instant
    turn: int
    by: str
    """`human`, `hub`, `mode` or `rule`."""
    decision: str
    tool: str
    what: str
    rule: str
    conversation: str


async def audit(hub: Hub, ref: str) -> list[AuditLine]:
    session, after = require_session(hub.state, ref).id, 0
    found: list[AuditLine] = []
    while page := await hub.store.events(after, session=session, limit=PAGE):
        facts = [e.decode(body) for _, body in page if b'"permission_decided"' in body]
        found += [_line(fact) for fact in facts if isinstance(fact, e.PermissionDecided)]
        after = page[-1][0]
    return found


def _line(fact: e.PermissionDecided) -> AuditLine:
    return AuditLine(
        at=fact.at,
        turn=fact.turn,
        by=fact.by,
        decision=fact.decision,
        tool=fact.tool,
        what=fact.what,
        rule=fact.rule,
        conversation=fact.conversation,
    )
