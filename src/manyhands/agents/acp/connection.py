"""The line to one agent, from its start to its end: JSON-RPC over a child of ours."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from acp.connection import Connection
from acp.exceptions import RequestError
from acp.schema import BaseModel
from acp.utils import serialize_params
from pydantic import ValidationError

from manyhands.agents.acp.memory import Memory
from manyhands.agents.known import KnownAgent, Quirks
from manyhands.agents.program import require_program
from manyhands.box.network.way_out import WayOut
from manyhands.box.starting import start_boxed
from manyhands.errors import AgentFailed, ManyhandsError
from manyhands.model.box import NO_BOX, Box
from manyhands.model.wire import AgentSpec
from manyhands.process.spawn import Child
from manyhands.process.stop import stop_child

START_SECONDS = 120.0
LAST_WORDS_SECONDS = 3.0
LARGEST_MESSAGE = 64 * 1024 * 1024
AUTH_REQUIRED = -32000

Handler = Callable[[str, Any, bool], Awaitable[Any]]
Room = Callable[[], Awaitable[None]]
"""Returns once one more message can be taken."""
Model = TypeVar("Model", bound=BaseModel)

log = logging.getLogger(__name__)


class LoginMissing(AgentFailed):
    """The agent wants to be logged in first."""


class Gone(AgentFailed):
    """The agent has closed its line: it has ended, or is about to."""


class AcpLine:
    def __init__(self, child: Child, handler: Handler, room: Room) -> None:
        self.child = child
        self._connection = Connection(handler, _Transport(child, room))

    async def ask(self, method: str, params: BaseModel, answer: type[Model]) -> Model:
        """The agent's answer, whenever it comes; raises where it refuses or is gone."""
        said = await self.ask_plainly(method, serialize_params(params))
        try:
            return answer.model_validate(said if isinstance(said, dict) else {})
        except ValidationError as error:
            raise AgentFailed(
                f"the agent's answer to {method} is not understood: {error}"
            ) from error

    async def ask_plainly(self, method: str, params: dict[str, Any]) -> Any:
        try:
            return await self._connection.send_request(method, params)
        except RequestError as error:
            if error.code == AUTH_REQUIRED:
                raise LoginMissing("the agent is not logged in") from error
            raise AgentFailed(reason(error)) from error
        except OSError as error:
            raise Gone("the agent does not answer: it is gone") from error

    async def tell(self, method: str, params: BaseModel) -> None:
        try:
            await self._connection.send_notification(method, serialize_params(params))
        except OSError as error:
            raise Gone("the agent does not listen: it is gone") from error

    @property
    def last_words(self) -> str:
        lines = self.child.errors.text().splitlines()
        return lines[-1] if lines else ""

    async def end(self) -> None:
        """Nothing of the agent is left running; whatever it still waits for is called off."""
        await stop_child(self.child)
        await self._connection.close()


class _Transport:
    """What the protocol's own library reads from and writes to."""

    def __init__(self, child: Child, room: Room) -> None:
        self._child = child
        self._room = room

    async def send(self, message: dict[str, Any]) -> None:
        await self._child.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    async def receive(self) -> dict[str, Any] | None:
        """The library reads on without looking whether anybody keeps up."""
        await self._room()
        while (line := await self._child.output.line()) is not None:
            if message := _message(line):
                return message
        return None

    async def close(self) -> None:
        """The child is not ours to end here."""


def _message(line: bytes) -> dict[str, Any] | None:
    """A program may print what is no message; that must not end the dialogue."""
    try:
        found = msgspec.json.decode(line) if line.strip() else None
    except msgspec.DecodeError:
        log.warning("not a message: %.200r", line)
        return None
    return found if isinstance(found, dict) else None


def reason(error: RequestError) -> str:
    """One sentence on what the agent refused, from wherever it put it."""
    data = error.data if isinstance(error.data, dict) else {}
    said = str(error).removeprefix("Internal error: ")
    details = data.get("details") or data.get("message")
    return str(details) if details and said == "Internal error" else said


@asynccontextmanager
async def starting(
    spec: AgentSpec,
    known: KnownAgent | None,
    cwd: Path,
    handler: Handler,
    room: Room,
    *,
    box: Box = NO_BOX,
    way_out: WayOut | None = None,
) -> AsyncIterator[AcpLine]:
    """The program until it is ready; one that fails is ended, and one sentence says why."""
    quirks = known.quirks if known else Quirks()
    command = await asyncio.to_thread(require_program, spec, known)
    alone = Memory(spec.memory).alone(START_SECONDS) if quirks.starts_alone else nullcontext()
    env = {**spec.env, **quirks.env, "PWD": str(cwd)}
    async with alone:
        child = await start_boxed(
            box,
            command,
            cwd=cwd,
            env=env,
            limit=LARGEST_MESSAGE,
            group=True,
            way_out=way_out,
        )
        line = AcpLine(child, handler, room)
        try:
            async with asyncio.timeout(START_SECONDS):
                yield line
        except BaseException as error:
            await _give_up(line, spec, known, error)
            raise


async def _give_up(
    line: AcpLine, spec: AgentSpec, known: KnownAgent | None, error: BaseException
) -> None:
    code = line.child.returncode
    if not line.child.alive or isinstance(error, AgentFailed):
        # A program that ends closes its output a moment before it is gone.
        code = await exit_code(line.child)
    await line.end()
    match error:
        case LoginMissing():
            raise not_logged_in(spec, known) from error
        case TimeoutError():
            raise AgentFailed(
                f"agent {spec.name} did not answer within {START_SECONDS:.0f} s of its start",
                hint="does its command speak the Agent Client Protocol on stdin and stdout?",
            ) from error
        case ManyhandsError() if code is not None:
            said = f": {line.last_words}" if line.last_words else ""
            raise AgentFailed(
                f"agent {spec.name} ended as soon as it was started, with {code}{said}",
                hint=f"try it by hand: {' '.join(spec.command) or spec.name}",
            ) from error


def not_logged_in(spec: AgentSpec, known: KnownAgent | None) -> AgentFailed:
    hint = known.login if known else "log in with its own program first"
    return AgentFailed(f"agent {spec.name} is not logged in", hint=hint)


async def exit_code(child: Child) -> int | None:
    """Of a program that is about to end; None where it is not."""
    try:
        async with asyncio.timeout(LAST_WORDS_SECONDS):
            return await child.wait()
    except TimeoutError:
        return None
