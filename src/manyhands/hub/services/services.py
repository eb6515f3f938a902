"""Starting and stopping services: what is to run is recorded, and its keeper makes it so.

A start is refused before anything is recorded where it cannot be: the session has no keeper to
give, its config is not trusted as it is now, or what it names is not there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from manyhands.contract.services import ServiceLogView, ServiceView
from manyhands.errors import BadInput, ManyhandsError, NotFound, NotPossible, NotTrusted
from manyhands.hub.core import Hub, require_living, require_ready, require_session, worktree_of
from manyhands.hub.core.previews import Previews
from manyhands.hub.core.work import Held
from manyhands.hub.fleet.fleet import Fleet
from manyhands.hub.repos.trust import question, require_trusted_worktree
from manyhands.hub.services.views import service_views
from manyhands.model import events as e
from manyhands.model.ids import CommandId, SessionId, fresh_id
from manyhands.model.quoting import quoted
from manyhands.model.service.order import start_order
from manyhands.model.service.spec import ServiceSpec
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.station import services as station

Specs = Mapping[str, ServiceSpec]
LONGEST_WAIT = 25.0
STOP_SECONDS = 45.0


async def services(hub: Hub, ref: str) -> list[ServiceView]:
    """All of a session, whether they run or not."""
    s = require_session(hub.state, ref)
    require_living(s)
    specs = await _load(hub, s) if s.life.has_worktree else {}
    return service_views(hub.part(Previews), _newest(hub, s), specs)


async def all_services(hub: Hub) -> list[ServiceView]:
    """Of every living session; of one whose config has a mistake, those that run."""
    found: list[ServiceView] = []
    for s in list(hub.state.all_sessions().values()):
        if s.life.archived or not s.life.has_worktree:
            continue
        try:
            specs: Specs = await _load(hub, s)
        except (ManyhandsError, OSError):
            specs = {}
        found += service_views(hub.part(Previews), _newest(hub, s), specs)
    return found


async def start_service(hub: Hub, ref: str, name: str = "") -> list[ServiceView]:
    """The named one with all that it needs, or all; what runs already goes on."""
    s, specs, names = await _chosen(hub, ref, name)
    await _require_startable(hub, s)
    await hub.decide(partial(wanting, s.id, specs, start_order(specs, names), frozenset()))
    return _of(hub, s, specs, names)


async def restart_service(hub: Hub, ref: str, name: str = "") -> list[ServiceView]:
    """Anew, as the config has it now; what it needs is started where it does not run."""
    s, specs, names = await _chosen(hub, ref, name)
    await _require_startable(hub, s)
    order = start_order(specs, names)
    await hub.decide(partial(wanting, s.id, specs, order, frozenset(names)))
    return _of(hub, s, specs, names)


async def stop_service(hub: Hub, ref: str, name: str = "") -> list[ServiceView]:
    """The named one, or all; what does not run is left as it is."""
    s = require_session(hub.state, ref)
    require_living(s)
    specs = await _specs_or_none(hub, s)
    if name and name not in s.services and name not in specs:
        raise _unknown(s, name, specs)
    names = [name] if name else list(s.services)
    await hub.decide(partial(_unwanting, s.id, names))
    await _until_over(hub, s.id, names)
    return _of(hub, s, specs, names)


async def service_log(
    hub: Hub, ref: str, name: str, after: int | None = None, find: str = "", wait: float = 0.0
) -> ServiceLogView:
    """What a service said from byte `after` on, or at last; held open for at most `wait` seconds
    until there is more. With `find`, the lines that hold those words."""
    s = require_session(hub.state, ref)
    specs = {} if s.life.archived else await _specs_or_none(hub, s)
    if name not in s.services and name not in specs:
        raise _unknown(s, name, specs)
    at = worktree_of(hub, s)
    if find:
        end, text = await station.find_in_log(at, name, find)
        begin = 0
    else:
        if after is not None and wait > 0:
            await station.wait_for_log(at, name, after, min(wait, LONGEST_WAIT))
        begin, end, text = await station.load_log(at, name, after)
    known = _newest(hub, s).services.get(name)
    state = known.state if known else "stopped"
    return ServiceLogView(session=s.id, name=name, state=state, begin=begin, next=end, text=text)


def wanting(
    id: SessionId, specs: Specs, order: Iterable[str], anew: frozenset[str], state: State
) -> Iterator[e.AnyEvent]:
    """That these are to run: those that do not, and those that are to run anew."""
    s = state.session(id)
    if s is None or s.life.archived:
        return
    for name in order:
        known = s.services.get(name)
        if known is None or not known.wanted or name in anew:
            ask = CommandId(fresh_id(12))
            yield e.ServiceWanted(session=id, name=name, ask=ask, spec=specs[name])


def _unwanting(id: SessionId, names: Iterable[str], state: State) -> Iterator[e.AnyEvent]:
    s = state.session(id)
    for name in names:
        known = s.services.get(name) if s else None
        if known is not None and (not known.is_over or not known.declined):
            yield e.ServiceUnwanted(session=id, name=name, ask=known.ask)


async def _until_over(hub: Hub, id: SessionId, names: list[str]) -> None:
    """Its keeper ends each within bounds."""

    def is_over(state: State) -> bool | None:
        s = state.session(id)
        known = (s.services.get(name) for name in names) if s else ()
        return True if all(one is None or not one.pid for one in known) else None

    try:
        async with asyncio.timeout(STOP_SECONDS):
            await hub.until(is_over)
    except TimeoutError:
        raise NotPossible(
            f"{', '.join(names)}: asked to stop, and its keeper has not said that it did",
            hint="`manyhands service ls` shows when it has",
        ) from None


async def _chosen(hub: Hub, ref: str, name: str) -> tuple[Session, Specs, list[str]]:
    s = require_session(hub.state, ref)
    require_ready(s)
    specs = await _load(hub, s)
    if name:
        if name not in specs:
            raise _unknown(s, name, specs)
        return s, specs, [name]
    named = [spec.name for spec in specs.values() if spec.origin == "config"]
    if not named and len(specs) > 1:
        raise BadInput(
            f"{s.slug} has no [services], and several were found: {', '.join(specs)}",
            hint=f"say which: `manyhands service start {s.slug} {next(iter(specs))}`",
        )
    if not specs:
        raise NotFound(
            f"{s.slug} has no services, and none were found in its worktree",
            hint="name one under [services.NAME] in .manyhands.toml, with its `command`",
        )
    return s, specs, named or list(specs)


async def _require_startable(hub: Hub, s: Session) -> None:
    """What would run is trusted as it is now, and there is a keeper to own it."""
    try:
        await require_trusted_worktree(hub, s)
    except Held as held:
        item = held.item
        await hub.decide(lambda state: question(state, s, item))
        raise NotTrusted(
            f"no service of {s.slug} is started: {item.summary}",
            hint=f"look at it and answer: `manyhands answer {s.slug} --option trust`; then again",
        ) from None
    await hub.part(Fleet).require_keeper(s.id)


def _unknown(s: Session, name: str, specs: Specs) -> NotFound:
    there = f"there are: {', '.join(specs)}" if specs else "there are none"
    return NotFound(
        f"{s.slug} has no service {name!r}; {there}",
        hint=f"`manyhands service ls {quoted(s.slug)}` shows them",
    )


async def _load(hub: Hub, s: Session) -> Specs:
    return await station.load_services(worktree_of(hub, s), s.workspace.ports)


async def _specs_or_none(hub: Hub, s: Session) -> Specs:
    """A mistake in a config keeps nobody from stopping or reading what ran before."""
    try:
        return await _load(hub, s)
    except (ManyhandsError, OSError):
        return {}


def _of(hub: Hub, s: Session, specs: Specs, names: list[str]) -> list[ServiceView]:
    newest = _newest(hub, s)
    every = {**{name: one.spec for name, one in newest.services.items()}, **specs}
    shown = {name: every[name] for name in names if name in every}
    return [view for view in service_views(hub.part(Previews), newest, shown) if view.name in shown]


def _newest(hub: Hub, s: Session) -> Session:
    return hub.state.session(s.id) or s
