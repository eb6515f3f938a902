"""Ports of sessions: leased in one transaction, remembered by the log, free again at archive; and
the sweep that tells on which ones they really listen."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial

from manyhands.hub.core import Hub, Jobs, Reactor, worktree_of
from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.model.workspace.events import Listener
from manyhands.station.creation.worktrees import find_ports, load_port_names, set_ports
from manyhands.station.machine import Ports
from manyhands.store import Decision

LANE = "ports"
SWEEP_SECONDS = 2.0
MISSES = 3
"""So many sweeps in a row must miss a port before it is taken off the list."""


async def lease_ports(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    """Recorded at once, not with the step's end: two sessions must never see the same one free."""
    await _lease(hub, s, await load_port_names(worktree_of(hub, s)), {})
    return ()


async def restore_with_ports(hub: Hub, s: Session, restored: e.SessionRestored) -> None:
    """Record the restore, with the ports of before where they are still free."""
    await _lease(hub, s, tuple(s.workspace.ports), s.workspace.ports, restored)


async def _lease(
    hub: Hub, s: Session, names: tuple[str, ...], wanted: dict[str, int], *before: e.AnyEvent
) -> None:
    done = False
    # One at a time: what is noted for other homes to see is what the log says.
    async with hub.part(Jobs).lanes[LANE]:
        while not done:
            others = [o for o in hub.state.all_sessions().values() if o.id != s.id]
            ports = await find_ports(
                hub.home,
                names,
                hub.last_settings.workspaces.ports,
                taken=_ports(o for o in others if not o.life.archived),
                remembered=_ports(o for o in others if o.life.archived),
                wanted=wanted,
            )
            done = await hub.write(partial(_leased, s, ports, wanted, before))


async def tell_other_homes(hub: Hub) -> None:
    """Which ports this home holds, by its log."""
    async with hub.part(Jobs).lanes[LANE]:
        living = (o for o in hub.state.all_sessions().values() if not o.life.archived)
        await set_ports(hub.home, _ports(living))


def _leased(
    s: Session,
    ports: dict[str, int],
    wanted: dict[str, int],
    before: tuple[e.AnyEvent, ...],
    state: State,
) -> Decision[bool]:
    """False where another session was quicker to take one of them."""
    others = state.all_sessions().values()
    if _ports(o for o in others if o.id != s.id and not o.life.archived) & set(ports.values()):
        return Decision((), False)
    if ports == wanted:
        return Decision(before, True)
    return Decision((*before, e.PortsLeased(session=s.id, ports=ports)), True)


def _ports(sessions: Iterable[Session]) -> frozenset[int]:
    return frozenset(port for s in sessions for port in s.workspace.ports.values())


class PortWatch(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        hub.on(e.SessionArchived, lambda event: hub.spawn(tell_other_homes(hub)))

    async def run(self) -> None:
        await tell_other_homes(self._hub)
        hub, sweep, ports = self._hub, Sweep(), Ports()
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            sessions = [s for s in hub.state.all_sessions().values() if _may_listen(s)]
            if sessions:
                changed = sweep.changes(sessions, await ports.find())
                if changed:
                    await hub.record(*changed)


class Sweep:
    """A port that is gone for a moment, as at a restart of its server, is not gone."""

    def __init__(self) -> None:
        self._missed: dict[tuple[SessionId, int], int] = {}

    def changes(
        self, sessions: list[Session], listeners: list[Listener]
    ) -> list[e.ListeningChanged]:
        """What is new, and what has been missed often enough."""
        found: dict[str, dict[int, e.Listening]] = defaultdict(dict)
        for one in listeners:
            heard = found[one.session].get(one.port)
            if heard is None or one.pid < heard.pid:
                found[one.session][one.port] = e.Listening(one.port, one.pid, one.process)
        changed = []
        for s in sessions:
            heard_now = self._settled(s, found[s.id])
            if heard_now != s.workspace.listening:
                changed.append(e.ListeningChanged(session=s.id, listening=heard_now))
        return changed

    def _settled(self, s: Session, found: dict[int, e.Listening]) -> tuple[e.Listening, ...]:
        kept = dict(found)
        for old in s.workspace.listening:
            key = (s.id, old.port)
            if old.port in found:
                self._missed.pop(key, None)
                continue
            self._missed[key] = self._missed.get(key, 0) + 1
            if self._missed[key] < MISSES:
                kept[old.port] = old
            else:
                del self._missed[key]
        return tuple(kept[port] for port in sorted(kept))


def _may_listen(s: Session) -> bool:
    """What a session started may outlive its keeper, so one that ever worked is looked at."""
    return not s.life.archived and bool(
        s.keeper.epoch or s.workspace.listening or s.workspace.setup
    )
