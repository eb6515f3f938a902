"""One scripted model for all, and for each test a HOME and a worktree of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agent_driver import Bench


@pytest.fixture(scope="session")
def model_url() -> Iterator[str]:
    command = [sys.executable, "-m", "manyhands.rehearsal", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())["url"]
        finally:
            server.terminate()


@pytest.fixture
def bench(tmp_path: Path, model_url: str) -> Bench:
    return make_bench(tmp_path, model_url)


def make_bench(root: Path, model_url: str) -> Bench:
    home, worktree = root / "home", root / "worktree"
    home.mkdir()
    worktree.mkdir()
    env = {**os.environ, "HOME": str(home)}
    (home / ".gitconfig").write_text("[user]\n name = Test\n email = test@example.invalid\n")
    (worktree / "README").write_text("hello\n")
    for argv in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run(["git", *argv], cwd=worktree, env=env, check=True)
    return Bench(home=home, worktree=worktree, url=model_url)
