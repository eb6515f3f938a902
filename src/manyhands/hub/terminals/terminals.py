"""Open, list, change, kill, restart and close a session's terminals; their keeper owns them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from functools import partial
from pathlib import PurePath

from manyhands.contract.terminals import TerminalChange, TerminalOpening, TerminalView
from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.hub.core import Hub, Onlookers, require_living, require_session, terminal_views
from manyhands.hub.fleet.fleet import Fleet
from manyhands.hub.fleet.link import KeeperLink, Links
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.ids import SessionId, TerminalId, fresh_id
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.model.terminal.terminals import TerminalState

MOST = 64
LONGEST_NAME = 64
LONGEST_COMMAND = 64 * 1024
TRIES = 3
GONE_SECONDS = 30.0
ENDING = "this keeper is about to end"


class Openings:
    """One at a time in each session: two never get the same name."""

    def __init__(self, hub: Hub) -> None:
        self.locks: defaultdict[SessionId, asyncio.Lock] = defaultdict(asyncio.Lock)


async def terminals(hub: Hub, ref: str) -> tuple[TerminalView, ...]:
    """A session's terminals, in their order."""
    return terminal_views(hub, require_session(hub.state, ref))


async def open_terminal(hub: Hub, ref: str, asked: TerminalOpening) -> TerminalView:
    """Make one, or give the one of that name that runs."""
    session = require_session(hub.state, ref).id
    require_command(asked.command)
    async with hub.part(Openings).locks[session]:
        s = require_session(hub.state, session)
        require_living(s)
        name = _require_name(asked.name) if asked.name else _free_name(s, asked.command)
        known = _named(s, name)
        if known is not None and known.runs:
            return view_of_terminal(hub, session, known.id)
        _require_own(s, known)
        if known is None and len(s.terminals) >= MOST:
            raise NotPossible(f"{s.slug} has {MOST} terminals already", hint="close one first")
        id = known.id if known else TerminalId(fresh_id())
        await _start(hub, s, _opening(id, name, asked, known))
        return view_of_terminal(hub, session, id)


async def restart_terminal(hub: Hub, ref: str, name: str) -> TerminalView:
    """Its program anew, after the end of the one that runs."""
    session = require_session(hub.state, ref).id
    async with hub.part(Openings).locks[session]:
        s = require_session(hub.state, session)
        require_living(s)
        known = require_terminal(s, name)
        _require_own(s, known)
        await _end(hub, s, known)
        rows, columns = hub.part(Onlookers).sizes.get(known.id, (24, 80))
        size = TerminalOpening(rows=rows, columns=columns)
        await _start(hub, s, _opening(known.id, known.name, size, known))
        return view_of_terminal(hub, session, known.id)


async def kill_terminal(hub: Hub, ref: str, name: str) -> TerminalView:
    """End its program: hang up, TERM, KILL."""
    s = require_session(hub.state, ref)
    known = require_terminal(s, name)
    await _end(hub, s, known)
    return view_of_terminal(hub, s.id, known.id)


async def close_terminal(hub: Hub, ref: str, name: str) -> tuple[TerminalView, ...]:
    """End its program and take it off the list."""
    s = require_session(hub.state, ref)
    known = require_terminal(s, name)
    await _end(hub, s, known)
    await hub.decide(partial(_closed, session=s.id, terminal=known.id))
    hub.part(Onlookers).forget(known.id)
    return await terminals(hub, s.id)


async def change_terminal(hub: Hub, ref: str, name: str, asked: TerminalChange) -> TerminalView:
    """Another name, another place in the list, or whether its bell is told."""
    s = require_session(hub.state, ref)
    known = require_terminal(s, name)
    called = known.name if asked.name is None else _require_name(asked.name)
    await hub.decide(partial(_changed, session=s.id, terminal=known.id, name=called, asked=asked))
    link = hub.part(Links).live.get(s.id)
    if asked.bell is not None and known.runs and link is not None:
        await link.do(fresh_id(12), wire.SetBell(terminal=known.id, on=asked.bell))
    return view_of_terminal(hub, s.id, known.id)


def _changed(
    state: State, *, session: SessionId, terminal: TerminalId, name: str, asked: TerminalChange
) -> list[e.AnyEvent]:
    s = require_session(state, session)
    at, known = next((n, t) for n, t in enumerate(s.terminals) if t.id == terminal)
    other = _named(s, name)
    if other is not None and other.id != terminal:
        raise NotPossible(f"{s.slug} has a terminal called {name!r} already")
    place = at if asked.position is None else min(max(asked.position, 0), len(s.terminals) - 1)
    bell = known.bell if asked.bell is None else asked.bell
    if (name, place, bell) == (known.name, at, known.bell):
        return []
    return [
        e.TerminalChanged(session=session, terminal=terminal, name=name, position=place, bell=bell)
    ]


