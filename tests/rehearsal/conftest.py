from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rehearsal.claude import Claude


@pytest.fixture(scope="session")
def model_url() -> Iterator[str]:
    command = [sys.executable, "-m", "manyhands.rehearsal", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"]
        process.terminate()


@pytest.fixture
def claude(model_url: str, tmp_path: Path) -> Claude:
    home, cwd = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    cwd.mkdir()
    return Claude(model_url, home, cwd)
