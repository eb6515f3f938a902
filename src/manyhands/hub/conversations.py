"""Conversations beside the main one: a side question that cannot write, or a second agent.

They share the session's worktree. One that may write gets its turn only while no other does.
"""

from __future__ import annotations

import asyncio

import msgspec

from manyhands.agents.catalogue import agent_config, require_read_only, require_usable
from manyhands.errors import NotFound, NotPossible
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session, require_worktree
from manyhands.hub.say import require_words
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import CommandId, ConversationId, MessageId, SessionId, fresh_id
from manyhands.model.session import Conversation, Session
from manyhands.model.state import State
from manyhands.model.views import ConversationView, session_view
from manyhands.store import Decision


class Opening(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    text: str
    agent: str = ""
    """Default: the session's own."""
    model: str = ""
    writes: bool = False
    conversation: str = ""
    """Go on with one that is open."""
    wait: bool = False
    """Until the answer is there."""


class Answered(ConversationView, frozen=True, kw_only=True):
    answer: str = ""
    """What was said, with `wait`."""


async def converse(
    hub: Hub, ref: str, asked: Opening, *, command: CommandId | None = None
) -> Answered:
    require_words(asked.text)
    s = require_session(hub.state, ref)
    _require_open(s)
    name = asked.agent or s.agent
    await asyncio.to_thread(require_usable, name, hub.settings, hub.home)
    kind = agent_config(name, hub.settings).kind
    if not asked.writes:
        require_read_only(name, hub.settings)
    after = hub.store.last_seq

    def decide(state: State) -> Decision[ConversationId]:
        s = require_session(state, ref)
        _require_open(s)
        if asked.conversation:
            id, opened = _require_known(s, asked.conversation).id, []
        else:
            id = ConversationId(fresh_id())
            opened = [_opened(s, id, asked, name, kind)]
        return Decision((*opened, _words(s, id, asked)), id)

    id = await hub.write(decide, command=command)
    if asked.wait:
        await hub.waiters.until(lambda state: _at_rest(state, s.id, id))
    said = await _said(hub, s.id, id, after) if asked.wait else ""
    now_open = session_view(require_session(hub.state, s.id)).conversations
    view = next(c for c in now_open if c.id == id)
    return Answered(**msgspec.structs.asdict(view), answer=said)


def _require_open(s: Session) -> None:
    if s.archived:
        raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")
    if not s.ready:
        raise NotPossible(f"{s.slug} is not ready yet", hint=f"`manyhands wait {s.slug}` first")
    require_worktree(s)


def _require_known(s: Session, id: str) -> Conversation:
    found = next((c for c in s.conversations if c.id == id), None)
    if found is None:
        raise NotFound(f"{s.slug} has no conversation {id!r}")
    return found


def _opened(
    s: Session, id: ConversationId, asked: Opening, name: str, kind: e.AgentKind
) -> e.AnyEvent:
    return e.ConversationOpened(
        session=s.id,
        at=now(),
        conversation=id,
        agent=name,
        kind=kind,
        model=asked.model or (s.model if name == s.agent else ""),
        writes=asked.writes,
    )


def _words(s: Session, id: ConversationId, asked: Opening) -> e.AnyEvent:
    return e.UserMessage(
        session=s.id,
        at=now(),
        turn=s.turn,
        conversation=id,
        message=MessageId(fresh_id()),
        text=asked.text,
    )


def _at_rest(state: State, session: SessionId, id: ConversationId) -> bool | None:
    s = state.session(session)
    c = next((c for c in s.conversations if c.id == id), None) if s else None
    if s is None or c is None or s.archived:
        return True
    waits = any(item.conversation == id for item in s.attention)
    return True if waits or c.error or not (c.in_turn or c.undelivered) else None


async def _said(hub: Hub, session: SessionId, id: ConversationId, after: int) -> str:
    """All that the agent has said since, in its order."""
    texts: list[str] = []
    while page := await hub.store.events(after, session=session, limit=1000):
        facts = [e.decode(body) for _, body in page]
        mine = (f for f in facts if isinstance(f, e.AgentMessage) and f.conversation == id)
        texts += [fact.text for fact in mine]
        after = page[-1][0]
    return "\n\n".join(texts)
