"""What a keeper may tell: facts of its own session, of the kinds that keepers make.

A spool is a file of the user's, and so within reach of whatever an agent starts. What only a
person or the hub decides is therefore never taken from one: it becomes a note in the session's
log, under the same number, and an item for the person.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from manyhands.agents.permission.answers import MODE_AFTER
from manyhands.hub.core import Hub, fresh_item
from manyhands.model import events as e
from manyhands.model.attention.attention import SEEN_OPTIONS, Kind
from manyhands.model.clock import now
from manyhands.model.ids import SessionId
from manyhands.model.state import State

log = logging.getLogger(__name__)
TOLD_BY_KEEPERS = frozenset(
    [
        *(e.MessageDelivered, e.AnswerDelivered, e.AgentMessage, e.AgentThought),
        *(e.AgentStarted, e.AgentExited, e.AgentRetried, e.AgentHeld, e.SessionFailed),
        *(e.ToolCalled, e.ToolFinished, e.TurnStarted, e.TurnFinished, e.TodosChanged),
        *(e.UsageRecorded, e.ContextMeasured, e.Compacted, e.CommandsListed),
        *(e.ModeChanged, e.ModelChanged, e.EffortChanged, e.PermissionDecided, e.BoxEntered),
        *(e.PlanProposed, e.PermissionRequested, e.QuestionAsked, e.AttentionRaised),
        *(e.ServiceStarted, e.ServiceHealthy, e.ServiceUnhealthy, e.ServiceExited),
        *(e.AttentionResolved, e.DiffChanged, e.CheckpointMade, e.CheckpointFailed, e.NoteMade),
        *(e.TerminalOpened, e.TerminalExited),
        *(e.ConversationTaken, e.ConversationReturned, e.MessageTyped),
    ]
)
_JUDGED = (e.Raising, e.AttentionResolved, e.PermissionDecided, e.ModeChanged)
PLAIN = frozenset(kind for kind in TOLD_BY_KEEPERS if not issubclass(kind, _JUDGED))
"""Whose words are not looked at, beyond whom they are about."""
RAISED_BY_KEEPERS: tuple[Kind, ...] = ("plan", "permission", "question", "bell")
DECIDERS = ("human", "hub")
STRICTER: tuple[e.Mode, ...] = ("plan", "ask", "edits", "auto")
REFUSED = "What is not a keeper's to tell was refused: "
HOW_FAR_BACK = 2000
WARNING = "Something other than its keeper may have written into this session's spool"


async def admitted(
    hub: Hub, session: SessionId, bodies: Iterable[bytes | msgspec.Raw]
) -> list[e.Fact]:
    """As many facts as there were bodies; a note in place of each that is refused."""
    facts = [_admitted(session, _decoded(body)) for body in bodies]
    for place, fact in enumerate(facts):
        if type(fact) is e.ModeChanged:
            facts[place] = await _chosen(hub, session, fact)
    return facts


def _admitted(session: SessionId, fact: e.Fact) -> e.Fact:
    problem = _problem(session, fact)
    return _refusal(session, problem) if problem else fact


def _refusal(session: SessionId, problem: str) -> e.NoteMade:
    log.error("session %s: %s", session, problem)
    return e.NoteMade(session=session, at=now(), text=REFUSED + problem)


def _decoded(body: bytes | msgspec.Raw) -> e.Fact:
    try:
        return e.decode(body)
    except msgspec.MsgspecError as error:
        return e.Unknown(type=f"unreadable: {error}")


def _problem(session: SessionId, fact: e.Fact) -> str:
    if isinstance(fact, e.Unknown):
        return f"{fact.type!r}, which this hub does not know"
    if type(fact) in PLAIN and fact.session == session and fact.asked_by is None:
        return ""  # as nearly all are
    kind = str(fact.__struct_config__.tag)
    if fact.session != session:
        return f"{kind} of another session, {fact.session!r}"
    if type(fact) not in TOLD_BY_KEEPERS:
        return f"{kind}, which no keeper tells"
    if fact.asked_by is not None or _decider(fact) in DECIDERS:
        return f"{kind} in the name of a person"
    if isinstance(fact, e.Raising) and fact.item.kind not in RAISED_BY_KEEPERS:
        return f"an item of the kind {fact.item.kind}, which no keeper raises"
    if isinstance(fact, e.Raising) and fact.item.session != session:
        return f"an item of another session, {fact.item.session!r}"
    return ""


def _decider(fact: e.AnyEvent) -> str:
    if isinstance(fact, e.AttentionResolved):
        return fact.resolution.by
    return fact.by if isinstance(fact, e.PermissionDecided) else ""


async def _chosen(hub: Hub, session: SessionId, fact: e.ModeChanged) -> e.Fact:
    """A keeper enters a mode that allows more only because a person chose it, with a plan. What a
    person chose by hand is on record before the keeper hears of it; told late, it is over."""
    s = hub.state.session(session)
    if s is None or STRICTER.index(fact.mode) <= STRICTER.index(s.mode):
        return fact
    newest = True
    for _, body in reversed(await hub.store.last_events(session, HOW_FAR_BACK)):
        match e.decode(body):
            case e.AttentionResolved(resolution=chosen) if newest and chosen.option in MODE_AFTER:
                if MODE_AFTER[chosen.option] == fact.mode:
                    return fact
            case e.ModeChanged(mode=mode) | e.SessionCreated(mode=mode):
                newest = False
                if mode == fact.mode:
                    return msgspec.structs.replace(fact, mode=s.mode)
    return _refusal(session, f"the mode {fact.mode}, which nobody chose")


def reaction(hub: Hub, state: State, facts: Sequence[e.Fact]) -> Sequence[e.Fact]:
    """What follows from admitted facts."""
    return (*hub.react(state, facts), *_warnings(state, facts))


def _warnings(state: State, facts: Sequence[e.Fact]) -> Iterator[e.AnyEvent]:
    """One is enough while it is open."""
    for fact in facts:
        if isinstance(fact, e.NoteMade) and fact.text.startswith(REFUSED):
            s = state.session(fact.session)
            if s is not None and not any(item.summary == WARNING for item in s.inbox.items):
                detail = {"text": fact.text}
                item = fresh_item(s, "bell", WARNING, detail, SEEN_OPTIONS)
                yield e.AttentionRaised(session=s.id, at=now(), turn=s.main.turn, item=item)
            return
