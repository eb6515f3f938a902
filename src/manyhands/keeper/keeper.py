"""The keeper's process: it claims its session, listens for the hub, and lives while needed.

It ends when nothing runs and nobody looks, when it is told to, or when a newer epoch fences
it off; its agent never outlives it. What the hub has not acknowledged stays in the spool.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import NoReturn

import msgspec

from manyhands.agents.catalogue import make_agent
from manyhands.agents.protocol import Agent, Workplace
from manyhands.config import COMMAND_LOG
from manyhands.errors import AgentFailed, ManyhandsError, NotPossible
from manyhands.git.command_log import command_log
from manyhands.keeper.boxing import BoxKeeping
from manyhands.keeper.checkpoint import BEGINNING, Checkpoints, Turns
from manyhands.keeper.claim import claim_session, clear_socket
from manyhands.keeper.conversation import Conversations, LiveConversation
from manyhands.keeper.host import KeeperHost
from manyhands.keeper.life import (
    Lifespan,
    adopt_orphans,
    bury_orphans,
    left_over,
    note_left_over,
    sweep,
)
from manyhands.keeper.link import HubLink
from manyhands.keeper.outbox import Outbox
from manyhands.keeper.premises import Premises
from manyhands.keeper.services.services import Services
from manyhands.keeper.spool import Spool, spool_path
from manyhands.keeper.takeover import Takeovers
from manyhands.keeper.terminal.terminals import Terminals
from manyhands.keeper.visitor import is_hub
from manyhands.keeper.watch.watcher import Watcher
from manyhands.model import wire
from manyhands.model.events import AnyEvent, CheckpointMade
from manyhands.model.ids import MAIN, ConversationId, Oid
from manyhands.model.redaction import RedactingFormatter, Redactor
from manyhands.process.identity import Identity
from manyhands.workspace.runnable import runnable_beside, runnable_git, runnable_in

log = logging.getLogger(__name__)

LAST_WORDS_SECONDS = 2.0

MOST_THREADS = 8
NICE = 10

MakeAgent = Callable[[KeeperHost, asyncio.TaskGroup], Agent]
"""Makes an agent, not started yet, as the host's spec and permits will have it."""


def run_keeper(
    spec: wire.KeeperSpec, ready: Callable[[], None], agent: MakeAgent | None = None
) -> int:
    """Live as the keeper of a session; `ready` is called once it listens. The exit code."""
    redactor = Redactor(spec.secrets)
    log_to(spec.log, redactor)
    if spec.log:
        command_log.keep_in(Path(spec.log).with_name(COMMAND_LOG), redactor)
    with claim_session(spec):
        adopt_orphans()
        asyncio.run(_live(spec, ready, agent or _known_agent))
    return 0


def _give_way() -> None:
    """Looking at files and making checkpoints must not slow the agents down."""
    if sys.platform == "linux":  # elsewhere this would be the priority of the whole process
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


async def _live(spec: wire.KeeperSpec, ready: Callable[[], None], agent: MakeAgent) -> None:
    threads = ThreadPoolExecutor(MOST_THREADS, initializer=_give_way)
    asyncio.get_running_loop().set_default_executor(threads)
    async with asyncio.TaskGroup() as tasks:
        keeper = Keeper(spec, tasks, agent)
        try:
            await keeper.startup()
            ready()
            await keeper.main()
        finally:
            await keeper.shutdown()


