"""Claude Code as an agent, driven by the Agent SDK over a child of ours.

States: not started → up → gone. While up, at most one turn runs. The exit is learnt from the
process itself; then pending questions are abandoned, never answered, and `AgentExited` is the
last thing emitted.
"""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
import uuid
from collections.abc import Awaitable, Sequence
from pathlib import Path

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    HookMatcher,
    PermissionMode,
    PermissionUpdate,
    ProcessError,
)

from manyhands.agents import claude_content
from manyhands.agents.bounds import Bounds
from manyhands.agents.capabilities import CLAUDE
from manyhands.agents.claude_cli import CLI_MODES, Program, arguments, find_program
from manyhands.agents.claude_effort import send_effort
from manyhands.agents.claude_gate import Gate
from manyhands.agents.claude_meters import Estimates
from manyhands.agents.claude_offers import offers
from manyhands.agents.claude_stream import Stream
from manyhands.agents.claude_todos import load_todos
from manyhands.agents.claude_transcript import find_transcript, wait_for_transcript
from manyhands.agents.claude_transport import ClaudeTransport
from manyhands.agents.claude_turn import Turn
from manyhands.agents.claude_usage import load_meter
from manyhands.agents.permits import Permits
from manyhands.agents.protocol import Host, Workplace
from manyhands.errors import AgentFailed
from manyhands.model.events import (
    AgentExited,
    AgentStarted,
    Attachment,
    CommandsListed,
    Mode,
)
from manyhands.model.ids import AgentSessionId
from manyhands.model.session import Fork
from manyhands.model.wire import AgentSpec
from manyhands.process.spawn import Child
from manyhands.process.stop import stop_child

LAST_WORDS_SECONDS = 3.0
NOTES = ("skills", "plugins", "commands", "agents", "CLAUDE.md")

log = logging.getLogger(__name__)


class ClaudeAgent:
    steers = True
    capabilities = CLAUDE

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
        self._config = config_directory(spec)
        self._turn = Turn()
        self._gate = Gate(
            host=host,
            workplace=workplace,
            bounds=bounds_of(spec, workplace, self._config),
            permits=permits,
            mode=mode,
            set_cli_mode=_mode_update,
            last_text=lambda: self._stream.last_text if self._stream else "",
            withdraws=lambda: not self._stopping and self._child.alive,
            resumable=lambda: wait_for_transcript(self._config, self._id),
        )
        self._id = AgentSessionId("")
        self._stream: Stream | None = None
        self._stopping = False
        self._started = False
        self._problem = ""
        self._followed = asyncio.Event()
        self._gone = asyncio.Event()

    async def start(self, resume: AgentSessionId | None) -> None:
        program = await asyncio.to_thread(find_program, self._spec)
        fork = self._spec.fork
        if fork:
            resume = await asyncio.to_thread(bring_transcript, self._config, fork, self._workplace)
        id = self._id = AgentSessionId(str(uuid.uuid4())) if fork or not resume else resume
        self._stream = await asyncio.to_thread(self._make_stream, id)
        await self._connect(program, resume, id)
        self._started = True
        self._host.emit(
            AgentStarted(
                agent=self._spec.name,
                agent_session=id,
                pid=self._child.pid,
                model=self._spec.model,
                version=program.version,
                resumed=resume is not None,
            )
        )
        self._host.emit(CommandsListed(commands=offers(await self._client.get_server_info())))
        self._tasks.create_task(self._follow(self._stream))
        self._tasks.create_task(self._await_exit())

    def _make_stream(self, id: AgentSessionId) -> Stream:
        return Stream(
            self._host,
            self._workplace,
            load_meter(self._config, id),
            self._turn,
            on_mode=self._gate.entered,
            todos=load_todos(self._config, id),
            estimates=Estimates(self._spec.prices),
        )

    async def _connect(
        self, program: Program, resume: AgentSessionId | None, id: AgentSessionId
    ) -> None:
        mode, model = self._gate.mode, self._spec.model
        servers = self._workplace.worktree / ".mcp.json"
        flags = arguments(
            mode=mode,
            model=model,
            resume=resume,
            fresh=id,
            fork=self._spec.fork,
            effort=self._spec.effort,
            servers=servers if servers.is_file() else None,
            trusted=self._spec.trusted,
        )
        argv = [*program.command, *flags]
        self._transport = ClaudeTransport(argv, self._workplace.worktree, self._spec.env)
        self._client = ClaudeSDKClient(self._options(), self._transport)
        try:
            await self._client.connect()
        except Exception as error:
            raise self._failure(error, resume) from error

    def _options(self) -> ClaudeAgentOptions:
        return ClaudeAgentOptions(
            can_use_tool=self._gate.can_use_tool,
            hooks={"PreToolUse": [HookMatcher(hooks=[self._gate.hook])]},
            forward_subagent_text=True,
            system_prompt={"type": "preset", "preset": "claude_code"},
        )

    def _failure(self, error: Exception, resume: AgentSessionId | None) -> AgentFailed:
        said = self._last_words() or str(error)
        # The program may have been ended before its own words about it arrived.
        if resume and find_transcript(self._config, resume) is None:
            return AgentFailed(
                f"Claude Code has no conversation {resume} to resume",
                hint="its transcript is gone; start a new session to go on",
            )
        return AgentFailed(f"Claude Code did not start: {said}")

    @property
    def _child(self) -> Child:
        return self._transport.child

    def _last_words(self) -> str:
        try:
            lines = self._child.errors.text().splitlines()
        except ClaudeSDKError:
            return ""
        return lines[-1] if lines else ""

    async def send(self, text: str, attachments: Sequence[Attachment] = ()) -> None:
        self._turn.begin()
        content = claude_content.message(text, attachments) if attachments else text
        await _heard(self._client.query(content))

    async def interrupt(self) -> None:
        if self._turn.running:
            self._turn.interrupt()
            await _heard(self._client.interrupt())

    async def set_mode(self, mode: Mode) -> None:
        self._gate.mode = mode
        await _heard(self._client.set_permission_mode(_cli_mode(mode)))

    async def set_model(self, model: str) -> None:
        await _heard(self._client.set_model(model or None))

    async def set_effort(self, effort: str) -> None:
        await _heard(send_effort(self._client, effort))

    async def stop(self) -> None:
        """Interrupt, TERM, KILL; returns when the process is gone and that has been said."""
        self._stopping = True
        if self._started:
            await stop_child(self._child, self.interrupt)
            await self._gone.wait()

    async def _follow(self, stream: Stream) -> None:
        try:
            async for message in self._client.receive_messages():
                stream.take(message)
        except ProcessError as error:
            log.debug("the stream ended: %s", error)
        except Exception as error:
            log.exception("the stream of agent %s cannot be followed", self._spec.name)
            self._problem = f"what it said could not be read: {error}"
        finally:
            self._followed.set()
        # Nobody hears it any more, so it must not go on.
        await stop_child(self._child)

    async def _await_exit(self) -> None:
        code = await self._child.wait()
        try:
            async with asyncio.timeout(LAST_WORDS_SECONDS):
                await self._followed.wait()
        except TimeoutError:
            log.warning("the last words of agent %s were cut short", self._spec.name)
        try:
            await self._client.disconnect()
        except Exception:
            log.exception("agent %s was not let go cleanly", self._spec.name)
        reason = self._problem or self._last_words()
        self._host.emit(AgentExited(returncode=code, expected=self._stopping, reason=reason))
        self._gone.set()


