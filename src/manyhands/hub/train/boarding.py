"""Which car a session would be: its committed work as it is now, if it can land at all."""

from __future__ import annotations

from manyhands.contract.train import Boarding
from manyhands.errors import NotFound, NotPossible
from manyhands.hub.core import Hub, require_ready, worktree_of
from manyhands.hub.landing.desk import is_at_work
from manyhands.model.ids import fresh_id
from manyhands.model.session.session import Session
from manyhands.model.train import events as t
from manyhands.station.landing import checks
from manyhands.station.landing import merge as merging


async def boarded(
    hub: Hub, s: Session, asked: Boarding, by: t.JoinedBy = "person", round: int = 0
) -> t.CarAdded:
    """The car that a session would be; raises where it can be none."""
    require_ready(s)
    if is_at_work(s):
        raise NotPossible(
            f"the agent of {s.slug} is at work", hint=f"`manyhands stop {s.slug}` first, or wait"
        )
    at, settings = worktree_of(hub, s), hub.settings.train
    ends = await merging.load_ends(at, asked.into)
    if ends.changed:
        more = f" and {len(ends.changed) - 1} more" if len(ends.changed) > 1 else ""
        raise NotPossible(
            f"{s.slug} has work that is not committed: {ends.changed[0]}{more}",
            hint=f"`manyhands commit {s.slug}` first",
        )
    if ends.into == s.workspace.branch:
        raise NotPossible(f"{s.slug} works on {ends.into} itself: there is nothing to land")
    if ends.target is None:
        raise NotFound(f"there is no local branch {ends.into}", hint="name one: --into BRANCH")
    if ends.tip is None:
        raise NotPossible(f"the branch {s.workspace.branch} of {s.slug} has no commits")
    if await merging.is_part_of(at, ends.tip, ends.target):
        raise NotPossible(f"{ends.into} has everything of {s.slug} already")
    if not asked.untested and not (await checks.load_checks(at, ends.tip)).run:
        raise NotPossible(
            f"nothing would test {s.slug}: its .manyhands.toml has no [checks]",
            hint='add them, such as `[checks] run = ["make test"]`, '
            "or say that it may land untested: --untested",
        )
    return t.CarAdded(
        session=s.id,
        path=s.repo,
        into=ends.into,
        car=fresh_id(),
        tip=ends.tip,
        method=asked.method or settings.method,
        via=asked.via or settings.via,
        rounds=settings.mend if asked.mend is None else asked.mend,
        round=round,
        untested=asked.untested,
        by=by,
    )
