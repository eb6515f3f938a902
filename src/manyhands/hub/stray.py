"""Stray edits: an agent that changed the main checkout, or another session's worktree.

File tools name what they changed. A shell command is judged by what changed while it ran: in
every place that it names, and in the main checkout where it ran for a moment only, since over
minutes it would more likely be a person.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.agents.policy import SHELLS, WRITING, target
from manyhands.errors import ManyhandsError
from manyhands.git.touched import Touched, load_touched
from manyhands.model import events as e
from manyhands.model.attention import Attention, Option
from manyhands.model.clock import Instant, now
from manyhands.model.ids import AttentionId, SessionId, fresh_id
from manyhands.model.session import Session
from manyhands.model.state import State
from manyhands.store import Batch, Decision

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

log = logging.getLogger(__name__)

MOMENT_SECONDS = 10.0
REST_SECONDS = 1.0
"""Calls that finish meanwhile are judged together: many agents at once share one look."""
MOST_CALLS = 5000
MOST_PATHS = 50
OPTIONS = (Option("seen", "I have seen it"),)


@dataclass(frozen=True)
class Place:
    """Somewhere that is not the session's own to change."""

    root: Path
    owner: Session | None = None
    """None for the main checkout."""


@dataclass(frozen=True)
class _Finished:
    """A tool call to be judged by what changed between two moments."""

    session: Session
    call: e.ToolCalled
    began: Instant
    ended: Instant


class Strays:
    """Looks at the tool calls that are committed; each is judged once it has finished."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._calls: dict[tuple[SessionId, str], e.ToolCalled] = {}
        self._answered: dict[SessionId, Instant] = {}
        self._queue: list[_Finished] = []
        self._judging = False

    def committed(self, batch: Batch) -> None:
        for event in batch.events:
            match event:
                case e.ToolCalled() if event.tool in WRITING | SHELLS:
                    self._calls[event.session, event.call] = event
                    if len(self._calls) > MOST_CALLS:
                        del self._calls[next(iter(self._calls))]
                case e.AttentionResolved():
                    self._answered[event.session] = event.at
                case e.ToolFinished():
                    self._finished(event)
                case _:
                    pass

    def _finished(self, event: e.ToolFinished) -> None:
        call = self._calls.pop((event.session, event.call), None)
        s = self._hub.state.session(event.session)
        if call is None or s is None or (event.is_error and call.tool in WRITING):
            return
        # While a person was asked, only the person can have changed anything.
        began = max(call.at, self._answered.get(event.session, ""))
        self._queue.append(_Finished(s, call, began, event.at))
        if not self._judging:
            self._judging = True
            self._hub.fleet.spawn(self._judge())

    async def _judge(self) -> None:
        try:
            while self._queue:
                batch, self._queue = self._queue, []
                work = [(one, foreign_places(self._hub.state, one.session)) for one in batch]
                for one, place, paths in await asyncio.to_thread(_look, work):
                    await self._hub.write(partial(_raised, one.session, one.call, place, paths))
                await asyncio.sleep(REST_SECONDS)
        finally:
            self._judging = False


def foreign_places(state: State, s: Session) -> list[Place]:
    others = [
        Place(Path(o.worktree), o)
        for o in state.all_sessions().values()
        if o.id != s.id and o.ready and not o.archived and not o.in_place
    ]
    return [*others, *([] if s.in_place else [Place(Path(s.repo))])]


Found = Iterator[tuple[Place, list[str]]]
Load = Callable[[Path], list[Touched]]


def _look(work: list[tuple[_Finished, list[Place]]]) -> list[tuple[_Finished, Place, list[str]]]:
    """Every checkout is looked at once for all of them."""
    load = functools.cache(load_touched)
    found = []
    for one, places in work:
        strayed = _named if one.call.tool in WRITING else partial(_changed, load)
        try:
            found += [(one, place, paths) for place, paths in strayed(one, places)]
        except (ManyhandsError, OSError) as error:
            log.info("whether session %s strayed cannot be told: %s", one.session.id, error)
    return found


def _named(one: _Finished, places: list[Place]) -> Found:
    """The file that a tool was told to write; links are followed."""
    own = Path(one.session.worktree)
    file = (own / target(one.call.input)).resolve()
    if file.is_relative_to(own.resolve()):
        return
    for place in places:
        root = place.root.resolve()
        if file.is_relative_to(root) and ".git" not in file.relative_to(root).parts:
            yield place, [str(file.relative_to(root))]
            return


def _changed(load: Load, one: _Finished, places: list[Place]) -> Found:
    since, until = _seconds(one.began), _seconds(one.ended)
    command = str(one.call.input.get("command", ""))
    for place in places:
        named = str(place.root) in command
        is_brief = place.owner is None and until - since <= MOMENT_SECONDS
        if not (named or is_brief) or not place.root.is_dir():
            continue
        if place.owner and place.owner.in_turn and not named:
            continue
        if paths := [found.path for found in load(place.root) if since <= found.at <= until]:
            yield place, paths


def _seconds(at: Instant) -> float:
    return datetime.fromisoformat(at).timestamp()


def _raised(
    s: Session, call: e.ToolCalled, place: Place, paths: list[str], state: State
) -> Decision[None]:
    """What an open item tells already is not told again."""
    session = state.session(s.id) or s
    told = {
        path
        for item in session.attention
        if item.kind == "stray_edit" and item.detail.get("place") == str(place.root)
        for path in item.detail.get("paths", ())
    }
    new = [path for path in paths if path not in told][:MOST_PATHS]
    if not new or session.archived:
        return Decision((), None)
    item = _item(session, call, place, new)
    raised = e.AttentionRaised(session=s.id, at=item.raised_at, turn=session.turn, item=item)
    return Decision((raised,), None)


def _item(s: Session, call: e.ToolCalled, place: Place, paths: list[str]) -> Attention:
    where = f"the worktree of {place.owner.slug}" if place.owner else "the main checkout"
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return Attention(
        id=AttentionId(fresh_id()),
        session=s.id,
        kind="stray_edit",
        summary=f"{call.tool} changed {paths[0]}{more} in {where}",
        detail={
            "place": str(place.root),
            "session": place.owner.id if place.owner else "",
            "paths": paths,
            "tool": call.tool,
            "input": call.input,
            "way_back": _way_back(place, paths),
        },
        options=OPTIONS,
        raised_at=now(),
    )


def _way_back(place: Place, paths: list[str]) -> list[str]:
    """Commands for a person; we ourselves do not touch what is not the session's."""
    named = " ".join(f"'{path}'" for path in paths[:3])
    look = f"git -C '{place.root}' diff -- {named}"
    if place.owner and place.owner.checkpoints:
        last = place.owner.checkpoints[-1].id
        return [look, f"manyhands rewind {place.owner.slug} {last}"]
    back = f"git -C '{place.root}' restore -- {named}   # your own uncommitted changes too"
    return [look, back]
