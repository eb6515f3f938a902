"""One agent after the other at the same stand; what each test proves goes into the report."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import find_agents
import find_vibe
import pytest
import pytest_asyncio

from tests.agents.conftest import bench, make_bench, model_url
from tests.conformance.bench import Stand
from tests.conformance.lent import Lent
from tests.conformance.subjects import SUBJECTS, VIBE, Subject
from tests.support.agent_driver import Bench
from tests.support.in_between import listening

__all__ = ["bench", "model_url"]
HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test's time begins when its agents are there, however slowly they are fetched."""
    usual = float(config.getini("timeout"))
    for item in items:
        if item.path.is_relative_to(HERE):
            mark = item.get_closest_marker("timeout")
            seconds = mark.args[0] if mark else usual
            item.add_marker(pytest.mark.timeout(seconds, func_only=True), append=False)


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


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="module",
    params=[pytest.param(s, id=s.name, marks=pytest.mark.xdist_group(s.name)) for s in SUBJECTS],
)
async def lent(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, model_url: str
) -> AsyncIterator[Lent]:
    """One agent for the module's tests, which run in one loop, each by `loop_scope="module"`."""
    subject: Subject = request.param
    if subject is VIBE and (reason := request.getfixturevalue("no_vibe")):
        pytest.skip(reason)
    bench = make_bench(tmp_path_factory.mktemp("lent"), model_url)
    with listening(bench) as requests:
        found = Lent(Stand(subject, bench, attachments=bench.home / "attachments"), requests)
        yield found
        await found.end()


@pytest.fixture(autouse=True)
def proof(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> None:
    """A test without an agent of its own speaks for all of them."""
    mark = request.node.get_closest_marker("capability")
    parameters = getattr(request.node, "callspec", None)
    params = parameters.params if parameters else {}
    subject = params.get("subject") or params.get("lent")
    for capability in mark.args if mark else ():
        for one in (subject,) if subject else SUBJECTS:
            record_property("proves", f"{one.name}: {capability}")
