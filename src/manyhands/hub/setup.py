"""Setup and teardown of a session: the repository's commands, streamed into its log.

A setup is a step of the creation, or, where the repository says ``start = "early"``, runs beside
the agent. Either way its failure is an open item with *retry*, from the failed command on, and
*skip*. What a teardown does or fails to do never stands in the way of an archive.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from manyhands.config import child_environment
from manyhands.errors import ManyhandsError
from manyhands.hub.held import Held
from manyhands.hub.secrets import session_redactor
from manyhands.hub.trust import require_trusted_worktree
from manyhands.model import events as e
from manyhands.model.attention import SETUP_OPTIONS, Attention
from manyhands.model.clock import Instant, now
from manyhands.model.ids import AttentionId, SessionId, fresh_id
from manyhands.model.redaction import Redacted
from manyhands.model.session import Session
from manyhands.process.identity import SETUP_MARK, marked_processes
from manyhands.process.stop import end_processes
from manyhands.workspace.commands import Ran, run_commands
from manyhands.workspace.environment import session_environment
from manyhands.workspace.installs import keep_install, take_install
from manyhands.workspace.repo_config import RepoConfig, load_repo_config
from manyhands.workspace.setup_plan import SetupCommand, SetupPlan, left_to_do, load_plan
from manyhands.workspace.setup_plan import set_installed as remember

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

log = logging.getLogger(__name__)
LONGEST_TAIL = 4000


class Intent(msgspec.Struct, frozen=True):
    """What the repository wants set up in a worktree, and what of it is left to do."""

    config: RepoConfig
    plan: SetupPlan
    left: tuple[SetupCommand, ...]


async def is_setup_needed(hub: Hub, s: Session) -> bool:
    if s.in_place or s.adopted:
        return False
    intent = await asyncio.to_thread(_intent, hub, s)
    has_work = bool(intent.plan.commands or intent.plan.missing)
    return has_work and intent.config.setup.start == "after"


async def set_up(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    """The creation's step."""
    await asyncio.to_thread(require_trusted_worktree, hub, s)
    intent = await asyncio.to_thread(_intent, hub, s)
    notes = list(_missing(s, intent.plan))
    commands = tuple(c.text for c in intent.plan.commands)
    if not intent.left:
        return (*notes, *(_reused(s, intent.plan.origin, commands) if commands else ()))
    await hub.record(*notes, _started(s, intent))
    ended = await _attempt(hub, s, intent)
    if ended.outcome == "failed":
        await hub.record(ended)
        raise Held(_failure(hub, s, ended))
    return (ended,)


