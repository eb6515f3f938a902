"""Take a conversation over in its agent's own program, and give it back to the hub."""

from __future__ import annotations

from manyhands.agents.own_screen import require_own_screen
from manyhands.contract.sessions import SessionView
from manyhands.contract.terminals import TakeRequest, TerminalView
from manyhands.errors import NotPossible
from manyhands.hub.core import Hub, require_living, require_session, view_of
from manyhands.hub.core.asking import asking
from manyhands.hub.fleet.fleet import Fleet
from manyhands.hub.fleet.stop import stop
from manyhands.hub.terminals import terminals
from manyhands.model import wire
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session
from manyhands.model.state import State

NAME = ("claude",)


async def take(hub: Hub, ref: str, asked: TakeRequest) -> TerminalView:
    """A turn that runs is stopped first. Taken over already, it is the terminal in which it is."""
    session = require_session(hub.state, ref).id
    async with hub.part(terminals.Openings).locks[session]:
        s = require_session(hub.state, session)
        if s.main.taken is None:
            _require_takeable(s)
            if _is_at_work(s):
                await stop(hub, session)
            await _take(hub, require_session(hub.state, session), asked)
        taken = require_session(hub.state, session).main.taken
        if taken is None:
            raise NotPossible(f"the agent's own program ended at once in {s.slug}")
        return terminals.view_of_terminal(hub, session, taken.terminal)


def _require_takeable(s: Session) -> None:
    require_living(s)
    require_own_screen(s.main.agent, s.main.kind)
    if s.life.error:
        raise NotPossible(f"{s.slug} has failed: {s.life.error}", hint=s.life.hint)
    if not s.main.steps or s.main.fork:
        hint = f"`manyhands say {s.slug} …` first: the first turn begins the conversation"
        raise NotPossible(f"{s.slug} has no conversation to take over yet", hint=hint)


def _is_at_work(s: Session) -> bool:
    waits = any(c.undelivered for c in s.conversations.values())
    return s.works or s.place.granted or waits or bool(s.inbox.answers) or s.main.broken


async def _take(hub: Hub, s: Session, asked: TakeRequest) -> None:
    asker = asking.get()
    command = wire.TakeOver(
        terminal=terminals.opening_of(s, NAME, asked.rows, asked.columns),
        by=f"{asker.via}: {asker.token}" if asker else "",
    )
    link = await hub.part(Fleet).require_keeper(s.id)
    if not link.can_take:
        raise NotPossible(
            "its keeper is of an earlier version, which cannot do that",
            hint="`manyhands down --all` and `manyhands up` replace it",
        )
    error = await terminals.told(link, command)
    if error:
        raise NotPossible(f"{s.slug} could not be taken over: {error}")


async def give(hub: Hub, ref: str) -> SessionView:
    """Ends the agent's own program; returns when what it did is on record. What is not taken over
    is left as it is."""
    s = require_session(hub.state, ref)
    if s.main.taken is not None and s.keeper.state != "none":
        link = await hub.part(Fleet).require_keeper(s.id)
        error = await terminals.told(link, wire.GiveBack())
        if error and error != terminals.ENDING:
            raise NotPossible(f"{s.slug} could not be given back: {error}")
        await hub.until(lambda state: _is_back(state, s.id))
    return view_of(hub, require_session(hub.state, s.id))


def _is_back(state: State, session: SessionId) -> bool | None:
    s = state.session(session)
    return True if s is None or s.main.taken is None else None
