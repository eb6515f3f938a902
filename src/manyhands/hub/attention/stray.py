"""Stray edits: an agent that changed the main checkout, or another session's worktree.

File tools name what they changed, at the latest when they have done it. A shell command is judged
by what changed while it ran: in every place that it names, and in the main checkout where it ran
for a moment only, since over minutes it would more likely be a person.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from msgspec.structs import replace

from manyhands.agents.permission.tools import SHELLS, WRITING, target
from manyhands.hub.core import Hub, Reactor, Rounds, fresh_item
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Option
from manyhands.model.clock import Instant
from manyhands.model.ids import SessionId
from manyhands.model.quoting import quoted
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.station.stray import Checkout, EndedCall, Strayed, find_strays

ALL = ""
REST_SECONDS = 1.0
"""Calls that finish meanwhile are judged together: many agents at once share one check."""
NAMING = WRITING | {"Delete", "Move"}
"""Tools that name the files that they change."""
JUDGED = NAMING | SHELLS
MOST_CALLS = 5000
MOST_PATHS = 50
OPTIONS = (Option("seen", "I have seen it"),)


@dataclass(frozen=True)
class _Finished:
    """A tool call to be judged by what changed between two moments."""

    session: Session
    tool: str
    input: dict[str, Any]
    is_error: bool
    began: Instant
    ended: Instant


class Strays(Reactor):
    """Looks at the tool calls that are committed; each is judged once it has finished."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._calls: dict[tuple[SessionId, str], e.ToolCalled] = {}
        self._answered: dict[SessionId, Instant] = {}
        self._queue: list[_Finished] = []
        self._rounds = Rounds(hub, lambda key: bool(self._queue), self._judge)
        hub.on(e.ToolCalled, self._called)
        hub.on(e.AttentionResolved, self._settled)
        hub.on(e.ToolFinished, self._finished)

    def _called(self, event: e.ToolCalled) -> None:
        # Of others only when they began: what one is may be told as late as at its end.
        kept = event if event.tool in JUDGED else replace(event, input={})
        self._calls[event.session, event.call] = kept
        if len(self._calls) > MOST_CALLS:
            del self._calls[next(iter(self._calls))]

    def _settled(self, event: e.AttentionResolved) -> None:
        self._answered[event.session] = event.at

    def _finished(self, event: e.ToolFinished) -> None:
        call = self._calls.pop((event.session, event.call), None)
        s = self._hub.state.session(event.session)
        tool = event.tool or (call.tool if call else "")
        if call is None or s is None or tool not in JUDGED:
            return
        given = call.input if event.input is None else event.input
        # While a person was asked, only the person can have changed anything.
        began = max(call.at, self._answered.get(event.session, ""))
        self._queue.append(_Finished(s, tool, given, event.is_error, began, event.at))
        self._rounds.consider(ALL)

    async def _judge(self, key: str) -> None:
        batch, self._queue = self._queue, []
        calls = [_ended(self._hub.state, one) for one in batch]
        for found in await find_strays(calls):
            await self._hub.decide(partial(_raised, batch[found.call], found))
        await asyncio.sleep(REST_SECONDS)


def _ended(state: State, one: _Finished) -> EndedCall:
    given = one.input
    return EndedCall(
        session=one.session.id,
        worktree=one.session.workspace.worktree,
        files=named(given) if one.tool in NAMING else None,
        doubtful=one.is_error,
        command=str(given.get("command", "")),
        since=_seconds(one.began),
        until=_seconds(one.ended),
        checkouts=foreign_checkouts(state, one.session),
    )


def named(input: Mapping[str, Any]) -> tuple[str, ...]:
    """Every file that a tool names; an agent may change many by one call."""
    paths = input.get("paths")
    return tuple(map(str, paths)) if isinstance(paths, list) and paths else (target(input),)


def foreign_checkouts(state: State, s: Session) -> list[Checkout]:
    others = [
        Checkout(o.workspace.worktree, o.id, o.main.in_turn)
        for o in state.all_sessions().values()
        if o.id != s.id and o.life.ready and not o.life.archived and not o.workspace.in_place
    ]
    return [*others, *([] if s.workspace.in_place else [Checkout(s.repo)])]


def _seconds(at: Instant) -> float:
    return datetime.fromisoformat(at).timestamp()


def _raised(one: _Finished, found: Strayed, state: State) -> Iterator[e.AnyEvent]:
    """What an open item tells already is not told again."""
    session = state.session(one.session.id) or one.session
    told = {
        path
        for item in session.inbox.items
        if item.kind == "stray_edit" and item.detail.get("place") == found.checkout.root
        for path in item.detail.get("paths", ())
    }
    new = [path for path in found.paths if path not in told][:MOST_PATHS]
    if new and not session.life.archived:
        item = _item(session, one, found, state.session(found.checkout.owner), new)
        yield e.AttentionRaised(session=session.id, turn=session.main.turn, item=item)


def _item(
    s: Session, call: _Finished, found: Strayed, owner: Session | None, paths: list[str]
) -> Attention:
    checkout = found.checkout
    where = f"the worktree of {owner.slug}" if owner else "the main checkout"
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    detail = {
        "place": checkout.root,
        "session": checkout.owner,
        "paths": paths,
        "tool": call.tool,
        "input": call.input,
        "way_back": way_back(checkout.root, owner, paths, found.fresh),
    }
    summary = f"{call.tool} changed {paths[0]}{more} in {where}"
    return fresh_item(s, "stray_edit", summary, detail, OPTIONS)


def way_back(root: str, owner: Session | None, paths: list[str], fresh: list[str]) -> list[str]:
    """Commands for a person, as a shell reads them; we ourselves do not touch what is not the
    session's."""
    git = ("git", "--literal-pathspecs", "-C", root)
    followed = [path for path in paths if path not in fresh]
    added = [f"{root}/{path}" for path in paths if path in fresh]
    seen = [quoted(*git, "diff", "--", *followed)] if followed else []
    if owner and owner.history.checkpoints:
        last = owner.history.checkpoints[-1].id
        return [*seen, quoted("manyhands", "rewind", owner.slug, last)]
    back = quoted(*git, "restore", "--", *followed)
    drop = quoted("rm", "-ri", "--", *added)
    return [
        *seen,
        *([f"{back}   # your own uncommitted changes too"] if followed else []),
        *([f"{drop}   # new there; it asks about each"] if added else []),
    ]
