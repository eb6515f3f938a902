"""Settle an open item by one of its options; once, whoever answers first."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from manyhands.contract.sessions import New, NewView
from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.hub.attention.rules import permission_answered
from manyhands.hub.core import Hub, require_session
from manyhands.hub.creation import setup
from manyhands.hub.creation.new import new
from manyhands.hub.fleet.places import resumption
from manyhands.hub.fleet.stop import stop_conversations, withdrawal
from manyhands.hub.radar import words as conflict_words
from manyhands.hub.repos import trust
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Resolution, require_resolution
from manyhands.model.clock import now
from manyhands.model.ids import CommandId
from manyhands.model.session.session import Session
from manyhands.model.slug import LONGEST_TITLE
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
        resolved = e.AttentionResolved(
            session=s.id, turn=s.main.turn, item=found.id, resolution=settled
        )
        events = (
            resolved,
            *_what_follows(state, s, found, settled),
            *permission_answered(s, found, settled),
        )
        return Decision(events, found.settled(settled, now()))

    settled = msgspec.convert(await hub.write(decide, command=command), Attention)
    if settled.kind == "budget" and resolution.options == ("stop",):
        await stop_conversations(hub, settled.session)
    return settled


def require_open(s: Session, item: str) -> Attention:
    if not s.inbox.items:
        raise NotPossible(f"{s.slug} has nothing open to answer", hint="`manyhands next` shows all")
    if not item:
        return min(s.inbox.items, key=lambda i: (not i.awake(now()), i.raised_at))
    found = next((i for i in s.inbox.items if i.id == item), None)
    if found is None:
        raise NotFound(f"{s.slug} has no open item {item!r}; it may have been answered already")
    return found


def _what_follows(
    state: State, s: Session, item: Attention, settled: Resolution
) -> Iterator[e.AnyEvent]:
    """What an answer sets off that is not the agent's own business."""
    match item.kind, settled.option:
        case "agent_died" | "limit", "retry":
            yield from resumption(s)
        case "agent_died", _:
            yield e.SessionStopped(session=s.id)
        case "budget", "stop":
            yield from withdrawal(s)
        case "limit", _:
            error = str(item.detail.get("error", ""))
            hint = f"`manyhands resume {s.slug}` tries again"
            yield e.SessionFailed(session=s.id, step="agent", error=error, hint=hint)
        case "setup_failed", option:
            yield from setup.after_answer(s, option)
        case "conflict", "tell":
            yield conflict_words.after_answer(s, item, settled)
        case "trust", "trust":
            yield from trust.with_others(state, trust.approval(item))
        case "trust", _:
            hint = f"`manyhands resume {s.slug}` asks again"
            error = f"not trusted: {item.summary}"
            yield e.SessionFailed(session=s.id, step="trust", error=error, hint=hint)


INTRODUCTION = "Carry out this plan. It was made by another session and a person approved it."


async def hand_over(hub: Hub, ref: str, item: str) -> NewView:
    """Comes before the plan is settled: cut off in between, it is done once all the same."""
    s = require_session(hub.state, ref)
    found = require_open(s, item)
    plan = str(found.detail.get("plan", ""))
    if found.kind != "plan" or not plan:
        raise BadInput(f"this {found.kind} holds no plan to hand over")
    asked = New(
        repo=s.repo,
        text=f"{INTRODUCTION}\n\n{plan}",
        name=f"{s.title} (plan)"[:LONGEST_TITLE],
        base=s.workspace.base if s.workspace.base_given else "",
        agent=s.main.agent,
        model=s.main.model,
        mode="edits",
        detach=True,
    )
    made = await new(hub, asked, command=CommandId(f"hand-over {found.id}"))
    note = f"The plan was handed to the session {made.slug}."
    await hub.record(e.NoteMade(session=s.id, turn=s.main.turn, text=note))
    return made
