"""Settle an open item by one of its options; once, whoever answers first."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from manyhands.contract.sessions import New
from manyhands.contract.train import Boarding
from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.hub.archive.restore import restore
from manyhands.hub.attention.rules import permission_answered
from manyhands.hub.core import Hub, require_session
from manyhands.hub.creation import setup
from manyhands.hub.creation.new import new
from manyhands.hub.fleet.places import resumption
from manyhands.hub.fleet.stop import stop_conversations, withdrawal
from manyhands.hub.radar import words as conflict_words
from manyhands.hub.repos import shared, trust
from manyhands.hub.trackers import proposals, telling
from manyhands.hub.train.cars import board
from manyhands.model import events as e
from manyhands.model.attention.attention import (
    Attention,
    Resolution,
    require_resolution,
    takes,
    tells_of_gone,
)
from manyhands.model.clock import now
from manyhands.model.ids import CommandId
from manyhands.model.landing import events as le
from manyhands.model.session.session import Session
from manyhands.model.slug import LONGEST_TITLE
from manyhands.model.state import State
from manyhands.store import Decision


async def answer(
    hub: Hub, ref: str, item: str, resolution: Resolution, *, command: CommandId | None = None
) -> Attention:
    """`item` empty means the session's oldest open one that takes this answer."""
    if "hand-over" in resolution.options:
        item = await hand_over(hub, ref, item)
    followed = await _done_first(hub, ref, item, resolution)

    def decide(state: State) -> Decision[Attention]:
        s = require_session(state, ref)
        found = require_open(s, item, resolution)
        settled = require_resolution(found, resolution)
        resolved = e.AttentionResolved(
            session=s.id, turn=s.main.turn, item=found.id, resolution=settled
        )
        events = (
            resolved,
            *_what_follows(state, s, found, settled),
            *permission_answered(s, found, settled),
            *telling.after_answer(s, found, settled),
            *proposals.after_answer(s, found, settled),
            *followed,
        )
        return Decision(events, found.settled(settled, now()))

    made = await hub.write(decide, command=command)
    # As it is on record: the words as they were said are the agent's alone.
    clean = hub.redactor.value(msgspec.to_builtins(made))
    settled = msgspec.convert(clean, Attention)
    if settled.kind == "budget" and resolution.options == ("stop",):
        await stop_conversations(hub, settled.session)
    return settled


async def _done_first(
    hub: Hub, ref: str, item: str, resolution: Resolution
) -> tuple[e.AnyEvent, ...]:
    """What must have worked before the item is settled; facts to record with that."""
    s = require_session(hub.state, ref)
    found = next((i for i in s.inbox.items if i.id == item), None)
    if (item and found is None) or not s.inbox.items:
        return ()  # answered before, which the writing of it tells
    found = found or require_open(s, "", resolution)
    option = require_resolution(found, resolution).option
    if tells_of_gone(found) and option == "restore":
        await restore(hub, s.id, settles=False)
    if found.kind == "conflict" and option == "board":
        await board(hub, Boarding(sessions=(s.id,), into=found.detail["into"]))
    return tuple(await shared.answered(hub, s, found, option))


def require_open(s: Session, item: str, given: Resolution) -> Attention:
    if not s.inbox.items:
        raise NotPossible(f"{s.slug} has nothing open to answer", hint="`manyhands next` shows all")
    if not item:
        return _oldest_that_takes(s, given)
    found = next((i for i in s.inbox.items if i.id == item), None)
    if found is None:
        raise NotFound(f"{s.slug} has no open item {item!r}; it may have been answered already")
    return found


def _oldest_that_takes(s: Session, given: Resolution) -> Attention:
    by_age = sorted(s.inbox.items, key=lambda i: (not i.awake(now()), i.raised_at))
    found = next((i for i in by_age if takes(i, given)), None)
    if found or len(by_age) == 1:
        return found or by_age[0]  # whose refusal names its options
    said = ", ".join(given.options) or "words alone"
    offered = (f"{i.kind} {i.id}: {', '.join(o.id for o in i.options)}" for i in by_age)
    raise BadInput(
        f"none of the {len(by_age)} open items of {s.slug} can be answered by {said}",
        hint="; ".join(offered),
    )


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
        case "landing", "retry":
            is_review = item.detail.get("reason") == "reviews"
            yield le.WatchRenewed(session=s.id, reason="reviews" if is_review else "checks")
        case "trust", "trust":
            yield from trust.with_others(state, trust.approval(item))
        case "trust", _:
            hint = f"`manyhands resume {s.slug}` asks again"
            error = f"not trusted: {item.summary}"
            yield e.SessionFailed(session=s.id, step="trust", error=error, hint=hint)


INTRODUCTION = "Carry out this plan. It was made by another session and a person approved it."


async def hand_over(hub: Hub, ref: str, item: str) -> str:
    """The plan that was handed over. Comes before it is settled: cut off in between, it is done
    once all the same."""
    s = require_session(hub.state, ref)
    found = require_open(s, item, Resolution(("hand-over",)))
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
    return found.id
