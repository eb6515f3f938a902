"""A hub that tests of one module share, with programs in terminals as its agents."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.support.driver import RunningHub

CURSES = Path(__file__).with_name("full_screen.py")


def agent_table(
    name: str,
    command: Sequence[str] = (),
    *,
    kind: str = "terminal",
    env: Mapping[str, str] | None = None,
    more: str = "",
) -> str:
    """The part of config.toml that makes a program an agent."""
    lines = [f"[agents.{name}]", f'kind = "{kind}"', more]
    if command:
        lines.append(f"command = {json.dumps(list(command))}")
    lines += [f"[agents.{name}.env]", *(f"{k} = {json.dumps(v)}" for k, v in (env or {}).items())]
    return "\n".join(lines) + "\n"


BASH = agent_table("bash", ["bash", "--norc", "--noprofile", "-i"], env={"PS1": "ready> "})
PYTHON = agent_table("python", [sys.executable, "-i", "-q"])
FULL_SCREEN = agent_table("screen", [sys.executable, str(CURSES)])


def add_config(hub: RunningHub, text: str) -> None:
    hub.configure(hub.home.config.read_text() + "\n" + text)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    running = RunningHub(tmp_path_factory.mktemp("hub"), linger=1.0, working=8)
    add_config(running, BASH + PYTHON + FULL_SCREEN)
    with running:
        running.make_repo()
        yield running


@pytest.fixture
def own_hub(tmp_path: Path) -> Iterator[RunningHub]:
    """For tests that kill, restart or configure."""
    running = RunningHub(tmp_path / "hub", linger=1.0)
    add_config(running, BASH)
    with running:
        running.make_repo()
        yield running
