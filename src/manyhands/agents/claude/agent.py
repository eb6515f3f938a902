"""Claude Code as an agent, driven by the Agent SDK over a child of ours.

States: not started → up → gone. While up, at most one turn runs. The exit is learnt from the
process itself; then pending questions are abandoned, never answered, and `AgentExited` is the
last thing emitted.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from typing import Any

from manyhands.agents.bounded import commands_listed, load_encoded, naming
from manyhands.agents.capabilities import CLAUDE
from manyhands.agents.claude import sdk
from manyhands.agents.claude.cli import Program, arguments, find_program
from manyhands.agents.claude.gate import ClaudeGate, bounds_of, cli_mode
from manyhands.agents.claude.history import (
    bring_transcript,
    config_directory,
    find_transcript,
    recall,
    transcript_size,
    wait_for_prompt,
)
from manyhands.agents.claude.stream import ClaudeStream
from manyhands.agents.claude.todos import load_todos
from manyhands.agents.claude.transport import ClaudeTransport
from manyhands.agents.claude.turn import Turn
from manyhands.agents.claude.usage import Estimates, load_meter
from manyhands.agents.protocol import Assignment, Recalled
from manyhands.errors import AgentFailed
from manyhands.model import events as e
from manyhands.model.agent.conversation import Heard
from manyhands.model.ids import AgentSessionId
from manyhands.process.spawn import Child
from manyhands.process.stop import stop_child

LAST_WORDS_SECONDS = 3.0
IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
DOCUMENTS = frozenset({"application/pdf"})

log = logging.getLogger(__name__)


class ClaudeAgent:
    capabilities = CLAUDE

    def __init__(self, given: Assignment) -> None:
        self._spec = spec = given.spec
        self._host = host = given.host
        self._workplace = workplace = given.workplace
        self._tasks = given.tasks
        self._config = config_directory(spec.env)
        self._turn = Turn()
        self._gate = ClaudeGate(
            host=host,
            workplace=workplace,
            bounds=bounds_of(spec, workplace, self._config),
            permits=given.permits,
            mode=given.mode,
            last_text=lambda: self._stream.last_text if self._stream else "",
            withdraws=lambda: not self._stopping and self._child.alive,
            resumable=lambda: wait_for_prompt(self._config, self._id, self._recorded),
        )
        self._id = AgentSessionId("")
        self._recorded = 0
        """The size of the program's own record when the turn began."""
        self._stream: ClaudeStream | None = None
        self._stopping = False
        self._started = False
        self._problem = ""
        self._followed = asyncio.Event()
        self._gone = asyncio.Event()

    async def recall(self, resume: AgentSessionId, told: Heard) -> Recalled:
        return await asyncio.to_thread(recall, self._config, resume, told)

    async def start(self, resume: AgentSessionId | None) -> None:
        program = await asyncio.to_thread(find_program, self._spec)
        fork = self._spec.fork
        if fork:
            resume, here = fork.agent_session, self._workplace.worktree
            await asyncio.to_thread(bring_transcript, self._config, fork, here)
        id = self._id = AgentSessionId(str(uuid.uuid4())) if fork or not resume else resume
        self._stream = await asyncio.to_thread(self._make_stream, id)
        await self._connect(program, resume, id)
        self._started = True
        self._host.emit(
            e.AgentStarted(
                agent=self._spec.name,
                agent_session=id,
                pid=self._child.pid,
                model=self._spec.model,
                version=program.version,
                resumed=resume is not None,
            )
        )
        self._host.emit(commands_listed(offers(await self._client.get_server_info())))
        self._tasks.create_task(self._follow(self._stream))
        self._tasks.create_task(self._await_exit())

    def _make_stream(self, id: AgentSessionId) -> ClaudeStream:
        return ClaudeStream(
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
        servers = self._workplace.worktree / ".mcp.json"
        brought = servers if servers.is_file() else None
        flags = arguments(self._spec, self._gate.mode, resume, id, brought)
        argv = [*program.command, *flags]
        here = self._workplace
        self._transport = ClaudeTransport(
            argv, here.worktree, self._spec.env, here.box, here.way_out
        )
        self._client = sdk.ClaudeSDKClient(self._options(), self._transport)
        try:
            await self._client.connect()
        except Exception as error:
            raise self._failure(error, resume) from error

    def _options(self) -> sdk.ClaudeAgentOptions:
        return sdk.ClaudeAgentOptions(
            can_use_tool=self._gate.can_use_tool,
            hooks={"PreToolUse": [sdk.HookMatcher(hooks=[self._gate.hook])]},
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
        except sdk.ClaudeSDKError:
            return ""
        return lines[-1] if lines else ""

    async def send(self, text: str, attachments: Sequence[e.Attachment] = ()) -> None:
        if not self._turn.running:
            self._recorded = transcript_size(self._config, self._id)
        self._turn.begin()
        content = message(text, attachments) if attachments else text
        await _heard(self._client.query(content))

    async def interrupt(self) -> None:
        if self._turn.running:
            self._turn.interrupt()
            await _heard(self._client.interrupt())

    async def set_mode(self, mode: e.Mode) -> None:
        self._gate.mode = mode
        await _heard(self._client.set_permission_mode(cli_mode(mode)))

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

    async def _follow(self, stream: ClaudeStream) -> None:
        try:
            async for message in self._client.receive_messages():
                stream.take(message)
                await self._host.room()
        except sdk.ProcessError as error:
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
        self._host.emit(e.AgentExited(returncode=code, expected=self._stopping, reason=reason))
        self._gone.set()


async def _heard(request: Awaitable[None]) -> None:
    """The SDK tells of a dead or deaf program by exceptions of many kinds."""
    try:
        await request
    except Exception as error:
        raise AgentFailed(f"the agent does not answer: {error}") from error


async def message(text: str, attachments: Sequence[e.Attachment]) -> AsyncIterator[dict[str, Any]]:
    """With attached files, as Claude Code takes it."""
    said = {"role": "user", "content": [*_blocks(text, attachments)]}
    yield {"type": "user", "message": said, "parent_tool_use_id": None}


def _blocks(text: str, attachments: Sequence[e.Attachment]) -> Iterator[dict[str, Any]]:
    """Pictures and documents go along; what the model cannot look at is named by its path."""
    yield {"type": "text", "text": naming(text, [a for a in attachments if not _is_shown(a)])}
    for attachment in filter(_is_shown, attachments):
        kind = "image" if attachment.media_type in IMAGES else "document"
        data, media = load_encoded(attachment), attachment.media_type
        yield {"type": kind, "source": {"type": "base64", "media_type": media, "data": data}}


def _is_shown(attachment: e.Attachment) -> bool:
    return attachment.media_type in IMAGES | DOCUMENTS


def offers(info: dict[str, object] | None) -> Iterator[tuple[str, str]]:
    listed = (info or {}).get("commands")
    for command in listed if isinstance(listed, list) else ():
        if isinstance(command, dict):
            yield str(command.get("name", "")), str(command.get("description", ""))


SENDER = "_send_control_request"


async def send_effort(client: sdk.ClaudeSDKClient, effort: str) -> None:
    """Empty: as the program has it by itself. The one thing that the SDK has no method for.

    The program takes it by the same control requests as mode and model; only how the SDK sends
    those is not public. Should a newer SDK send them otherwise, it is told here.
    """
    send = getattr(client._query, SENDER, None)
    if send is None:
        raise AgentFailed(
            "this version of the Claude Agent SDK cannot change the effort of a running agent",
            hint="it holds from the next start of the agent",
        )
    await send({"subtype": "apply_flag_settings", "settings": {"effortLevel": effort or None}})
