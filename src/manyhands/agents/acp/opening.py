"""How a dialogue with an agent begins: what both can do, then a new session or an old one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from acp import schema
from acp.utils import serialize_params

from manyhands import __version__
from manyhands.agents.acp.connection import AcpLine, LoginMissing
from manyhands.errors import AgentFailed
from manyhands.model.ids import AgentSessionId

PROTOCOL = 1


@dataclass(frozen=True)
class OpenedSession:
    id: AgentSessionId
    options: list[Any] | None
    plain: dict[str, Any]
    """The whole answer, for what older agents say in their own way."""


async def initialize(line: AcpLine) -> schema.InitializeResponse:
    request = schema.InitializeRequest(
        protocol_version=PROTOCOL,
        client_capabilities=schema.ClientCapabilities(
            elicitation=schema.ElicitationCapabilities(form=schema.ElicitationFormCapabilities())
        ),
        client_info=schema.Implementation(name="manyhands", version=__version__),
    )
    params = serialize_params(request)
    # Left out where empty, and yet an agent must read it to know that it may ask.
    params["clientCapabilities"] = {"elicitation": {"form": {}}}
    answer = await line.ask_plainly("initialize", params)
    about = schema.InitializeResponse.model_validate(answer)
    if about.protocol_version != PROTOCOL:
        raise AgentFailed(
            f"the agent speaks version {about.protocol_version} of its protocol, not {PROTOCOL}"
        )
    return about


def offered_by(about: schema.InitializeResponse) -> schema.SessionCapabilities:
    """What the agent can do with the sessions that it keeps."""
    can = about.agent_capabilities
    return (can.session_capabilities if can else None) or schema.SessionCapabilities()


@dataclass(frozen=True)
class Handshake:
    """All sessions of one agent work in the same place, with the same tool servers."""

    line: AcpLine
    about: schema.InitializeResponse
    agent: str
    cwd: str
    servers: list[Any]

    async def open(self, resume: AgentSessionId | None) -> OpenedSession:
        """A new session, or the old one as the agent can: taken up in silence, or played back."""
        if resume is None:
            return await self._opened("session/new")
        try:
            return await self._taken_up(resume)
        except LoginMissing:
            raise
        except AgentFailed as error:
            raise AgentFailed(
                f"agent {self.agent} has no conversation {resume} to resume: {error.message}",
                hint="start a new session to go on",
            ) from error

    async def fork(self, origin: AgentSessionId) -> OpenedSession:
        """A session that begins with the whole dialogue of another, which stays as it is."""
        if offered_by(self.about).fork is None:
            raise AgentFailed(f"agent {self.agent} cannot go on with a conversation in a copy")
        return await self._opened("session/fork", asked={"sessionId": origin})

    async def reopen(self, session: AgentSessionId) -> OpenedSession:
        """Close a session, which ends all that it runs, and take it up again."""
        await self.line.ask_plainly("session/close", {"sessionId": session})
        return await self._taken_up(session)

    async def _taken_up(self, session: AgentSessionId) -> OpenedSession:
        known = {"sessionId": session}
        if offered_by(self.about).resume is not None:
            return await self._opened("session/resume", asked=known, known=known)
        if self.about.agent_capabilities and self.about.agent_capabilities.load_session:
            return await self._opened("session/load", asked=known, known=known)
        raise AgentFailed("this agent cannot take up an earlier conversation")

    async def _opened(
        self, method: str, asked: Mapping[str, str] = {}, known: Mapping[str, str] = {}
    ) -> OpenedSession:
        place = schema.NewSessionRequest(cwd=self.cwd, mcp_servers=self.servers)
        params = {"mcpServers": [], **serialize_params(place), **asked}
        answer = await self.line.ask_plainly(method, params)
        plain = answer if isinstance(answer, dict) else {}
        found = schema.NewSessionResponse.model_validate({**known, **plain})
        return OpenedSession(AgentSessionId(found.session_id), found.config_options, plain)