async def _heard(request: Awaitable[None]) -> None:
    """The SDK tells of a dead or deaf program by exceptions of many kinds."""
    try:
        await request
    except Exception as error:
        raise AgentFailed(f"the agent does not answer: {error}") from error


def config_directory(spec: AgentSpec) -> Path:
    """Where Claude Code keeps login, settings, plans and transcripts."""
    given = spec.env.get("CLAUDE_CONFIG_DIR")
    return Path(given) if given else Path(spec.env.get("HOME", "/")) / ".claude"


def bring_transcript(config: Path, fork: Fork, workplace: Workplace) -> AgentSessionId:
    """Claude Code looks for a dialogue only where it was led: a fork elsewhere needs a copy."""
    here = transcript(config, workplace.worktree, fork.agent_session)
    there = transcript(config, Path(fork.worktree or workplace.worktree), fork.agent_session)
    if not here.exists() and there.exists():
        here.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(there, here)
    return fork.agent_session


def transcript(config: Path, worktree: Path, dialogue: AgentSessionId) -> Path:
    return project_directory(config, worktree) / f"{dialogue}.jsonl"


def project_directory(config: Path, worktree: Path) -> Path:
    return config / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(worktree.resolve()))


def bounds_of(spec: AgentSpec, workplace: Workplace, config: Path) -> Bounds:
    worktree = workplace.worktree.resolve()
    project = project_directory(config, worktree)
    scratch = spec.env.get("CLAUDE_CODE_TMPDIR")
    given = (workplace.attachments,) if workplace.attachments else ()
    return Bounds(
        worktree=worktree,
        cwd=worktree,
        home=Path(spec.env.get("HOME", "/")),
        scratch=(Path(scratch),) if scratch else (),
        plans=(config / "plans",),
        notes=(project, *(config / name for name in NOTES), *given),
    )


def _cli_mode(mode: Mode) -> PermissionMode:
    return CLI_MODES[mode]  # type: ignore[return-value]


def _mode_update(mode: Mode) -> PermissionUpdate:
    return PermissionUpdate(type="setMode", mode=_cli_mode(mode), destination="session")
