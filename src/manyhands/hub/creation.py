"""Creation as a saga: idempotent steps, each recorded before and after, from name to ready.

A step hands back the events that are recorded with its end. One that raises fails the session
with its name and reason; one that raises `Held` waits for a person. Either way the next try
begins with that step, and so does a hub that comes after one that died.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from manyhands.errors import ManyhandsError
from manyhands.hub import db
from manyhands.hub.base_step import is_fetch_needed, resolve_base
from manyhands.hub.carrying import copy_files, is_copy_needed
from manyhands.hub.failpoint import reach
from manyhands.hub.held import Held
from manyhands.hub.ports import are_ports_needed, lease_ports
from manyhands.hub.seed_step import is_fork, plant_seed
from manyhands.hub.setup import early_start, is_setup_needed, set_up
from manyhands.hub.trust import ask_for_trust, is_trust_needed
from manyhands.hub.worktree_step import make_worktree
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.session import Session

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

FIRST_STEP = "worktree"
OF_A_NEW_WORKTREE = ("base", "copy", "database", "setup")
"""Steps that a place which was there before the session is spared: it stays as it is."""


@dataclass(frozen=True)
class Step:
    """`needed` tells cheaply whether there is anything to do; a step that is not needed is not
    recorded at all. `run` may be called again after any death in its midst."""

    name: str
    run: Callable[[Hub, Session], Awaitable[Sequence[e.AnyEvent]]]
    needed: Callable[[Hub, Session], Awaitable[bool]]


async def make_ready(hub: Hub, s: Session) -> None:
    """Run the steps that are left."""
    ended: list[e.AnyEvent] = []
    for step in STEPS:
        s = hub.state.session(s.id) or s
        if step.name in s.made or (step.name in OF_A_NEW_WORKTREE and (s.in_place or s.adopted)):
            continue
        try:
            if not await step.needed(hub, s):
                continue
            s = await _begin(hub, s, step, ended)
            ended = [
                *await step.run(hub, s),
                e.StepFinished(session=s.id, at=now(), step=step.name),
            ]
        except Held as held:
            await hub.record(e.AttentionRaised(session=s.id, at=now(), item=held.item))
            return
        except (ManyhandsError, OSError) as error:
            await hub.record(*ended, _failed(s, step, error))
            return
        reach(hub.home, f"done:{step.name}")
        if step.name == "worktree" or hub.home.failpoints.exists():
            await hub.record(*ended)
            ended = []
        reach(hub.home, f"after:{step.name}")
    early = await early_start(hub, hub.state.session(s.id) or s)
    await hub.record(*ended, *early, e.SessionReady(session=s.id, at=now()))


async def _begin(hub: Hub, s: Session, step: Step, ended: list[e.AnyEvent]) -> Session:
    """Record the end of the step before and the beginning of this one, in one transaction."""
    if ended or s.step != step.name:
        await hub.record(*ended, e.StepStarted(session=s.id, at=now(), step=step.name))
        ended.clear()
    reach(hub.home, f"before:{step.name}")
    return hub.state.session(s.id) or s


def _failed(s: Session, step: Step, error: ManyhandsError | OSError) -> e.SessionFailed:
    hint = getattr(error, "hint", "") or f"`manyhands resume {s.slug}` tries again"
    return e.SessionFailed(session=s.id, at=now(), step=step.name, error=str(error), hint=hint)


async def _always(hub: Hub, s: Session) -> bool:
    return True


STEPS: tuple[Step, ...] = (
    Step("base", resolve_base, is_fetch_needed),
    Step("trust", ask_for_trust, is_trust_needed),
    Step("worktree", make_worktree, _always),
    Step("seed", plant_seed, is_fork),
    Step("copy", copy_files, is_copy_needed),
    Step("ports", lease_ports, are_ports_needed),
    Step("database", db.branch_database, db.is_wanted),
    Step("setup", set_up, is_setup_needed),
)
