"""How a dialogue with an agent begins: what both can do, then a new session or an old one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from acp.schema import (
    ClientCapabilities,
    CloseSessionRequest,
    ElicitationCapabilities,
    ElicitationFormCapabilities,
    ForkSessionRequest,
    Implementation,
    InitializeRequest,
    InitializeResponse,
    LoadSessionRequest,
    NewSessionRequest,
    NewSessionResponse,
    ResumeSessionRequest,
)
from acp.utils import serialize_params

from manyhands import __version__
from manyhands.agents.acp.connection import Line, LoginMissing
from manyhands.errors import AgentFailed
from manyhands.model.ids import AgentSessionId

PROTOCOL = 1


@dataclass(frozen=True)
class Place:
    """Where a session works, and with which tool servers."""

    cwd: str
    servers: list[Any]


@dataclass(frozen=True)
class Opened:
    id: AgentSessionId
    options: list[Any] | None
    plain: dict[str, Any]
    """The whole answer, for what older agents say in their own way."""


async def initialize(line: Line) -> InitializeResponse:
    request = InitializeRequest(
        protocol_version=PROTOCOL,
        client_capabilities=ClientCapabilities(
            elicitation=ElicitationCapabilities(form=ElicitationFormCapabilities())
        ),
        client_info=Implementation(name="manyhands", version=__version__),
    )
    params = serialize_params(request)
    # Left out where empty, and yet an agent must read it to know that it may ask.
    params["clientCapabilities"] = {"elicitation": {"form": {}}}
    answer = await line.ask_plainly("initialize", params)
    about = InitializeResponse.model_validate(answer)
    if about.protocol_version != PROTOCOL:
        raise AgentFailed(
            f"the agent speaks version {about.protocol_version} of its protocol, not {PROTOCOL}"
        )
    return about


async def open_session(
    line: Line,
    about: InitializeResponse,
    place: Place,
    resume: AgentSessionId | None,
    name: str,
) -> Opened:
    """A new session, or the old one as the agent can: taken up in silence, or played back."""
    if resume is None:
        request = NewSessionRequest(cwd=place.cwd, mcp_servers=place.servers)
        return await _opened(line, "session/new", request, None)
    try:
        return await _reopened(line, about, place, resume)
    except LoginMissing:
        raise
    except AgentFailed as error:
        raise AgentFailed(
            f"agent {name} has no conversation {resume} to resume: {error.message}",
            hint="start a new session to go on",
        ) from error


async def fork_session(
    line: Line, about: InitializeResponse, place: Place, origin: AgentSessionId, name: str
) -> Opened:
    """A session that begins with the whole dialogue of another, which stays as it is."""
    can = about.agent_capabilities
    sessions = can.session_capabilities if can else None
    if sessions is None or sessions.fork is None:
        raise AgentFailed(f"agent {name} cannot go on with a conversation in a copy")
    request = ForkSessionRequest(session_id=origin, cwd=place.cwd, mcp_servers=place.servers)
    return await _opened(line, "session/fork", request, None)


async def reopen(
    line: Line, about: InitializeResponse, place: Place, session: AgentSessionId
) -> Opened:
    """Close a session, which ends all that it runs, and take it up again."""
    closing = serialize_params(CloseSessionRequest(session_id=session))
    await line.ask_plainly("session/close", closing)
    return await _reopened(line, about, place, session)


async def _reopened(
    line: Line, about: InitializeResponse, place: Place, session: AgentSessionId
) -> Opened:
    can = about.agent_capabilities
    sessions = can.session_capabilities if can else None
    if sessions is not None and sessions.resume is not None:
        resuming = ResumeSessionRequest(
            session_id=session, cwd=place.cwd, mcp_servers=place.servers
        )
        return await _opened(line, "session/resume", resuming, session)
    if can is not None and can.load_session:
        loading = LoadSessionRequest(session_id=session, cwd=place.cwd, mcp_servers=place.servers)
        return await _opened(line, "session/load", loading, session)
    raise AgentFailed("this agent cannot take up an earlier conversation")


async def _opened(
    line: Line,
    method: str,
    request: NewSessionRequest | ForkSessionRequest | ResumeSessionRequest | LoadSessionRequest,
    session: AgentSessionId | None,
) -> Opened:
    params = {"mcpServers": [], **serialize_params(request)}
    answer = await line.ask_plainly(method, params)
    plain = answer if isinstance(answer, dict) else {}
    found = NewSessionResponse.model_validate({"sessionId": session, **plain})
    return Opened(AgentSessionId(found.session_id), found.config_options, plain)
