"""The part of the fold that agents' events and people's words make."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from manyhands.model import events as e
from manyhands.model import session_budget
from manyhands.model.clock import Instant, seconds_between
from manyhands.model.review import replied
from manyhands.model.rules import Rule
from manyhands.model.session_parts import Answer, Context, Conversation, Limit, Message, Spent

if TYPE_CHECKING:
    from manyhands.model.session import Session

Change = dict[str, object]


def message_of(ev: e.UserMessage | e.FollowUpAdded) -> Message:
    return Message(ev.message, ev.text, ev.model, ev.effort, ev.attachments)


def _user_message(s: Session, ev: e.UserMessage) -> Change:
    undelivered = s.undelivered
    if all(m.id != ev.message for m in undelivered):
        undelivered = (*undelivered, message_of(ev))
    change: Change = {
        "undelivered": undelivered,
        "follow_ups": tuple(f for f in s.follow_ups if f.id != ev.message),
        "last_message": ev.text if ev.by == "human" else s.last_message,
        "queued_at": s.queued_at if s.undelivered else ev.at,
        "halted": False,
        "broken": False,
        "stillborn": 0,
        "limit": None,
    }
    if s.ready:
        change["error"] = change["hint"] = ""
    return change


def _follow_up(s: Session, ev: e.FollowUpAdded) -> Change:
    if any(f.id == ev.message for f in s.follow_ups):
        return {}
    return {"follow_ups": (*s.follow_ups, message_of(ev))}


def _follow_up_edited(s: Session, ev: e.FollowUpEdited) -> Change:
    def edited(f: Message) -> Message:
        return msgspec.structs.replace(f, text=ev.text) if f.id == ev.message else f

    return {"follow_ups": tuple(map(edited, s.follow_ups))}


def _delivered(s: Session, ev: e.MessageDelivered) -> Change:
    return {"undelivered": tuple(m for m in s.undelivered if m.id != ev.message), "notice": ""}


def _agent_started(s: Session, ev: e.AgentStarted) -> Change:
    change: Change = {
        "agent_session": ev.agent_session,
        "agent_pid": ev.pid,
        "steers": ev.steers,
        "heard_at": ev.at,
    }
    if ev.agent_session != s.agent_session:
        change["steps"] = 0
    if ev.model and not s.model:
        change["model"] = ev.model
    return change


def _agent_exited(s: Session, ev: e.AgentExited) -> Change:
    change: Change = {"agent_pid": 0, "in_turn": False, "place": _others_work(s), "reason": ""}
    change["held"] = False
    if not ev.expected:
        change |= {"deaths": s.deaths + 1, "broken": s.in_turn}
    return change


def _step(s: Session, ev: e.AgentMessage | e.ToolCalled) -> Change:
    # From its first step on the agent has a dialogue of its own to go on with.
    change: Change = {"steps": s.steps + 1, "deaths": 0, "fork": None, "heard_at": ev.at}
    answered = replied(s.reviewing, ev.text) if isinstance(ev, e.AgentMessage) else {}
    return change | answered | ({"reason": ""} if s.in_turn else {})


def _turn_started(s: Session, ev: e.TurnStarted) -> Change:
    return {
        "turn": max(ev.turn, s.turn),
        "mark": "",
        "in_turn": True,
        "place": True,
        "broken": False,
        "error": "",
        "hint": "",
        "heard_at": ev.at,
        "limit": None,
    }


def _turn_finished(s: Session, ev: e.TurnFinished) -> Change:
    change: Change = {"in_turn": False, "place": _others_work(s), "unread": True, "reason": ""}
    change["halted"] = ev.outcome == "interrupted"
    change["held"] = False
    change["mark"] = ev.mark
    if ev.outcome == "failed" and ev.limited:
        change["limit"] = Limit(ev.error, ev.resets_at)
    elif ev.outcome == "failed":
        change |= {"error": ev.error or "the turn failed", "step": "agent"}
        change["hint"] = f"`manyhands resume {s.slug}` tries again"
    return change


def _others_work(s: Session) -> bool:
    return any(c.in_turn for c in s.conversations)


def _usage(s: Session, ev: e.UsageRecorded) -> Change:
    day = ev.at[:10]
    spent = s.days.get(day, Spent())
    return {
        "cost_usd": s.cost_usd + ev.cost_usd,
        "estimated_usd": s.estimated_usd + (ev.cost_usd if ev.estimated else 0.0),
        "tokens_in": s.tokens_in + ev.tokens_in,
        "tokens_out": s.tokens_out + ev.tokens_out,
        "days": {**s.days, day: Spent(spent.usd + ev.cost_usd, spent.seconds)},
        "heard_at": ev.at,
    }


def _resolved(s: Session, ev: e.AttentionResolved) -> Change:
    item = next((i for i in s.attention if i.id == ev.item), None)
    if item is None:
        return {}
    change: Change = {"attention": tuple(i for i in s.attention if i.id != ev.item)}
    if item.kind in ("plan", "permission", "question"):
        change["answers"] = (*s.answers, Answer(item, ev.resolution))
    if item.kind == "limit":
        change["limit"] = None
    if item.kind == "budget":
        change |= session_budget.answered(s, item, ev)
    return change


def _session_rule(s: Session, ev: e.SessionRuleAdded) -> Change:
    rule = Rule(ev.tool, ev.command, ev.kind)
    return {} if rule in s.rules else {"rules": (*s.rules, rule)}


def _session_rule_removed(s: Session, ev: e.SessionRuleRemoved) -> Change:
    rule = Rule(ev.tool, ev.command, ev.kind)
    return {"rules": tuple(known for known in s.rules if known != rule)}


FOLDS: dict[type, Callable[[Session, Any], Change]] = {
    e.UserMessage: _user_message,
    e.FollowUpAdded: _follow_up,
    e.FollowUpEdited: _follow_up_edited,
    e.FollowUpDeleted: lambda s, ev: {
        "follow_ups": tuple(f for f in s.follow_ups if f.id != ev.message)
    },
    e.MessageDelivered: _delivered,
    e.AgentMessage: _step,
    e.ToolCalled: _step,
    e.ToolFinished: lambda s, ev: {"heard_at": ev.at},
    e.AgentStarted: _agent_started,
    e.AgentExited: _agent_exited,
    e.AgentHeld: lambda s, ev: {"held": ev.on},
    e.AgentRetried: lambda s, ev: {"reason": ev.text},
    e.TurnStarted: _turn_started,
    e.TurnFinished: _turn_finished,
    e.UsageRecorded: _usage,
    e.TodosChanged: lambda s, ev: {"todos": ev.todos},
    e.ContextMeasured: lambda s, ev: {"context": Context(ev.used, ev.limit)},
    e.CommandsListed: lambda s, ev: {"commands": ev.commands},
    e.EffortChanged: lambda s, ev: {"effort": ev.effort},
    e.BudgetChanged: session_budget.changed,
    e.AttentionResolved: _resolved,
    e.SessionRuleAdded: _session_rule,
    e.SessionRuleRemoved: _session_rule_removed,
}


# Conversations beside the main one


def fold_beside(s: Session, ev: e.AnyEvent) -> Change:
    """Only the conversation itself changes, and whether the session works at all."""
    known = next((c for c in s.conversations if c.id == ev.conversation), None)
    if isinstance(ev, e.ConversationOpened):
        opened = Conversation(
            id=ev.conversation, agent=ev.agent, kind=ev.kind, model=ev.model, writes=ev.writes
        )
        return {} if known else {"conversations": (*s.conversations, opened)}
    change = _beside(known, ev) if known else {}
    if known is None or not change:
        return {}
    now = msgspec.structs.replace(known, **change)
    after: Change = {
        "conversations": tuple(now if c.id == known.id else c for c in s.conversations)
    }
    if isinstance(ev, e.UserMessage) and not s.undelivered:
        after["queued_at"] = ev.at
    if isinstance(ev, e.TurnStarted):
        after["place"] = True
    if isinstance(ev, e.TurnFinished | e.AgentExited | e.SessionFailed):
        others = any(c.in_turn for c in s.conversations if c.id != known.id)
        after |= {"place": s.in_turn or others, "unread": True}
        after["held"] = s.held and (s.in_turn or others)
    return after


def _beside(c: Conversation, ev: e.AnyEvent) -> dict[str, Any]:
    match ev:
        case e.UserMessage():
            return {"undelivered": (*c.undelivered, message_of(ev)), "error": ""}
        case e.MessageDelivered():
            return {"undelivered": tuple(m for m in c.undelivered if m.id != ev.message)}
        case e.AgentStarted():
            return {"agent_session": ev.agent_session, "agent_pid": ev.pid}
        case e.TurnStarted():
            return {"in_turn": True, "error": ""}
        case e.TurnFinished():
            failed = ev.error or "the turn failed" if ev.outcome == "failed" else ""
            return {"in_turn": False, "error": failed}
        case e.AgentExited():
            died = "" if ev.expected or not c.in_turn else ev.reason or "the agent died"
            return {"in_turn": False, "agent_pid": 0, "error": died or c.error}
        case e.SessionFailed():
            return {"in_turn": False, "error": ev.error, "undelivered": ()}
    return {}


# Time at work


def timed(before: Session, after: Session, at: Instant) -> Change:
    """Time counts while an agent works and waits for nobody."""
    ran, runs = _runs(before), _runs(after)
    if ran == runs:
        return {}
    if runs:
        return {"running_since": at}
    day = at[:10]
    spent = after.days.get(day, Spent())
    seconds = spent.seconds + seconds_between(before.running_since, at)
    return {"running_since": "", "days": {**after.days, day: Spent(spent.usd, seconds)}}


def _runs(s: Session) -> bool:
    return (s.in_turn or any(c.in_turn for c in s.conversations)) and not s.is_held_up
