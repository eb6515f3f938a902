"""An agent that speaks the Agent Client Protocol.

States: not started → up → gone. While up at most one turn runs: one prompt, and after it one
more for each thing that the protocol could not say within it. The exit is learnt from the
process itself; then pending questions are abandoned, never answered, and `AgentExited` is the
last thing emitted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from acp import schema

from manyhands.agents.acp import opening
from manyhands.agents.acp.connection import (
    Gone,
    LoginMissing,
    exit_code,
    not_logged_in,
    starting,
)
from manyhands.agents.acp.content import Block, blocks
from manyhands.agents.acp.gate import AcpGate, bounds_of
from manyhands.agents.acp.memory import Memory
from manyhands.agents.acp.options import Options
from manyhands.agents.acp.servers import Servers, load_servers
from manyhands.agents.acp.stream import AcpStream
from manyhands.agents.acp.usage import AcpMeter
from manyhands.agents.capabilities import UNKNOWN
from manyhands.agents.known import Quirks, known_agent
from manyhands.agents.protocol import Assignment, Recalled
from manyhands.errors import AgentFailed, ManyhandsError, NotPossible
from manyhands.model import events as e
from manyhands.model.agent.conversation import Heard
from manyhands.model.agent.events import Attachment
from manyhands.model.ids import AgentSessionId
from manyhands.process.stop import stop_child

MOST_PROMPTS = 4
"""An agent that is denied the same thing again and again is not asked for ever."""
STOPPED = {
    "max_tokens": "the model's answer grew longer than it may be",
    "max_turn_requests": "the agent used up its requests for one turn",
    "refusal": "the model refused to go on",
}


WITHOUT_A_WORD = (
    "the agent ended its turn without a word or a call: its model may have given no answer"
)


class AcpAgent:
    def __init__(self, given: Assignment) -> None:
        self._spec = spec = given.spec
        self._host = host = given.host
        self._workplace = workplace = given.workplace
        self._tasks = given.tasks
        self._known = known_agent(spec.like, spec.command)
        self._quirks = self._known.quirks if self._known else Quirks()
        self.capabilities = self._known.capabilities if self._known else UNKNOWN
        self._memory = Memory(spec.memory)
        self._gate = AcpGate(
            host=host,
            workplace=workplace,
            bounds=bounds_of(workplace, spec.env),
            permits=given.permits,
            mode=given.mode,
            quirks=self._quirks,
            stream=AcpStream(host, workplace, self._quirks, self._options_changed),
            tasks=given.tasks,
            enter=self._enter,
        )
        self._effort = ""
        self._notes: list[str] = []
        self._interrupted = False
        self._running = False
        self._stopping = False
        self._started = False
        self._is_command = False
        """A command of the agent's own may have nothing to say."""
        self._gone = asyncio.Event()

    async def recall(self, resume: AgentSessionId, told: Heard) -> Recalled:
        return Recalled()

    async def start(self, resume: AgentSessionId | None) -> None:
        # One that must not write is one that can be held to a plan.
        self._require_mode(self._gate.mode if self._workplace.writes else "plan")
        where, handler = self._workplace.worktree, self._gate.handle
        room = self._host.room
        box, way_out = self._workplace.box, self._workplace.way_out
        begun = starting(self._spec, self._known, where, handler, room, box=box, way_out=way_out)
        async with begun as self._line:
            self._child = self._line.child
            version = await self._open(resume)
        self._tell_started(version, resume)

    async def _open(self, resume: AgentSessionId | None) -> str:
        about = await opening.initialize(self._line)
        self._can = about.agent_capabilities or schema.AgentCapabilities()
        servers = await asyncio.to_thread(self._load_servers)
        self._notes += servers.notes
        where = str(self._workplace.worktree)
        self._opening = opening.Handshake(self._line, about, self._spec.name, where, servers.found)
        fork = self._spec.fork
        opened = await (
            self._opening.fork(fork.agent_session) if fork else self._opening.open(resume)
        )
        self._id = opened.id
        self._options = Options(self._line, opened.id)
        self._options.learn(opened.options)
        self._options.learn_old(opened.plain)
        meter = AcpMeter(self._memory.sums(opened.id), per_turn=self._quirks.usage_per_turn)
        self._gate.stream.meter = meter
        await self._dress(self._spec.model, self._spec.effort)
        meter.model = self._spec.model or self._options.model
        self._memory.set_models(self._options.models)
        return about.agent_info.version if about.agent_info else ""

    def _load_servers(self) -> Servers:
        """The repository's tool servers, once its user trusts it."""
        if not self._spec.trusted:
            return Servers()
        can = self._can.mcp_capabilities or schema.McpCapabilities()
        return load_servers(self._workplace.worktree, self._spec.env, can)

    async def _dress(self, model: str, effort: str) -> None:
        if model:
            await self._options.set_model(model)
        await self.set_effort(effort)
        await self._enter(self._gate.mode)

    def _tell_started(self, version: str, resume: AgentSessionId | None) -> None:
        self._started = True
        self._host.emit(
            e.AgentStarted(
                agent=self._spec.name,
                agent_session=self._id,
                pid=self._child.pid,
                model=self._spec.model or self._options.model,
                version=version,
                resumed=resume is not None or self._spec.fork is not None,
                steers=self.capabilities.steers,
            )
        )
        self._gate.stream.open()
        self._tell_notes()
        self._tasks.create_task(self._await_exit())

    def _tell_notes(self) -> None:
        notes, self._notes = self._notes, []
        for note in notes:
            self._host.emit(e.NoteMade(text=note))

    async def send(self, text: str, attachments: Sequence[Attachment] = ()) -> None:
        """The turn goes on by itself: its end is told, not awaited."""
        if self._running:
            raise NotPossible("this agent takes no message within a turn")
        if not self._child.alive:
            raise AgentFailed("the agent does not answer: it is gone")
        self._running = self._gate.stream.silent = True
        self._interrupted = self._gate.called_off = False
        can = self._can.prompt_capabilities or schema.PromptCapabilities()
        try:
            message = await asyncio.to_thread(blocks, text, attachments, can)
        except AgentFailed:
            self._running = False
            raise
        self._is_command = text.lstrip().startswith("/")
        self._tasks.create_task(self._turn(message))

    async def _turn(self, message: list[Block]) -> None:
        try:
            outcome, error = await self._take_turn(message)
        except Gone:
            # Its exit is told instead of a turn's end, so what it asked stays open.
            await exit_code(self._child)
            await stop_child(self._child)
            return
        said = self._gate.stream.end()
        self._running = False
        if self._interrupted:
            outcome, error = "interrupted", ""
        elif said:
            outcome, error = "failed", said
        elif outcome == "done" and self._gate.stream.silent and not self._is_command:
            outcome, error = "failed", WITHOUT_A_WORD
        self._host.emit(e.TurnFinished(outcome=outcome, error=error))

    async def _take_turn(self, message: list[Block]) -> tuple[e.Outcome, str]:
        """How it ended, and what was wrong; raises only where the agent is gone."""
        problem = ""
        for _ in range(MOST_PROMPTS):
            try:
                answer = await self._prompt(message)
            except Gone:
                raise
            except ManyhandsError as error:
                return "failed", error.message
            problem = STOPPED.get(answer.stop_reason, "")
            words, self._gate.words = self._gate.words, []
            if not words or self._interrupted:
                break
            message = blocks("\n\n".join(words), (), schema.PromptCapabilities())
        return ("failed", problem) if problem else ("done", "")

    async def _prompt(self, message: list[Block]) -> schema.PromptResponse:
        request = schema.PromptRequest(session_id=self._id, prompt=[*message])
        try:
            answer = await self._line.ask("session/prompt", request, schema.PromptResponse)
        except LoginMissing as error:
            missing = not_logged_in(self._spec, self._known)
            raise AgentFailed(f"{missing.message}: {missing.hint}") from error
        if record := self._gate.stream.meter.read_tokens(answer.usage):
            self._gate.stream.silent = False
            self._host.emit(record)
        if self._interrupted and self._quirks.outlives_cancel:
            await self._reopen()
        return answer

    async def _reopen(self) -> None:
        """A session that was closed and taken up again has forgotten how it was set."""
        model = self._options.model
        stream = self._gate.stream
        stream.muted = True
        opened = await self._opening.reopen(self._id)
        stream.muted = False
        self._options.learn(opened.options)
        await self._dress(model, self._effort)

    async def interrupt(self) -> None:
        if not self._running:
            return
        self._interrupted = True
        self._gate.withdraw()
        await self._line.tell("session/cancel", schema.CancelNotification(session_id=self._id))

    async def set_mode(self, mode: e.Mode) -> None:
        self._require_mode(mode)
        await self._enter(mode)
        self._gate.mode = mode

    def _require_mode(self, mode: e.Mode) -> None:
        if mode not in self.capabilities.modes:
            offered = ", ".join(self.capabilities.modes)
            raise NotPossible(
                f"agent {self._spec.name} cannot be held to mode {mode}", hint=f"offered: {offered}"
            )

    async def _enter(self, mode: e.Mode) -> None:
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
        await self._line.end()
        self._gate.stream.flush()
        exited = e.AgentExited(
            returncode=code, expected=self._stopping, reason=self._line.last_words
        )
        self._host.emit(exited)
        self._gone.set()
