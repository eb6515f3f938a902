"""The demo: four real agents, unattended, and nothing left behind."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.processes import processes_naming
from tests.support.console import SECONDS, Console

TITLES = [
    "Migrate the user model to the new schema",
    "Add rate limiting to the API",
    "Write integration tests for search",
    "Update the onboarding copy",
]


@pytest.fixture
def scratch(console: Console) -> Iterator[Path]:
    """Where the demo puts its home, so that what is left can be seen."""
    # Short, because sockets live below it.
    with tempfile.TemporaryDirectory(prefix="mh-t-", ignore_cleanup_errors=True) as place:
        console.variables["TMPDIR"] = place
        yield Path(place)


@pytest.mark.timeout(300)
def test_the_unattended_demo_ends_well_and_leaves_nothing(console: Console, scratch: Path) -> None:
    done = console.run("demo", "--exit", "--json", seconds=280)
    assert done.code == 0, done
    assert [s["title"] for s in done.data["sessions"]] == TITLES
    assert {s["status"] for s in done.data["sessions"]} == {"idle"}
    assert len({s["branch"] for s in done.data["sessions"]}) == 4
    assert done.data["seconds"] > 0
    assert processes_naming(str(scratch)) == []
    assert [path.name for path in scratch.iterdir() if path.name.startswith("mh-")] == []
    assert not console.home.exists()


@pytest.mark.timeout(300)
def test_the_demo_to_watch_stays_until_it_is_interrupted(console: Console, scratch: Path) -> None:
    child = console.start("demo", "--sessions", "1")
    assert child.stdout is not None
    assert child.stderr is not None
    assert b"/#code=" in child.stdout.readline()
    assert b"Ctrl-C" in child.stderr.readline()
    child.send_signal(signal.SIGINT)
    assert child.wait(SECONDS) == 0
    child.stdout.close()
    child.stderr.close()
    assert processes_naming(str(scratch)) == []