class Keeper:
    def __init__(self, spec: wire.KeeperSpec, tasks: asyncio.TaskGroup, agent: MakeAgent) -> None:
        self._spec = spec
        self._tasks = tasks
        self._has_predecessor = spec.epoch > 1
        self._make_agent = agent
        self._background: list[asyncio.Task[None]] = []
        self._server: asyncio.Server | None = None
        self._over = asyncio.Event()
        self._looked_at = False
        self._clearing = asyncio.Lock()
        worktree, base, directory = Path(spec.worktree), Oid(spec.base_commit), Path(spec.spool)
        self._life = Lifespan(spec.linger, self._busy, self._left_over)
        spool, redactor = Spool(spool_path(directory, spec.epoch)), Redactor(spec.secrets)
        self._outbox = Outbox(spec.session, spool, self._life.stir, redactor)
        self._watcher = Watcher(worktree, base, directory, self._tell, self._outbox.patches)
        checkpoints = Checkpoints(spec, self._watcher.trail, self._tell)
        note = partial(note_left_over, directory)
        self._box = BoxKeeping(spec, self._tell, tasks)
        self._turns = Turns(
            self._watcher, tasks, self._life.stir, checkpoints, note, around=self._box
        )
        self._host = KeeperHost(spec, self._outbox, self._turns)
        main = LiveConversation(self._host, self._agent, tasks)
        self._conversations = Conversations(main, self._open)
        self._terminals = Terminals(
            spec.session, tasks, self._tell, self._premises, self._life.stir
        )
        self._takeover = Takeovers(main, self._terminals, self._ready, _workplace, tasks)
        self._services = Services(
            spec, self._premises, redactor, tasks, self._tell, self._life.stir
        )
        self._link = HubLink(
            self._outbox,
            spec.epoch,
            tasks,
            self._perform,
            admits=partial(is_hub, spec),
            wake=self._life.wake,
            fenced=self._over.set,
            deserted=lambda: self._look(False),
        )
        self._link.stream = self._terminals.serve

    async def startup(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self._over.set)
        # Handled rather than ignored: what is ignored here, agents would inherit.
        for number in (signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, log.info, "signal %d passed by", number)
        for work in (
            self._watcher.run(),
            self._box.run(),
            bury_orphans(),
            self._end_when_idle(),
        ):
            self._background.append(self._tasks.create_task(work))
        path = clear_socket(self._spec)
        self._server = await asyncio.start_unix_server(self._link.accept, path)
        Path(path).chmod(0o600)
        log.info("session %s, epoch %d: listening", self._spec.session, self._spec.epoch)

    async def main(self) -> None:
        await self._over.wait()

    async def shutdown(self) -> None:
        """Nothing of the session runs after this; what is still to be told is told or spooled."""
        if self._server:
            self._server.close()
        parts = (self._services.close(), self._terminals.close())
        await asyncio.gather(self._conversations.close(), *parts)
        await self._takeover.close()
        await asyncio.to_thread(sweep, self._spec.session)
        await self._turns.finish()
        await self._box.close()
        for task in self._background:
            task.cancel()
        await self._link.finish(LAST_WORDS_SECONDS)
        self._link.close()
        self._outbox.spool.close()
        Path(self._spec.socket).unlink(missing_ok=True)
        _cancel_the_rest()
        log.info("session %s, epoch %d: over", self._spec.session, self._spec.epoch)

    async def _end_when_idle(self) -> None:
        await self._life.run()
        log.info("nothing runs and nobody looks")
        self._over.set()

    def _look(self, on: bool) -> None:
        """Without a hub nobody looks; a new one says again who does, and does so every few seconds
        to feel our pulse: that alone must not keep us."""
        if on == self._looked_at:
            return
        self._looked_at = on
        self._outbox.patches.want(on)
        self._watcher.want("look", on)
        self._life.stir()

    def _busy(self) -> bool:
        talking = self._conversations.busy or self._link.busy or self._turns.busy
        beside = self._terminals.busy or self._services.busy or self._looked_at
        return talking or beside or self._host.holds_program

    def _left_over(self) -> bool:
        # What got away only after the turn's end is known from here on.
        note_left_over(Path(self._spec.spool))
        return left_over(self._spec.session, self._conversations.agents())

    def _tell(self, event: AnyEvent) -> None:
        """A fact that is not the agent's; it never waits behind the end of a turn."""
        before_all = isinstance(event, CheckpointMade) and event.checkpoint == BEGINNING
        turn = 0 if before_all else event.turn or self._host.turn
        self._outbox.tell(msgspec.structs.replace(event, turn=turn))

    async def _agent(self, host: KeeperHost) -> Agent:
        await self._ready(host)
        return self._make_agent(host, self._tasks)

    async def _ready(self, host: KeeperHost) -> None:
        """All that an agent needs before it is started."""
        # What a killed predecessor left must be gone before the same dialogue goes on.
        await self._clear()
        self._has_predecessor = True
        trusted, _ = await asyncio.gather(
            asyncio.to_thread(self._is_trusted), self._box.enter(host)
        )
        if not trusted and host.spec.agent.kind != "claude":
            self._give_up(host)
        host.change_agent(trusted=trusted)

    async def _clear(self) -> None:
        async with self._clearing:
            if self._has_predecessor:
                agents, parts = self._conversations.agents(), self._parts()
                await asyncio.to_thread(sweep, self._spec.session, agents, parts)
            self._has_predecessor = False

    def _parts(self) -> dict[str, Identity]:
        """What lives beside the agents, each under its mark, with the process that leads it."""
        return {**self._terminals.parts(), **self._services.leaders}

    async def _premises(self) -> Premises:
        """For what is no agent."""
        await self._clear()
        return await self._box.premises(self._host)

    def _give_up(self, host: KeeperHost) -> NoReturn:
        """Only Claude Code can be kept from reading a repository's settings. Before any other is
        started a person must be asked, which the hub does at the birth of the next keeper."""
        changed = "what the worktree could run changed since it was trusted"
        if host.conversation == MAIN:
            log.info("%s: the next keeper asks", changed)
            self._conversations.end()
            self._over.set()
        raise AgentFailed(changed, hint="write to the main conversation: you are asked then")

    def _open(self, id: ConversationId, beside: wire.OtherConversation) -> LiveConversation:
        """A conversation beside the main one, with an agent, a mode and permits of its own."""
        turns = Turns(self._watcher, self._tasks, self._life.stir, beside=self._turns)
        spec = msgspec.structs.replace(
            self._host.spec,
            agent=beside.agent,
            agent_session=beside.agent_session,
            mode=beside.mode,
            turn=0,
            commands=(),
        )
        host = KeeperHost(spec, self._outbox, turns, id, writes=beside.writes)
        return LiveConversation(host, self._agent, self._tasks)

    def _is_trusted(self) -> bool:
        """Whether all that the worktree could make an agent run, as it is now, was approved."""
        spec, place = self._spec, Path(self._spec.worktree)
        try:
            brought = [
                *runnable_in(place, Oid(spec.base_commit)),
                *runnable_beside(Path(spec.repo)),
                *runnable_git(place),
            ]
        except ManyhandsError as error:
            log.warning("what could run here cannot be told: %s", error)
            return False
        return {piece.digest for piece in brought} <= set(spec.approved)

    async def _perform(self, command: wire.AnyCommand) -> None:
        if self._over.is_set():
            raise NotPossible("this keeper is about to end")
        self._life.begin()
        match command:
            case wire.Say():
                await self._conversations.say(command)
            case wire.Settle():
                await self._conversations.settle(command)
            case wire.Interrupt():
                await self._conversations.interrupt()
            case wire.Look():
                self._look(command.on)
            case wire.OpenTerminal() | wire.EndTerminal() | wire.SetBell():
                await self._terminals.perform(command)
            case wire.TakeOver() | wire.GiveBack():
                await self._takeover.perform(command)
            case wire.Serve():
                self._services.serve(command)
            case wire.Stop():
                self._over.set()
            case _:
                await self._conversations.change(command)


def _known_agent(host: KeeperHost, tasks: asyncio.TaskGroup) -> Agent:
    spec, workplace = host.spec, _workplace(host)
    return make_agent(spec.agent, host, tasks, workplace, mode=spec.mode, permits=host.permits)


def _workplace(host: KeeperHost) -> Workplace:
    spec = host.spec
    return Workplace(
        session=spec.session,
        worktree=Path(spec.worktree),
        repo=spec.repo,
        conversation=host.conversation,
        writes=host.writes,
        attachments=Path(spec.spool) / wire.ATTACHMENTS,
        box=host.box,
        way_out=host.way_out,
    )


def _cancel_the_rest() -> None:
    """Whatever still waits for something that will not come must not keep the process."""
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


LOG_BYTES = 1024 * 1024


def log_to(path: str, redactor: Redactor) -> None:
    """The keeper's log file: bounded, and as clean of secrets as everything else it tells."""
    if not path:
        return
    handler = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=1)
    handler.setFormatter(RedactingFormatter(redactor))
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.INFO)