async def early_start(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    """What is recorded with the session's readiness where its setup is to run beside the agent."""
    if s.in_place or s.adopted or s.setup:
        return ()
    intent = await asyncio.to_thread(_intent, hub, s)
    if intent.config.setup.start != "early" or not intent.plan.commands:
        return ()
    return (*_missing(s, intent.plan), _started(s, intent))


async def run_beside(hub: Hub, session: SessionId) -> None:
    """A setup that is on record as running, while the agent works already."""
    s = hub.state.session(session)
    if s is None:
        return
    try:
        ended = await set_up(hub, s)
    except Held as held:
        await hub.record(e.AttentionRaised(session=session, at=now(), item=held.item))
    except (ManyhandsError, OSError) as error:
        failed = e.SetupFinished(session=session, at=now(), outcome="failed", error=str(error))
        item = _failure(hub, s, failed)
        await hub.record(failed, e.AttentionRaised(session=session, at=now(), item=item))
    else:
        await hub.record(*ended)


def after_answer(s: Session, option: str, at: Instant) -> Iterator[e.AnyEvent]:
    """What follows from the answer to a `setup_failed`."""
    if option == "skip":
        yield e.SetupFinished(session=s.id, at=at, outcome="skipped")
        if not s.ready:
            yield e.StepFinished(session=s.id, at=at, step="setup")
    elif s.ready:
        yield e.SetupStarted(session=s.id, at=at, commands=())


async def tear_down(hub: Hub, s: Session) -> None:
    """Run the teardown commands; whatever happens is reported and nothing more."""
    worktree = Path(s.worktree)
    if "worktree" not in s.made or s.in_place or not worktree.is_dir():
        return
    said: list[str] = []

    async def say(command: str, text: str) -> None:
        said.append(text)

    env = _environment(hub, s)
    try:
        config = await asyncio.to_thread(load_repo_config, worktree)
        if not config.teardown.run:
            return
        await asyncio.to_thread(require_trusted_worktree, hub, s)
        limit = config.teardown.timeout or hub.last_settings.workspaces.teardown_seconds
        ran = await run_commands(config.teardown.run, cwd=worktree, env=env, seconds=limit, say=say)
        output = session_redactor(hub, s, env).text("".join(said))
    except Held as held:
        reason = f"not run: {held.item.summary}"
        ended = e.TeardownFinished(session=s.id, at=now(), outcome="skipped", error=reason)
    except (ManyhandsError, OSError) as error:
        ended = e.TeardownFinished(session=s.id, at=now(), outcome="failed", error=str(error))
    else:
        ended = e.TeardownFinished(
            session=s.id,
            at=now(),
            outcome="failed" if ran.failed else "done",
            failed=ran.failed,
            returncode=ran.returncode,
            error=ran.error,
            output=output[-LONGEST_TAIL:],
            seconds=ran.seconds,
        )
    await hub.record(ended)


async def _attempt(hub: Hub, s: Session, intent: Intent) -> e.SetupFinished:
    """Run what is left, and remember every install that succeeded."""
    # What a hub that died had begun goes on without it, and would meet what we start now.
    mark = f"{SETUP_MARK}={s.id}"
    await asyncio.to_thread(lambda: end_processes(marked_processes(mark)))
    left = await asyncio.to_thread(_without_kept, hub, s, intent.left)

    env = {**_environment(hub, s), SETUP_MARK: s.id}
    clean = Redacted(await asyncio.to_thread(session_redactor, hub, s, env))

    async def say(command: str, text: str) -> None:
        shown = clean.feed(text) if text else clean.end()
        if shown:
            await hub.record(e.SetupOutput(session=s.id, at=now(), command=command, text=shown))

    limit = intent.config.setup.timeout or hub.last_settings.workspaces.setup_seconds
    texts = [c.text for c in left if c.text not in s.setup_done]
    ran = await run_commands(texts, cwd=Path(s.worktree), env=env, seconds=limit, say=say)
    finished = {*ran.done, *s.setup_done}
    await asyncio.to_thread(_remember, hub, s, [c for c in left if c.text in finished])
    return _ended(s, ran)


def _ended(s: Session, ran: Ran) -> e.SetupFinished:
    return e.SetupFinished(
        session=s.id,
        at=now(),
        outcome="failed" if ran.failed else "done",
        done=(*s.setup_done, *ran.done) if ran.failed else (),
        failed=ran.failed,
        returncode=ran.returncode,
        error=ran.error,
        seconds=round(ran.seconds, 3),
    )


def _intent(hub: Hub, s: Session) -> Intent:
    root = Path(s.worktree)
    config = load_repo_config(root)
    plan = load_plan(root, config, path=_environment(hub, s).get("PATH"))
    return Intent(config, plan, left_to_do(root, plan) if plan.commands else ())


def _environment(hub: Hub, s: Session) -> dict[str, str]:
    passed = hub.last_settings.environment.passed
    return child_environment(session_environment(s, hub.home), passed=passed)


def _without_kept(hub: Hub, s: Session, left: Sequence[SetupCommand]) -> tuple[SetupCommand, ...]:
    """Take what an earlier worktree installed from the same lock, where that costs nothing."""
    root, taken = Path(s.worktree), set()
    for command in left:
        if take_install(root, command, _store(hub, s)):
            remember(root, command)
            taken.add(command)
    return tuple(c for c in left if c not in taken)


def _remember(hub: Hub, s: Session, done: Sequence[SetupCommand]) -> None:
    for command in done:
        remember(Path(s.worktree), command)
        if command.product:
            keep_install(Path(s.worktree), command, _store(hub, s))


def _store(hub: Hub, s: Session) -> Path:
    return hub.home.installs / Path(s.repo).name


def _started(s: Session, intent: Intent) -> e.SetupStarted:
    texts = tuple(c.text for c in intent.left or intent.plan.commands)
    return e.SetupStarted(session=s.id, at=now(), commands=texts, origin=intent.plan.origin)


def _reused(s: Session, origin: str, commands: tuple[str, ...]) -> Iterator[e.AnyEvent]:
    yield e.SetupStarted(session=s.id, at=now(), commands=commands, origin=origin)
    yield e.SetupFinished(session=s.id, at=now(), outcome="reused")


def _missing(s: Session, plan: SetupPlan) -> Iterator[e.AnyEvent]:
    for name in plan.missing:
        text = f"The setup leaves {name} out: a lock file asks for it, but it is not installed"
        yield e.NoteMade(session=s.id, at=now(), text=text)


def _failure(hub: Hub, s: Session, ended: e.SetupFinished) -> Attention:
    progress = (hub.state.session(s.id) or s).progress
    detail = {
        "command": ended.failed,
        "error": ended.error,
        "returncode": ended.returncode,
        "seconds": ended.seconds,
        "last_line": progress,
    }
    what = f"`{ended.failed}`: {ended.error}" if ended.failed else ended.error
    return Attention(
        id=AttentionId(fresh_id()),
        session=s.id,
        kind="setup_failed",
        summary=f"The setup failed: {what}",
        detail=detail,
        options=SETUP_OPTIONS,
        raised_at=now(),
    )
