"""Boxes as far as the hub knows them: the machine's means, tried at its start, and what each
session asks for."""

from __future__ import annotations

from manyhands.config import Settings
from manyhands.contract.box import BoxDetail
from manyhands.errors import ManyhandsError
from manyhands.hub.core.hub import Hub, Reactor
from manyhands.hub.core.names import worktree_of
from manyhands.model import events as e
from manyhands.model.box import BoxWish, Means
from manyhands.model.boxed import DEFAULT, BoxHeld, holding, is_laxer, is_less, promise
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session
from manyhands.model.state import Repo
from manyhands.station.box import load_box_wish, load_means


class Boxes(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self.means = Means(reason="the machine was not looked at yet")
        self._repos: dict[SessionId, BoxWish] = {}
        """What the repository asks for, as the session's worktree had it last."""
        hub.on(e.WorktreeReady, lambda event: self._learn_later(event.session))

    async def run(self) -> None:
        for s in list(self._hub.state.all_sessions().values()):
            if s.life.ready and not s.life.archived:
                await self.learn(s)

    async def look(self) -> Means:
        """Try what the machine can do."""
        self.means = await load_means()
        return self.means

    async def learn(self, s: Session) -> None:
        """Read what its worktree asks for; one that cannot be read asks for nothing."""
        try:
            await self.wish(s)
        except (ManyhandsError, OSError):
            self._repos.pop(s.id, None)

    async def wish(self, s: Session) -> BoxWish:
        """What its next agent is to be started in; raises where the repository's config cannot be
        read."""
        repo = self._hub.state.repo(s.repo) or Repo(path=s.repo)
        at = worktree_of(self._hub, s)
        self._repos[s.id] = await load_box_wish(at, frozenset(repo.approved), repo.files)
        return self.wish_now(s)

    def wish_now(self, s: Session) -> BoxWish:
        """As it was read last."""
        return wish_of(s, self._repos.get(s.id, BoxWish()), self._hub.last_settings)

    def detail(self, s: Session) -> BoxDetail:
        return box_detail(s, self.means, self.wish_now(s))

    def machine_detail(self) -> BoxDetail:
        """What a session gets where nothing else is chosen."""
        wish = self._hub.last_settings.box.wish
        return _detail(holding(self.means, wish), wish, self.means)

    def _learn_later(self, session: SessionId) -> None:
        s = self._hub.state.session(session)
        if s is not None:
            self._hub.spawn(self.learn(s))


def wish_of(s: Session, repo: BoxWish, settings: Settings) -> BoxWish:
    """The session's own word, then its repository's, then the user's."""
    return s.boxing.wish.over(repo).over(settings.box.wish)


def box_detail(s: Session, means: Means, wish: BoxWish = DEFAULT) -> BoxDetail:
    """What holds around the agent that runs or ran last; else what would, were one started."""
    boxing, has_keeper = s.boxing, s.keeper.state != "none"
    entered = boxing.entered if has_keeper or not boxing.is_stale else None
    if entered is None:
        held = holding(means, wish, in_place=s.workspace.in_place)
        return _detail(held, wish, means, boxing.wish)
    held = BoxHeld(
        level=entered.level, by=entered.by, network=entered.network, reason=entered.reason
    )
    return _detail(held, wish, means, boxing.wish, pending=has_keeper and boxing.is_stale)


def _detail(
    held: BoxHeld, wish: BoxWish, means: Means, own: BoxWish = BoxWish(), *, pending: bool = False
) -> BoxDetail:
    wanted, wanted_network = wish.level or "full", wish.network or "open"
    lacks = is_less(held.level, wanted)
    why = [held.reason if lacks else "it was chosen" if held.level != "full" else ""]
    if held.level != "none" and is_laxer(held.network, wanted_network):
        why.append(f"its network is {held.network}, not {wanted_network}")
    return BoxDetail(
        level=held.level,
        by=held.by,
        network=held.network,
        wanted=wanted,
        wanted_network=wanted_network,
        own=own.level,
        own_network=own.network,
        reason="" if pending else "; ".join(filter(None, why)),
        fix=means.fix if lacks and not pending else "",
        promise=promise(held.level, held.network),
        pending=pending,
    )


def is_wanting(box: BoxDetail) -> bool:
    """Whether there is less than what is asked for."""
    less = is_less(box.level, box.wanted) or is_laxer(box.network, box.wanted_network)
    return less and not box.pending
