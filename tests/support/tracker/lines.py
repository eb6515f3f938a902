"""Trackers with an open line to a loopback server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from manyhands.forges.exchange import Exchange
from manyhands.trackers.jira import Jira
from manyhands.trackers.line import tracker_line
from manyhands.trackers.linear import Linear
from tests.support.tracker.jira_server import JiraServer
from tests.support.tracker.linear_server import LinearServer

SECONDS = 20.0


@asynccontextmanager
async def linear_of(
    server: LinearServer, token: str = LinearServer.token, seconds: float = SECONDS
) -> AsyncIterator[Linear]:
    headers = {"Authorization": token}
    async with tracker_line(Exchange(), server.url, headers, seconds, "mend the token") as line:
        yield Linear(line, "ENG")


@asynccontextmanager
async def jira_of(
    server: JiraServer, token: str = JiraServer.token, seconds: float = SECONDS
) -> AsyncIterator[Jira]:
    headers = {"Authorization": token}
    async with tracker_line(Exchange(), server.url, headers, seconds, "mend the token") as line:
        yield Jira(line, server.url, "PROJ")
