"""One agent after the other at the same stand; what each test proves goes into the report."""

from __future__ import annotations

from collections.abc import Callable

import find_agents
import find_vibe
import pytest

from tests.agents.conftest import bench, model_url
from tests.agents.driver import Bench
from tests.conformance.bench import Stand
from tests.conformance.subjects import SUBJECTS, VIBE, Subject

__all__ = ["bench", "model_url"]


@pytest.fixture(scope="session", autouse=True)
def agents() -> None:
    """The real ones; a machine on which they cannot be installed fails the tests and says why."""
    try:
        find_agents.find()
    except find_agents.NoAgents as problem:
        pytest.fail(f"the agents under test cannot be installed: {problem}", pytrace=False)


@pytest.fixture(scope="session")
def no_vibe() -> str:
    """Why mistral-vibe is not to be had here; "" where it is."""
    try:
        find_vibe.find()
    except find_vibe.NotAvailable as problem:
        return f"not available: {problem}"
    return ""


@pytest.fixture(params=SUBJECTS, ids=lambda subject: subject.name)
def subject(request: pytest.FixtureRequest) -> Subject:
    found: Subject = request.param
    if found is VIBE and (reason := request.getfixturevalue("no_vibe")):
        pytest.skip(reason)
    return found


@pytest.fixture
def stand(subject: Subject, bench: Bench) -> Stand:
    return Stand(subject, bench)


@pytest.fixture(autouse=True)
def proof(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> None:
    """A test without an agent of its own speaks for all of them."""
    mark = request.node.get_closest_marker("capability")
    parameters = getattr(request.node, "callspec", None)
    subject = parameters.params.get("subject") if parameters else None
    for capability in mark.args if mark else ():
        for one in (subject,) if subject else SUBJECTS:
            record_property("proves", f"{one.name}: {capability}")
