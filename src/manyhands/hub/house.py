"""The hub as a whole: which reactors there are, and how it starts and ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from manyhands.config import Home
from manyhands.hub.archive.archive import ARCHIVE
from manyhands.hub.archive.expiry import Expiry
from manyhands.hub.archive.restore import RESTORE
from manyhands.hub.attention.gone import WorktreeWatch
from manyhands.hub.attention.notifying import Notifier
from manyhands.hub.attention.stray import Strays
from manyhands.hub.core import Boxes, Feed, Hub, Jobs, Reactor
from manyhands.hub.core.jobs import Observe
from manyhands.hub.core.showing import Showing
from manyhands.hub.core.work import Kind
from manyhands.hub.creation.pool import Pool
from manyhands.hub.creation.ports import PortWatch
from manyhands.hub.creation.setup import SETUP
from manyhands.hub.creation.steps import CREATE
from manyhands.hub.creation.worktree_step import Making
from manyhands.hub.files.rewind import REWIND
from manyhands.hub.fleet.alarms import Alarms
from manyhands.hub.fleet.fleet import Fleet
from manyhands.hub.fleet.places import TURNING_POINTS, consequences
from manyhands.hub.fleet.secrets import Secrets
from manyhands.hub.fleet.words import UnsaidWords
from manyhands.hub.forge.fetching import load_tokens
from manyhands.hub.insight.care import Care
from manyhands.hub.landing.commit import COMMIT
from manyhands.hub.landing.merge import MERGE
from manyhands.hub.landing.merge_pr import MERGE_PR
from manyhands.hub.landing.pr import PR
from manyhands.hub.landing.pr_status import PrWatch
from manyhands.hub.landing.stacks import Stacks
from manyhands.hub.landing.update import UPDATE, Updates
from manyhands.hub.radar.radar import Radar
from manyhands.hub.repos.bases import Bases
from manyhands.hub.repos.fetches import Fetches
from manyhands.hub.repos.pins import Pins
from manyhands.hub.repos.shared import SharedKeeping
from manyhands.hub.review.verdict import Verdicts
from manyhands.hub.services.autostart import Autostart
from manyhands.hub.services.trespass import Trespass
from manyhands.hub.trackers.proposals import CREATE_ISSUES
from manyhands.hub.trackers.telling import TrackerTelling
from manyhands.hub.train.conductor import Conductor
from manyhands.hub.train.joining import Joining
from manyhands.model.redaction import Redactor
from manyhands.station.hub_lock import hub_lock
from manyhands.station.machine import keep_commands
from manyhands.store import Store

KINDS: tuple[Kind[Any], ...] = (
    *(CREATE, SETUP, ARCHIVE, RESTORE, REWIND),
    *(UPDATE, MERGE, COMMIT, PR, MERGE_PR),
    CREATE_ISSUES,
)
"""The jobs there are."""

REACTORS: tuple[type[Reactor], ...] = (
    Boxes,
    Feed,
    Showing,
    Jobs,
    Pins,
    Bases,
    Secrets,
    UnsaidWords,
    Fleet,
    Pool,
    Strays,
    SharedKeeping,
    WorktreeWatch,
    Radar,
    Updates,
    Notifier,
    Verdicts,
    Expiry,
    PrWatch,
    Stacks,
    TrackerTelling,
    Conductor,
    Joining,
    Alarms,
    PortWatch,
    Autostart,
    Trespass,
    Care,
)
"""In the order in which they learn of a commit."""


@asynccontextmanager
async def open_hub(
    home: Home, observe: Observe | None = None, redactor: Redactor | None = None
) -> AsyncIterator[Hub]:
    """The hub of `home`, running; refuses where another one has it. What the `redactor` knows is in
    no record, and it learns what the hub does."""
    home.make()
    with hub_lock(home):
        store = Store.open(home.store)
        store.door.redactor = redactor or store.door.redactor
        keep_commands(home, store.door.redactor)
        try:
            async with asyncio.TaskGroup() as tasks:
                hub = Hub(home, store, tasks, consequences, TURNING_POINTS)
                hub.settings  # noqa: B018 - a corrupt config is told before anything starts
                hub.part(Fetches).load_tokens = partial(load_tokens, hub)
                hub.part(Making)  # it sees which creations an earlier hub did not finish
                hub.part(Jobs).kinds = {kind.name: kind for kind in KINDS}
                for part in (hub.part(Jobs), hub.part(Conductor)):
                    part.observe = observe or part.observe
                reactors = [hub.part(kind) for kind in REACTORS]
                store.subscribe(lambda batch: hub.tell(batch, reactors))
                store.on_trouble = lambda: hub.tell_trouble(reactors)
                await hub.part(Boxes).look()  # no agent starts before it is known
                for reactor in reactors:
                    hub.spawn(hub.keep_running(reactor))
                try:
                    yield hub
                finally:
                    hub.end_tasks()
                    for reactor in reactors:
                        await reactor.close()
        finally:
            await store.close()
