"""A hub with all kinds of trackers on the loopback: a forge, Linear, Jira and a task list."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.forge.hub import Place, description, place
from tests.support.tracker.desk import Desk
from tests.support.tracker.jira_server import JiraServer
from tests.support.tracker.linear_server import LinearServer
from tests.support.tracker.loopback import running

__all__ = ["description", "place"]


@pytest.fixture
def desk(place: Place) -> Iterator[Desk]:
    with running(LinearServer()) as linear, running(JiraServer()) as jira:
        place.begin_anew()
        made = Desk(place.hub, place.forge, linear, jira)
        made.configure()
        yield made
        # Nothing is left to be told to servers that are gone.
        place.begin_anew()
        assert [*place.forge.complaints, *linear.complaints, *jira.complaints] == []
