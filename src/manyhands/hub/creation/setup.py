"""Setup and teardown of a session: the repository's commands, streamed into its log.

A setup is a step of the creation, or, where the repository says ``start = "early"``, a job beside
the agent. Either way its failure is an open item with *retry*, from the failed command on, and
*skip*. What a teardown does or fails to do never stands in the way of an archive.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from manyhands.errors import ManyhandsError
from manyhands.hub.core import Hub, agent_environment, box_terms, fresh_item, worktree_of
from manyhands.hub.core.work import Held, Kind, Plain, Step, StepDone, Work, started
from manyhands.hub.fleet.secrets import session_secrets
from manyhands.hub.repos.trust import require_trusted_worktree
from manyhands.model import events as e
from manyhands.model.attention.attention import SETUP_OPTIONS, Attention
from manyhands.model.redaction import Redacted, Redactor
from manyhands.model.session.session import Session
from manyhands.station.creation import setup as station
from manyhands.station.creation.installs import Installs
from manyhands.station.creation.setup import Intent
from manyhands.station.worktree import is_there

log = logging.getLogger(__name__)
LONGEST_TAIL = 4000


def shared_installs(hub: Hub) -> Installs:
    """The hub's one."""
    return Installs(hub.home)


async def is_setup_needed(hub: Hub, s: Session) -> bool:
    intent = await _intent(hub, s)
    return bool(intent.commands or intent.missing) and intent.start == "after"


async def set_up(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    """The creation's step."""
    for item in s.inbox.items:
        if item.kind == "setup_failed":  # whoever was asked before has not answered
            raise Held(item)
    await require_trusted_worktree(hub, s, installing=True)
    intent = await _intent(hub, s)
    notes = list(_missing(s, intent))
    if not intent.left:
        reused = (_started(s, intent), e.SetupFinished(session=s.id, outcome="reused"))
        return (*notes, *(reused if intent.commands else ()))
    await hub.record(*notes, _started(s, intent))
    ended = await _attempt(hub, s, intent)
    if ended.outcome == "failed":
        raise Held(_failure(hub, s, ended), ended)
    return (ended,)


async def early_start(hub: Hub, s: Session) -> Sequence[e.AnyEvent]:
    """What is recorded with the session's readiness where its setup is to run beside the agent."""
    if s.workspace.in_place or s.workspace.adopted or s.workspace.setup:
        return ()
    intent = await _intent(hub, s)
    if intent.start != "early" or not intent.commands:
        return ()
    return (*_missing(s, intent), _started(s, intent), *started(SETUP, Plain(), s, "setup"))


async def _run_beside(work: Work[Plain]) -> StepDone:
    hub, s = work.hub, work.session
    try:
        return StepDone(await set_up(hub, s))
    except (ManyhandsError, OSError) as error:
        failed = e.SetupFinished(session=s.id, outcome="failed", error=str(error))
        raise Held(_failure(hub, s, failed), failed) from error


def _left(s: Session) -> Plain | None:
    failed = any(item.kind == "setup_failed" for item in s.inbox.items)
    wanted = s.life.ready and (failed or s.workspace.setup == "running")
    return Plain() if wanted and not s.life.archived else None


SETUP = Kind(
    "setup",
    Plain,
    (Step("setup", _run_beside, needed=lambda work: _left(work.session) is not None),),
    lanes=lambda job: (),
    left=_left,
)
"""One that runs beside the agent."""


def after_answer(s: Session, option: str) -> Iterator[e.AnyEvent]:
    """What follows from the answer to a `setup_failed`."""
    if option == "skip":
        yield e.SetupFinished(session=s.id, outcome="skipped")
        if not s.life.ready:
            yield e.StepFinished(session=s.id, step="setup")
    elif s.life.ready:
        yield e.SetupStarted(session=s.id, commands=())


async def tear_down(hub: Hub, s: Session) -> None:
    """Run the teardown commands; whatever happens is reported and nothing more."""
    at = worktree_of(hub, s)
    if "worktree" not in s.life.made or s.workspace.in_place or not await is_there(at):
        return
    try:
        wanted = await station.load_teardown(at)
        if not wanted.run:
            return
        await require_trusted_worktree(hub, s)
        limit = wanted.timeout or hub.last_settings.workspaces.teardown_seconds
        env, terms = await agent_environment(hub, s), await box_terms(hub, s)
        ran, said = await station.run_teardown(
            hub.home, at, wanted.run, env=env, terms=terms, seconds=limit
        )
        output = Redactor(await session_secrets(hub, s, env)).text(said)
    except Held as held:
        reason = f"not run: {held.item.summary}"
        ended = e.TeardownFinished(session=s.id, outcome="skipped", error=reason)
    except (ManyhandsError, OSError) as error:
        ended = e.TeardownFinished(session=s.id, outcome="failed", error=str(error))
    else:
        ended = e.TeardownFinished(
            session=s.id,
            outcome="failed" if ran.failed else "done",
            failed=ran.failed,
            returncode=ran.returncode,
            error=ran.error,
            output=output[-LONGEST_TAIL:],
            seconds=ran.seconds,
        )
    await hub.record(ended)


async def _attempt(hub: Hub, s: Session, intent: Intent) -> e.SetupFinished:
    env, terms = await agent_environment(hub, s), await box_terms(hub, s)
    clean = Redacted(Redactor(await session_secrets(hub, s, env)))

    async def say(command: str, text: str) -> None:
        shown = clean.feed(text) if text else clean.end()
        if shown:
            await hub.record(e.SetupOutput(session=s.id, command=command, text=shown))

    done = s.workspace.setup_done
    limit = intent.timeout or hub.last_settings.workspaces.setup_seconds
    ran = await station.run_setup(
        hub.part(shared_installs),
        worktree_of(hub, s),
        intent,
        done,
        env=env,
        terms=terms,
        seconds=limit,
        say=say,
    )
    # Nothing of it was made here, if all of it was taken over.
    made: e.SetupOutcome = "reused" if ran.taken and set(ran.done) == set(ran.taken) else "done"
    return e.SetupFinished(
        session=s.id,
        outcome="failed" if ran.failed else made,
        done=(*done, *ran.done) if ran.failed else (),
        failed=ran.failed,
        returncode=ran.returncode,
        error=ran.error,
        seconds=round(ran.seconds, 3),
    )


async def _intent(hub: Hub, s: Session) -> Intent:
    return await station.load_intent(worktree_of(hub, s), await agent_environment(hub, s))


def _started(s: Session, intent: Intent) -> e.SetupStarted:
    texts = tuple(c.text for c in intent.left) or intent.commands
    return e.SetupStarted(session=s.id, commands=texts, origin=intent.origin)


def _missing(s: Session, intent: Intent) -> Iterator[e.AnyEvent]:
    for name in intent.missing:
        text = f"The setup leaves {name} out: a lock file asks for it, but it is not installed"
        yield e.NoteMade(session=s.id, text=text)


def _failure(hub: Hub, s: Session, ended: e.SetupFinished) -> Attention:
    progress = (hub.state.session(s.id) or s).workspace.progress
    detail = {
        "command": ended.failed,
        "error": ended.error,
        "returncode": ended.returncode,
        "seconds": ended.seconds,
        "last_line": progress,
    }
    what = f"`{ended.failed}`: {ended.error}" if ended.failed else ended.error
    return fresh_item(s, "setup_failed", f"The setup failed: {what}", detail, SETUP_OPTIONS)
