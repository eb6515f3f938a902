"""Settle an open item by one of its options; once, whoever answers first."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from manyhands.hub import conflict_words, setup, trust
from manyhands.hub.hand_over import hand_over
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_open, require_session
from manyhands.hub.places import resumption
from manyhands.hub.rules import permission_answered
from manyhands.hub.stop import stop_beside, withdrawal
from manyhands.model import events as e
from manyhands.model.attention import Attention, Resolution, require_resolution
from manyhands.model.clock import Instant, now
from manyhands.model.ids import CommandId
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.store import Decision


async def answer(
    hub: Hub, ref: str, item: str, resolution: Resolution, *, command: CommandId | None = None
) -> Attention:
    """`item` empty means the session's oldest open one."""
    if "hand-over" in resolution.options:
        await hand_over(hub, ref, item)

    def decide(state: State) -> Decision[Attention]:
        s = require_session(state, ref)
        found = require_open(s, item)
        settled = require_resolution(found, resolution)
        at = now()
        resolved = e.AttentionResolved(
            session=s.id, at=at, turn=s.turn, item=found.id, resolution=settled
        )
        more = list(_what_follows(s, found, settled, at))
        more += permission_answered(s, found, settled, at)
        return Decision((resolved, *more, *_elsewhere(state, more, at)), found.settled(settled, at))

    settled = msgspec.convert(await hub.write(decide, command=command), Attention)
    if settled.kind == "budget" and resolution.options == ("stop",):
        await stop_beside(hub, settled.session)
    return settled


def _what_follows(
    s: Session, item: Attention, settled: Resolution, at: Instant
) -> Iterator[e.AnyEvent]:
    """What an answer sets off that is not the agent's own business."""
    match item.kind, settled.option:
        case "agent_died", "retry":
            yield from resumption(s, at)
        case "agent_died", _:
            yield e.SessionStopped(session=s.id, at=at)
        case "budget", "stop":
            yield from withdrawal(s, at)
        case "limit", "retry":
            yield from resumption(s, at)
        case "limit", _:
            error = str(item.detail.get("error", ""))
            hint = f"`manyhands resume {s.slug}` tries again"
            yield e.SessionFailed(session=s.id, at=at, step="agent", error=error, hint=hint)
        case "setup_failed", option:
            yield from setup.after_answer(s, option, at)
        case "conflict", "tell":
            yield conflict_words.after_answer(s, item, settled, at)
        case "trust", "trust":
            yield from trust.approval(item, at)
        case "trust", _:
            hint = f"`manyhands resume {s.slug}` asks again"
            error = f"not trusted: {item.summary}"
            yield e.SessionFailed(session=s.id, at=at, step="trust", error=error, hint=hint)


def _elsewhere(state: State, events: list[e.AnyEvent], at: Instant) -> Iterator[e.AnyEvent]:
    """Sessions that asked for the same trust need not ask any more."""
    for event in events:
        if isinstance(event, e.RepoTrusted):
            after = state.layer()
            after.apply(event)
            yield from trust.settled_elsewhere(after, event.path, at)
