"""The repository's checks, run on exactly the tree that is to be merged, in a private worktree."""

from __future__ import annotations

from typing import Any

import msgspec

from manyhands.errors import NotPossible, NotTrusted
from manyhands.hub.core import Hub, agent_environment, box_terms, worktree_of
from manyhands.hub.core.work import Work
from manyhands.hub.fleet.secrets import session_secrets
from manyhands.hub.repos.trust import question, trust_item
from manyhands.model.ids import Oid
from manyhands.model.landing import merge_events as r
from manyhands.model.landing.merges import Prepared
from manyhands.model.redaction import Redacted, Redactor
from manyhands.model.session.session import Session
from manyhands.model.session.variables import session_variables
from manyhands.station.landing import checks as station
from manyhands.station.landing.checks import Bench, CheckTask, Report
from manyhands.station.repos import load_at_commit

LONGEST_TAIL = 8000


async def check_tip(work: Work[Any], tip: Oid) -> tuple[str, ...]:
    """Run the checks on what a branch is at; it is pushed only if they pass."""
    tree = await station.load_tree(worktree_of(work.hub, work.session), tip)
    return await check_landing(work, "", Prepared(tip, tree), undone="pushed")


async def clear_checks(work: Work[Any]) -> None:
    """What a check that was cut off left."""
    at = worktree_of(work.hub, work.session)
    await station.clear_away(work.hub.home, station.own_bench(work.hub.home, at))


async def check_landing(
    work: Work[Any], merge: str, made: Prepared, *, undone: str = "merged"
) -> tuple[str, ...]:
    """Run the checks; the commands. Raises where one fails, hangs, or is not trusted."""
    hub, s = work.hub, work.session
    bench = station.own_bench(hub.home, worktree_of(hub, s))

    found = await run_checks(hub, s, merge, made, bench, work.report)
    if found.failed:
        raise NotPossible(f"{found.words}; nothing was {undone}", hint=found.hint(s))
    return found.commands


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """How the checks went; without commands, there are none."""

    commands: tuple[str, ...] = ()
    failed: str = ""
    error: str = ""
    tail: str = ""
    """The end of what they said."""
    seconds: float = 0.0

    @property
    def words(self) -> str:
        last = self.tail.strip().splitlines()[-1:] or [""]
        why = f": {last[0][:200]}" if last[0] else ""
        return f"the check `{self.failed}` failed ({self.error}){why}"

    def hint(self, s: Session) -> str:
        return f"`manyhands log {s.slug}` has its whole output"


async def run_checks(
    hub: Hub, s: Session, merge: str, made: Prepared, bench: Bench, report: Report
) -> Checked:
    """Raises where they are not trusted, or cannot be begun; `report` is told what runs."""
    said, at = [""], worktree_of(hub, s)
    wanted = await station.load_checks(at, made.commit)
    if not wanted.run:
        return Checked()
    await _require_trusted(hub, s, made.commit)
    await hub.record(
        r.ChecksStarted(session=s.id, merge=merge, commands=wanted.run, tree=made.tree)
    )
    settings = hub.last_settings
    env = await agent_environment(hub, s)
    clean = Redacted(Redactor(await session_secrets(hub, s, env)))

    async def say(command: str, text: str) -> None:
        if shown := clean.feed(text) if text else clean.end():
            said[0] = (said[0] + shown)[-LONGEST_TAIL:]
            await hub.record(r.ChecksReported(session=s.id, command=command, text=shown))

    run = CheckTask(
        commit=made.commit,
        commands=wanted.run,
        variables=session_variables(s),
        passed=settings.environment.passed,
        seconds=wanted.timeout or settings.landing.checks_seconds,
        box=await box_terms(hub, s),
    )
    ran = await station.run_checks(hub.home, at, bench, run, say, report)
    told: dict[str, Any] = {
        "failed": ran.failed,
        "error": ran.error,
        "seconds": round(ran.seconds, 3),
    }
    await hub.record(
        r.ChecksFinished(session=s.id, merge=merge, tree=made.tree, passed=not ran.failed, **told)
    )
    return Checked(commands=wanted.run, tail=said[0], **told)


async def _require_trusted(hub: Hub, s: Session, commit: Oid) -> None:
    pieces = await load_at_commit(worktree_of(hub, s), commit)
    item = await trust_item(hub, s, pieces)
    if item is None:
        return
    await hub.decide(lambda state: question(state, s, item))
    raise NotTrusted(
        f"the checks of {s.slug} are not run: {item.summary}",
        hint=f"look at it and answer: `manyhands answer {s.slug} --option trust`; then again",
    )
