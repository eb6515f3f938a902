"""Creation as a job: idempotent steps, from name to ready.

A step that raises fails the session with its name and reason; one that raises `Held` waits for a
person. Either way the next try begins with that step, and so does a hub that comes after one that
died.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence

from manyhands.errors import ManyhandsError, NotPossible
from manyhands.hub.core import Hub
from manyhands.hub.core.work import Kind, Plain, Step, StepDone, Work, started, told
from manyhands.hub.creation import db
from manyhands.hub.creation.base_step import is_fetch_needed, resolve_base
from manyhands.hub.creation.ports import lease_ports
from manyhands.hub.creation.setup import early_start, is_setup_needed, set_up
from manyhands.hub.creation.worktree_step import copy_files, make_worktree, plant_seed
from manyhands.hub.repos.trust import ask_for_trust, is_trust_needed
from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.model.session.life import MOVES
from manyhands.model.session.session import Session

FIRST_STEP = "worktree"
OF_A_NEW_WORKTREE = ("base", "copy", "database", "setup")
"""Steps that a place which was there before the session is spared: it stays as it is."""


def creation(session: SessionId, repo: str, step: str = FIRST_STEP) -> Iterator[e.AnyEvent]:
    """The facts by which it begins, to be recorded with whatever asks for it."""
    yield e.StepStarted(session=session, step=step)
    yield from started(CREATE, Plain(), Session(id=session, repo=repo), step)


def _step(
    name: str,
    run: Callable[[Hub, Session], Awaitable[Sequence[e.AnyEvent]]],
    is_needed: Callable[[Hub, Session], bool | Awaitable[bool]] = lambda hub, s: True,
) -> Step[Plain]:
    async def needed(work: Work[Plain]) -> bool:
        s = work.session
        if s.life.error:  # a person said no
            raise NotPossible(s.life.error, hint=s.life.hint)
        is_own = not (s.workspace.in_place or s.workspace.adopted)
        if name in s.life.made or (name in OF_A_NEW_WORKTREE and not is_own):
            return False
        return await told(is_needed(work.hub, s))

    async def do(work: Work[Plain]) -> StepDone:
        return StepDone(await run(work.hub, work.session))

    return Step(name, do, needed)


def _began(work: Work[Plain]) -> Sequence[e.AnyEvent]:
    s, step = work.session, work.step
    return () if s.life.step == step else (e.StepStarted(session=s.id, step=step),)


def _ended(work: Work[Plain]) -> Sequence[e.AnyEvent]:
    return (e.StepFinished(session=work.session.id, step=work.step),)


async def _finished(work: Work[Plain]) -> Sequence[e.AnyEvent]:
    early = await early_start(work.hub, work.session)
    return (*early, e.SessionReady(session=work.session.id))


def _failed(work: Work[Plain], error: ManyhandsError | OSError) -> Sequence[e.AnyEvent]:
    s = work.session
    if s.life.error:
        return ()
    hint = getattr(error, "hint", "") or f"`manyhands resume {s.slug}` tries again"
    step = work.step or FIRST_STEP
    return (e.SessionFailed(session=s.id, step=step, error=str(error), hint=hint),)


def _left(s: Session) -> Plain | None:
    """One that was left half-made: by an earlier version, or in the trash."""
    moves = s.life.archived or s.life.step in MOVES
    return None if s.life.ready or s.life.error or moves else Plain()


CREATE = Kind(
    "create",
    Plain,
    (
        _step("base", resolve_base, is_fetch_needed),
        _step("trust", ask_for_trust, is_trust_needed),
        _step("worktree", make_worktree),
        _step("seed", plant_seed, lambda hub, s: bool(s.workspace.seed)),
        _step("copy", copy_files),
        _step("ports", lease_ports, lambda hub, s: not s.workspace.ports),
        _step("database", db.branch_database, db.is_wanted),
        _step("setup", set_up, is_setup_needed),
    ),
    lanes=lambda job: (),
    began=_began,
    ended=_ended,
    finished=_finished,
    failed=_failed,
    left=_left,
)
