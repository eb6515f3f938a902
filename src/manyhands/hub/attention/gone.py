"""A session whose worktree is gone, or torn from its repository, says so at once.

Looked for whenever its agent did something or ended, when its keeper says something, and at the
hub's start: a glance at a few files. What was put right meanwhile settles the item.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from manyhands.errors import ManyhandsError
from manyhands.hub.core import Hub, Reactor, Rounds, fresh_item, worktree_of
from manyhands.hub.fleet.places import is_moving
from manyhands.model import events as e
from manyhands.model.attention.attention import GONE_OPTIONS, Resolution, tells_of_gone
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.station.worktree import find_harm, require_repository

EVENTS: tuple[type[e.Event], ...] = (
    *(e.ToolFinished, e.TurnFinished, e.AgentExited, e.KeeperExited),
    *(e.NoteMade, e.SessionRewound),
)


class WorktreeWatch(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self._told: set[SessionId] = set()
        """Of whose loss a person knows, who may have chosen to leave it so."""
        self._rounds = Rounds(hub, self._may_be_harmed, self._look)
        for kind in EVENTS:
            hub.on(kind, self._happened)
        hub.on(e.SessionRestored, self._restored)

    async def run(self) -> None:
        for id in list(self._hub.state.all_sessions()):
            self._rounds.consider(id)

    def _happened(self, event: e.Event) -> None:
        self._rounds.consider(event.session)

    def _restored(self, event: e.SessionRestored) -> None:
        """Where one of a repository is back, the repository is."""
        s = self._hub.state.session(event.session)
        for other in list(self._hub.state.all_sessions().values()):
            if s and other.repo == s.repo:
                self._rounds.consider(other.id)

    def _may_be_harmed(self, id: SessionId) -> bool:
        s = self._hub.state.session(id)
        return s is not None and _is_settled(s)

    async def _look(self, id: SessionId) -> None:
        s = self._hub.state.session(id)
        if s is None:
            return
        at = worktree_of(self._hub, s)
        try:
            require_repository(at.repository)
            harm = await find_harm(at)
        except ManyhandsError as error:
            harm = f"{error.message}; {error.hint}"
        is_news = bool(harm) and id not in self._told
        (self._told.add if harm else self._told.discard)(id)
        if is_news or (_items(s) and not harm):
            await self._hub.decide(partial(_told, id, harm))


def _is_settled(s: Session) -> bool:
    """Whether its files should be where they are said to be."""
    return s.life.ready and not s.life.archived and not is_moving(s)


def _items(s: Session) -> list[str]:
    return [item.id for item in s.inbox.items if tells_of_gone(item)]


def _told(id: SessionId, harm: str, state: State) -> Iterator[e.AnyEvent]:
    s = state.session(id)
    if s is None or not _is_settled(s):
        return
    for item in s.inbox.items:
        if tells_of_gone(item) and not harm:
            settled = Resolution(("seen",), text="it is whole again", by="hub")
            yield e.AttentionResolved(session=id, item=item.id, resolution=settled)
    if harm and not _items(s):
        kept = f", with checkpoint {s.history.checkpoints[-1].id}" if s.history.checkpoints else ""
        detail = {
            "gone": harm,
            "place": s.workspace.worktree,
            "text": f"{harm} ({s.workspace.worktree}). Bringing it back changes no file that is "
            f"there; where none is, its files come back{kept}.",
            "way_back": [f"manyhands restore {s.slug}"],
        }
        item = fresh_item(s, "stray_edit", f"{s.slug}: {harm}", detail, GONE_OPTIONS)
        yield e.AttentionRaised(session=id, turn=s.main.turn, item=item)
