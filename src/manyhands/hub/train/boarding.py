"""Which car a session would be: its committed work as it is now, if it can land at all."""

from __future__ import annotations

from manyhands.contract.train import Boarding
from manyhands.errors import NotPossible
from manyhands.hub.core import Hub, worktree_of
from manyhands.hub.landing.desk import is_at_work
from manyhands.hub.landing.merge import plan_merge, require_own
from manyhands.hub.repos.bases import words
from manyhands.model.ids import fresh_id
from manyhands.model.landing.merges import Merge
from manyhands.model.quoting import quoted
from manyhands.model.repo.bases import BaseNow
from manyhands.model.session.session import Session
from manyhands.model.train import events as t
from manyhands.station.landing import checks
from manyhands.station.landing import merge as merging


async def boarded(
    hub: Hub, s: Session, asked: Boarding, by: t.JoinedBy = "person", round: int = 0
) -> t.CarAdded:
    """The car that a session would be; raises where it can be none."""
    if is_at_work(s):
        raise NotPossible(
            f"the agent of {s.slug} is at work", hint=f"`manyhands stop {s.slug}` first, or wait"
        )
    settings = hub.settings.train
    via, method = asked.via or settings.via, asked.method or settings.method
    plan, base = await plan_merge(hub, s, asked.into, method, forward=via != "local")
    await _require_way(hub, s, plan, base, via)
    if not asked.untested and not (await checks.load_checks(worktree_of(hub, s), plan.tip)).run:
        raise NotPossible(
            f"nothing would test {s.slug}: its .manyhands.toml has no [checks]",
            hint='add them, such as `[checks] run = ["make test"]`, '
            "or say that it may land untested: --untested",
        )
    return t.CarAdded(
        session=s.id,
        path=s.repo,
        into=plan.into,
        car=fresh_id(),
        tip=plan.tip,
        method=method,
        via=via,
        remote=base.remote if via != "local" else "",
        rounds=settings.mend if asked.mend is None else asked.mend,
        round=round,
        untested=asked.untested,
        by=by,
    )


async def _require_way(hub: Hub, s: Session, plan: Merge, base: BaseNow, via: t.Via) -> None:
    at = worktree_of(hub, s)
    if via == "local":
        require_abreast(base)
    elif not base.upstream or base.remote_branch != plan.into:
        raise NotPossible(
            f"no remote has a branch {plan.into} to which the train could go",
            hint=f"push it first, or land here: `manyhands train add {s.slug} --via local`",
        )
    target = base.local if via == "local" else base.upstream
    if await merging.is_part_of(at, plan.tip, target):
        raise NotPossible(f"{plan.into} has everything of {s.slug} already")
    if via == "local" or base.relation in ("same", "behind"):
        await require_own(hub, s, plan, base)


def require_abreast(base: BaseNow) -> None:
    """A branch that is behind its remote's would go a way of its own."""
    if base.relation == "behind":
        forward = quoted("git", "fetch", ".", f"{base.tracking}:{base.branch}")
        pull = quoted("git", "merge", "--ff-only", base.tracking)
        raise NotPossible(
            words(base),
            hint=f"bring it forward: `{pull}` where it is checked out, else `{forward}`; "
            "or land on the remote: --via push",
        )
