"""Items for a person."""

from __future__ import annotations

from typing import Any

from manyhands.model.attention.attention import Attention, Kind, Option
from manyhands.model.clock import Instant, now
from manyhands.model.ids import AttentionId, fresh_id
from manyhands.model.session.session import Session


def fresh_item(
    s: Session,
    kind: Kind,
    summary: str,
    detail: dict[str, Any],
    options: tuple[Option, ...],
    at: Instant = "",
) -> Attention:
    return Attention(
        id=AttentionId(fresh_id()),
        session=s.id,
        kind=kind,
        summary=summary,
        detail=detail,
        options=options,
        raised_at=at or now(),
    )
