"""An agent that speaks the Agent Client Protocol.

States: not started → up → gone. While up at most one turn runs: one prompt, and after it one
more for each thing that the protocol could not say within it. The exit is learnt from the
process itself; then pending questions are abandoned, never answered, and `AgentExited` is the
last thing emitted.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import nullcontext

from acp.schema import (
    AgentCapabilities,
    CancelNotification,
    McpCapabilities,
    PromptCapabilities,
    PromptRequest,
    PromptResponse,
)

from manyhands.agents.acp import opening
from manyhands.agents.acp.client import Client
from manyhands.agents.acp.connection import LARGEST_MESSAGE, Gone, Line, LoginMissing
from manyhands.agents.acp.content import Block, blocks
from manyhands.agents.acp.gate import Gate
from manyhands.agents.acp.judgement import bounds_of
from manyhands.agents.acp.memory import Memory
from manyhands.agents.acp.options import Options
from manyhands.agents.acp.program import (
    ended_at_start,
    exit_code,
    not_logged_in,
    require_program,
    silent_at_start,
)
from manyhands.agents.acp.quirks import NONE
from manyhands.agents.acp.servers import Servers, load_servers
from manyhands.agents.acp.stream import Stream
from manyhands.agents.acp.usage import Meter
from manyhands.agents.capabilities import UNKNOWN
from manyhands.agents.known import known_agent
from manyhands.agents.permits import Permits
from manyhands.agents.protocol import Host, Workplace
from manyhands.errors import AgentFailed, ManyhandsError, NotPossible
from manyhands.model.agent_events import Attachment
from manyhands.model.events import (
    AgentExited,
    AgentStarted,
    Mode,
    NoteMade,
    Outcome,
    TurnFinished,
)
from manyhands.model.ids import AgentSessionId
from manyhands.model.wire import AgentSpec
from manyhands.process.group_guard import guarded
from manyhands.process.spawn import spawn
from manyhands.process.stop import stop_child

START_SECONDS = 120.0
MOST_PROMPTS = 4
"""In one turn: an agent that is denied the same thing again and again is not asked for ever."""
STOPPED = {
    "max_tokens": "the model's answer grew longer than it may be",
    "max_turn_requests": "the agent used up its requests for one turn",
    "refusal": "the model refused to go on",
}

log = logging.getLogger(__name__)


class AcpAgent:
    def __init__(
        self,
        spec: AgentSpec,
        host: Host,
        tasks: asyncio.TaskGroup,
        workplace: Workplace,
        permits: Permits,
        mode: Mode,
    ) -> None:
        self._spec = spec
        self._host = host
        self._tasks = tasks
        self._workplace = workplace
        self._known = known_agent(spec.like, spec.command)
        self._quirks = self._known.quirks if self._known else NONE
        self.capabilities = self._known.capabilities if self._known else UNKNOWN
        self._memory = Memory(spec.memory)
        self._gate = Gate(
            host=host,
            workplace=workplace,
            bounds=bounds_of(workplace, spec.env),
            permits=permits,
            mode=mode,
            quirks=self._quirks,
            stream=Stream(host, workplace, self._quirks, self._options_changed),
            tasks=tasks,
            enter=self._enter,
        )
        self.steers = self.capabilities.steers
        self._effort = ""
        self._notes: list[str] = []
        self._interrupted = False
        self._running = False
        self._stopping = False
        self._started = False
        self._gone = asyncio.Event()

    async def start(self, resume: AgentSessionId | None) -> None:
        # One that must not write is one that can be held to a plan.
        self._require_mode(self._gate.mode if self._workplace.writes else "plan")
        command = await asyncio.to_thread(require_program, self._spec, self._known)
        alone = self._memory.alone(START_SECONDS) if self._quirks.starts_alone else nullcontext()
        async with alone:
            version = await self._begin(command, resume)
        self._tell_started(version, resume)

    async def _begin(self, command: tuple[str, ...], resume: AgentSessionId | None) -> str:
        cwd = self._workplace.worktree
        env = {**self._spec.env, **self._quirks.env, "PWD": str(cwd)}
        self._child = await spawn(
            guarded(command), cwd=cwd, env=env, limit=LARGEST_MESSAGE, tethered=True
        )
        self._line = Line(self._child, Client(self._gate).handle)
        try:
            async with asyncio.timeout(START_SECONDS):
                return await self._open(resume)
        except BaseException as error:
            await self._give_up(error)
            raise

    async def _open(self, resume: AgentSessionId | None) -> str:
        stream = self._gate.stream
        about = await opening.initialize(self._line)
        self._can = about.agent_capabilities or AgentCapabilities()
        self._place = await asyncio.to_thread(self._load_place)
        opened = await opening.open_session(self._line, about, self._place, resume, self._spec.name)
        self._about = about
        self._id = opened.id
        self._options = Options(self._line, opened.id)
        self._options.learn(opened.options)
        self._options.learn_old(opened.plain)
        per_turn = self._quirks.usage_per_turn
        stream.meter = Meter(self._memory.sums(opened.id), per_turn=per_turn)
        await self._dress(self._spec.model, self._spec.effort)
        stream.meter.model = self._spec.model or self._options.model
        self._memory.set_models(self._options.models)
        return about.agent_info.version if about.agent_info else ""

    def _load_place(self) -> opening.Place:
        """With the repository's tool servers, once its user trusts it."""
        worktree = self._workplace.worktree
        servers = Servers()
        if self._spec.trusted:
            can = self._can.mcp_capabilities or McpCapabilities()
            servers = load_servers(worktree, self._spec.env, can)
        self._notes += servers.notes
        return opening.Place(str(worktree), servers.found)

    async def _dress(self, model: str, effort: str) -> None:
        if model:
            await self._options.set_model(model)
        await self.set_effort(effort)
        await self._enter(self._gate.mode)

    async def _give_up(self, error: BaseException) -> None:
        """Say, in one sentence, why it did not start; nothing of it is left running."""
        code = self._child.returncode
        if not self._child.alive or isinstance(error, AgentFailed):
            # A program that ends closes its output a moment before it is gone.
            code = await exit_code(self._child)
        await stop_child(self._child)
        await self._line.close()
        match error:
            case LoginMissing():
                raise not_logged_in(self._spec, self._known) from error
            case TimeoutError():
                raise silent_at_start(self._spec, START_SECONDS) from error
            case ManyhandsError() if code is not None:
                raise ended_at_start(self._spec, code, self._last_words()) from error

    def _tell_started(self, version: str, resume: AgentSessionId | None) -> None:
        self._started = True
        self._host.emit(
            AgentStarted(
                agent=self._spec.name,
                agent_session=self._id,
                pid=self._child.pid,
                model=self._spec.model or self._options.model,
                version=version,
                resumed=resume is not None,
                steers=self.steers,
            )
        )
        self._gate.stream.open()
        self._tell_notes()
        self._tasks.create_task(self._await_exit())

    def _tell_notes(self) -> None:
        notes, self._notes = self._notes, []
        for note in notes:
            self._host.emit(NoteMade(text=note))

    def _last_words(self) -> str:
        lines = self._child.errors.text().splitlines()
        return lines[-1] if lines else ""

    async def send(self, text: str, attachments: Sequence[Attachment] = ()) -> None:
        """The turn goes on by itself: its end is told, not awaited."""
        if self._running:
            raise NotPossible("this agent takes no message within a turn")
        if not self._child.alive:
            raise AgentFailed("the agent does not answer: it is gone")
        self._running, self._interrupted = True, False
        can = self._can.prompt_capabilities or PromptCapabilities()
        try:
            message = await asyncio.to_thread(blocks, text, attachments, can)
        except AgentFailed:
            self._running = False
            raise
        self._tasks.create_task(self._turn(message))

    async def _turn(self, message: list[Block]) -> None:
        try:
            outcome, error = await self._prompts(message)
        except Gone:
            await self._see_it_gone()
            return
        said = self._gate.stream.end()
        self._running = False
        if self._interrupted:
            outcome, error = "interrupted", ""
        elif said:
            outcome, error = "failed", said
        self._host.emit(TurnFinished(outcome=outcome, error=error))

    async def _see_it_gone(self) -> None:
        """Its exit is told instead of a turn's end, so what it asked stays open."""
        await exit_code(self._child)
        await stop_child(self._child)

    async def _prompts(self, message: list[Block]) -> tuple[Outcome, str]:
        outcome: Outcome = "done"
        problem = ""
        for _ in range(MOST_PROMPTS):
            try:
                outcome, problem = await self._prompt(message)
            except LoginMissing:
                missing = not_logged_in(self._spec, self._known)
                return "failed", f"{missing.message}: {missing.hint}"
            except Gone:
                raise
            except ManyhandsError as error:
                return "failed", error.message
            words, self._gate.words = self._gate.words, []
            if not words or self._interrupted:
                break
            message = blocks("\n\n".join(words), (), PromptCapabilities())
        return outcome, problem

    async def _prompt(self, message: list[Block]) -> tuple[Outcome, str]:
        request = PromptRequest(session_id=self._id, prompt=[*message])
        answer = await self._line.ask("session/prompt", request, PromptResponse)
        if record := self._gate.stream.meter.read_tokens(answer.usage):
            self._host.emit(record)
        if self._interrupted and self._quirks.outlives_cancel:
            await self._reopen()
        problem = STOPPED.get(answer.stop_reason, "")
        return ("failed", problem) if problem else ("done", "")

    async def _reopen(self) -> None:
        """A session that was closed and taken up again has forgotten how it was set."""
        model = self._options.model
        stream = self._gate.stream
        stream.muted = True
        opened = await opening.reopen(self._line, self._about, self._place, self._id)
        stream.muted = False
        self._options.learn(opened.options)
        await self._dress(model, self._effort)

    async def interrupt(self) -> None:
        if not self._running:
            return
        self._interrupted = True
        self._gate.withdraw()
        await self._line.tell("session/cancel", CancelNotification(session_id=self._id))

    async def set_mode(self, mode: Mode) -> None:
        self._require_mode(mode)
        await self._enter(mode)
        self._gate.mode = mode

    def _require_mode(self, mode: Mode) -> None:
        if mode not in self.capabilities.modes:
            offered = ", ".join(self.capabilities.modes)
            raise NotPossible(
                f"agent {self._spec.name} cannot be held to mode {mode}", hint=f"offered: {offered}"
            )

    async def _enter(self, mode: Mode) -> None:
        if not self._workplace.writes:
            mode = "ask"  # so that it asks for every change, and is denied
        for option, value in self._quirks.modes.get(mode, {}).items():
            await self._options.set(option, value)

    async def set_model(self, model: str) -> None:
        await self._options.set_model(model)
        self._gate.stream.meter.model = model

    async def set_effort(self, effort: str) -> None:
        """What the agent has no such level for is passed by, and noted: words must not be lost."""
        try:
            await self._options.set_effort(effort)
        except NotPossible as problem:
            self._notes.append(f"Effort {effort} is not used: {problem.message}")
            if self._started:
                self._tell_notes()
        else:
            self._effort = effort

    def _options_changed(self, options: list[object]) -> None:
        self._options.learn(options)

    async def stop(self) -> None:
        """Cancel, TERM, KILL; returns when the process is gone and that has been said."""
        self._stopping = True
        if self._started:
            await stop_child(self._child, self.interrupt)
            await self._gone.wait()

    async def _await_exit(self) -> None:
        code = await self._child.wait()
        await stop_child(self._child)
        await self._line.close()
        self._gate.stream.flush()
        exited = AgentExited(returncode=code, expected=self._stopping, reason=self._last_words())
        self._host.emit(exited)
        self._gone.set()
