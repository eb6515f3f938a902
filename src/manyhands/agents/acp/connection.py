"""The line to one agent: JSON-RPC, a message to a line, over a child of ours."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from acp.connection import Connection
from acp.exceptions import RequestError
from acp.schema import BaseModel
from acp.utils import serialize_params
from pydantic import ValidationError

from manyhands.errors import AgentFailed
from manyhands.process.spawn import Child

LARGEST_MESSAGE = 64 * 1024 * 1024
AUTH_REQUIRED = -32000

Handler = Callable[[str, Any, bool], Awaitable[Any]]
Model = TypeVar("Model", bound=BaseModel)

log = logging.getLogger(__name__)


class LoginMissing(AgentFailed):
    """The agent wants to be logged in first."""


class Gone(AgentFailed):
    """The agent has closed its line: it has ended, or is about to."""


class Line:
    def __init__(self, child: Child, handler: Handler) -> None:
        self._connection = Connection(handler, _Transport(child))

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

    async def close(self) -> None:
        """Whatever the agent still waits for is called off."""
        await self._connection.close()


class _Transport:
    """What the protocol's own library reads from and writes to."""

    def __init__(self, child: Child) -> None:
        self._child = child

    async def send(self, message: dict[str, Any]) -> None:
        await self._child.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    async def receive(self) -> dict[str, Any] | None:
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
