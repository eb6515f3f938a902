"""Conversations beside the main one: a side question that cannot write, or a second agent.

They share the session's worktree. One that may write gets its turn only while no other does.
"""

from __future__ import annotations

import asyncio

import msgspec

from manyhands.agents.catalogue import agent_config, require_read_only, require_usable
from manyhands.contract.sessions import Answered, Opening
from manyhands.errors import NotFound
from manyhands.hub.core import Hub, require_ready, require_session, require_worktree, view_of
from manyhands.hub.fleet.say import require_words
from manyhands.model import events as e
from manyhands.model.ids import CommandId, ConversationId, MessageId, SessionId, fresh_id
from manyhands.model.state import State
from manyhands.store import Decision


async def converse(
    hub: Hub, ref: str, asked: Opening, *, command: CommandId | None = None
) -> Answered:
    require_words(asked.text)
    s = require_session(hub.state, ref)
    require_ready(s, f"`manyhands wait {s.slug}` first")
    await require_worktree(hub, s)
    name = asked.agent or s.main.agent
    await asyncio.to_thread(require_usable, name, hub.settings, hub.home)
    kind = agent_config(name, hub.settings).kind
    if not asked.writes:
        require_read_only(name, hub.settings)
    after = hub.store.last_seq

    def decide(state: State) -> Decision[ConversationId]:
        s = require_session(state, ref)
        require_ready(s, f"`manyhands wait {s.slug}` first")
        id = ConversationId(asked.conversation or fresh_id())
        opened = e.ConversationOpened(
            session=s.id,
            conversation=id,
            agent=name,
            kind=kind,
            model=asked.model or (s.main.model if name == s.main.agent else ""),
            writes=asked.writes,
        )
        if asked.conversation and all(c.id != id for c in s.others):
            raise NotFound(f"{s.slug} has no conversation {id!r}")
        message, turn = MessageId(fresh_id()), s.main.turn
        said = e.UserMessage(
            session=s.id, turn=turn, conversation=id, message=message, text=asked.text
        )
        return Decision((said,) if asked.conversation else (opened, said), id)

    id = await hub.write(decide, command=command)
    if asked.wait:
        await hub.until(lambda state: _at_rest(state, s.id, id))
    said = await _said(hub, s.id, id, after) if asked.wait else ""
    now_open = view_of(hub, s).conversations
    view = next(c for c in now_open if c.id == id)
    return Answered(**msgspec.structs.asdict(view), answer=said)


def _at_rest(state: State, session: SessionId, id: ConversationId) -> bool | None:
    s = state.session(session)
    c = next((c for c in s.others if c.id == id), None) if s else None
    if s is None or c is None or s.life.archived:
        return True
    waits = any(item.conversation == id for item in s.inbox.items)
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
