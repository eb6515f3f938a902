"""Stray edits: an agent that changed the main checkout, or another session's worktree.

File tools name what they changed. A shell command is judged by what changed while it ran: in
every place that it names, and in the main checkout where it ran for a moment only, since over
minutes it would more likely be a person.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from manyhands.agents.policy import SHELLS, WRITING, target
from manyhands.errors import ManyhandsError
from manyhands.git.touched import touched_between
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
MOST_CALLS = 5000
MOST_PATHS = 50
OPTIONS = (Option("seen", "I have seen it"),)


@dataclass(frozen=True)
class Place:
    """Somewhere that is not the session's own to change."""

    root: Path
    owner: Session | None = None
    """None for the main checkout."""


class Strays:
    """Looks at the tool calls that are committed; each is judged once it has finished."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._calls: dict[tuple[SessionId, str], e.ToolCalled] = {}
        self._answered: dict[SessionId, Instant] = {}

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
        self._hub.fleet.spawn(self._judge(s, call, began, event.at))

    async def _judge(self, s: Session, call: e.ToolCalled, began: Instant, ended: Instant) -> None:
        places = foreign_places(self._hub.state, s)
        try:
            look = _named if call.tool in WRITING else _changed
            found = await asyncio.to_thread(look, s, call, places, began, ended)
        except (ManyhandsError, OSError) as error:
            log.info("whether session %s strayed cannot be told: %s", s.id, error)
            return
        for place, paths in found:
            await self._hub.write(partial(_raised, s, call, place, paths))


def foreign_places(state: State, s: Session) -> list[Place]:
    others = [
        Place(Path(o.worktree), o)
        for o in state.all_sessions().values()
        if o.id != s.id and o.ready and not o.archived and not o.in_place
    ]
    return [*others, *([] if s.in_place else [Place(Path(s.repo))])]


Found = list[tuple[Place, list[str]]]


def _named(
    s: Session, call: e.ToolCalled, places: list[Place], began: Instant, ended: Instant
) -> Found:
    """The file that a tool was told to write; links are followed."""
    file = (Path(s.worktree) / target(call.input)).resolve()
    if file.is_relative_to(Path(s.worktree).resolve()):
        return []
    for place in places:
        root = place.root.resolve()
        if file.is_relative_to(root) and ".git" not in file.relative_to(root).parts:
            return [(place, [str(file.relative_to(root))])]
    return []


def _changed(
    s: Session, call: e.ToolCalled, places: list[Place], began: Instant, ended: Instant
) -> Found:
    since, until = _seconds(began), _seconds(ended)
    command = str(call.input.get("command", ""))
    found = []
    for place in places:
        named = str(place.root) in command
        is_brief = place.owner is None and until - since <= MOMENT_SECONDS
        if not (named or is_brief) or not place.root.is_dir():
            continue
        if place.owner and place.owner.in_turn and not named:
            continue
        if paths := touched_between(place.root, since, until):
            found.append((place, paths))
    return found


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
