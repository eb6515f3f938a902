"""The conversations that an ACP agent keeps for a directory, as it lists them itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

from acp.exceptions import RequestError
from acp.schema import ListSessionsRequest, ListSessionsResponse, SessionInfo

from manyhands.agents.acp import opening
from manyhands.agents.acp.connection import AcpLine, starting
from manyhands.agents.known import known_agent
from manyhands.errors import NotPossible
from manyhands.model.agent.views import PastConversation
from manyhands.model.clock import instant
from manyhands.model.ids import AgentSessionId
from manyhands.model.slug import title_of
from manyhands.model.wire import AgentSpec
from manyhands.providers import spoken

MOST = 50
MOST_PAGES = 20


async def past_conversations(spec: AgentSpec, directory: Path) -> list[PastConversation]:
    """Newest first. The agent is started for it, outside of the directory, and ended again."""
    elsewhere = Path(spec.memory)
    elsewhere.mkdir(mode=0o700, parents=True, exist_ok=True)
    known = known_agent(spec.like, spec.command)
    async with starting(spec, known, elsewhere, _refuse, _always) as line:
        about = await opening.initialize(line)
        if opening.offered_by(about).list is None:
            raise unsupported(spec.name)
        found = [info async for info in _listed(line, directory)]
        await line.end()
    newest = sorted(map(_conversation, found), key=lambda c: c.updated_at, reverse=True)
    return newest[:MOST]


def unsupported(agent: str) -> NotPossible:
    return NotPossible(
        f"agent {agent} does not list the conversations that it keeps",
        hint="docs/conformance.md tells which agents do",
    )


async def _listed(line: AcpLine, directory: Path) -> AsyncIterator[SessionInfo]:
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        request = ListSessionsRequest(cwd=str(directory), cursor=cursor)
        page = await line.ask("session/list", request, ListSessionsResponse)
        for info in page.sessions:
            if Path(info.cwd) == directory:  # one may not heed what it was asked for
                yield info
        cursor = page.next_cursor
        if not cursor:
            return


def _conversation(info: SessionInfo) -> PastConversation:
    return PastConversation(
        id=AgentSessionId(info.session_id),
        title=title_of(spoken(info.title or "")),
        updated_at=_instant(info.updated_at or ""),
    )


def _instant(text: str) -> str:
    try:
        return instant(datetime.fromisoformat(text).timestamp())
    except ValueError:
        return ""


async def _refuse(method: str, params: Any, is_notification: bool) -> Any:
    """Whatever it wants meanwhile, it is only asked for its list."""
    if not is_notification:
        raise RequestError.method_not_found(method)


async def _always() -> None:
    """Nothing is kept of what it says."""