def _closed(state: State, *, session: SessionId, terminal: TerminalId) -> list[e.AnyEvent]:
    s = require_session(state, session)
    is_there = any(one.id == terminal for one in s.terminals)
    return [e.TerminalClosed(session=session, terminal=terminal)] if is_there else []


def opening_of(s: Session, command: tuple[str, ...], rows: int, columns: int) -> wire.OpenTerminal:
    """The terminal in which the agent's own program ran last, or a new one."""
    known = next((one for one in s.terminals if one.takes and not one.runs), None)
    if known is None and len(s.terminals) >= MOST:
        raise NotPossible(f"{s.slug} has {MOST} terminals already", hint="close one first")
    id, name = (known.id, known.name) if known else (TerminalId(fresh_id()), _free_name(s, command))
    return _opening(id, name, TerminalOpening(rows=rows, columns=columns), known)


def _require_own(s: Session, known: TerminalState | None) -> None:
    """Started anew by itself, the agent's own program would go on beside the agent."""
    if known is not None and known.takes:
        raise NotPossible(
            f"{known.name} is for the agent's own program",
            hint=f"`manyhands take {s.slug}` starts it",
        )


def _opening(
    id: TerminalId, name: str, asked: TerminalOpening, known: TerminalState | None
) -> wire.OpenTerminal:
    return wire.OpenTerminal(
        terminal=id,
        name=name,
        program=asked.command or (known.command if known else ()),
        rows=asked.rows,
        columns=asked.columns,
        bell=known.bell if known else False,
    )


async def _start(hub: Hub, s: Session, command: wire.OpenTerminal) -> None:
    for _ in range(TRIES):
        link = await hub.part(Fleet).require_keeper(s.id)
        error = await told(link, command)
        if not error:
            return
        if error != ENDING:
            raise NotPossible(error)
        await _until_gone(hub, link)
    raise NotPossible("its keeper came to an end again and again", hint="see the home's logs")


async def told(link: KeeperLink, command: wire.AnyTerminalCommand | wire.AnyTaking) -> str:
    try:
        return await link.do(fresh_id(12), command)
    except ConnectionError:
        return ENDING


async def _until_gone(hub: Hub, link: KeeperLink) -> None:
    def gone(state: State) -> bool | None:
        s = state.session(link.session)
        return (
            True if s is None or s.keeper.epoch != link.epoch or s.keeper.state == "none" else None
        )

    try:
        async with asyncio.timeout(GONE_SECONDS):
            await hub.until(gone)
    except TimeoutError:
        raise NotPossible("its keeper does not end", hint="try again in a while") from None


async def _end(hub: Hub, s: Session, one: TerminalState) -> None:
    """Returns when its end is on record; one without a keeper has ended with it."""
    if not one.runs or s.keeper.state == "none":
        return
    link = await hub.part(Fleet).require_keeper(s.id)
    error = await told(link, wire.EndTerminal(terminal=one.id))
    if error == ENDING:
        await _until_gone(hub, link)
    elif error:
        raise NotPossible(error)


def require_terminal(s: Session, name: str) -> TerminalState:
    found = _named(s, name)
    if found is None:
        hint = f"`manyhands term {s.slug} --list` lists them"
        raise NotFound(f"{s.slug} has no terminal called {name!r}", hint=hint)
    return found


def _named(s: Session, name: str) -> TerminalState | None:
    return next((one for one in s.terminals if one.name == name), None)


def view_of_terminal(hub: Hub, session: SessionId, terminal: TerminalId) -> TerminalView:
    s = require_session(hub.state, session)
    for one, view in zip(s.terminals, terminal_views(hub, s), strict=True):
        if one.id == terminal:
            return view
    raise NotFound("the terminal was closed meanwhile")


def _require_name(name: str) -> str:
    if not name.strip() or len(name) > LONGEST_NAME or "/" in name or not name.isprintable():
        raise BadInput(f"a terminal's name has 1 to {LONGEST_NAME} printable characters and no /")
    return name.strip()


def require_command(command: tuple[str, ...]) -> None:
    if command and not command[0]:
        raise BadInput("the command has no name")
    if any("\0" in word for word in command):
        raise BadInput("a command has no NUL characters")
    if sum(map(len, command)) > LONGEST_COMMAND:
        raise BadInput(f"a command has {LONGEST_COMMAND // 1024} KB at most")


def _free_name(s: Session, command: tuple[str, ...]) -> str:
    said = PurePath(command[0]).name if command else "shell"
    plain = "".join(c for c in said if c.isprintable())[: LONGEST_NAME - 4].strip() or "shell"
    taken = {one.name for one in s.terminals}
    numbered = (f"{plain}-{n}" for n in range(2, MOST + 2))
    return next(name for name in (plain, *numbered) if name not in taken)
