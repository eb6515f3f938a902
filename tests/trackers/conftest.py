"""Linear and Jira on the loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.tracker.jira_server import JiraServer
from tests.support.tracker.linear_server import LinearServer
from tests.support.tracker.loopback import running


@pytest.fixture
def linear() -> Iterator[LinearServer]:
    with running(LinearServer()) as server:
        yield server
    assert server.complaints == []


@pytest.fixture
def jira() -> Iterator[JiraServer]:
    with running(JiraServer()) as server:
        yield server
    assert server.complaints == []
