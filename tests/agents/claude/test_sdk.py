"""The Agent SDK as keepers load it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

LOAD = """
import json, sys
from manyhands.agents.claude import agent, sdk
loaded = [name for name in ("mcp", "mcp.types", "jsonschema") if name in sys.modules]
import mcp.types, jsonschema
real = [mcp.types.Tool.__module__.partition(".")[0], jsonschema.validate.__name__]
print(json.dumps([loaded, real, sdk.__version__, sdk.ClaudeSDKClient.__name__]))
"""
DEMANDING = """
import mcp.types
__version__ = "99.1"
__all__ = ["LATEST"]
LATEST = "since " + mcp.types.LATEST_PROTOCOL_VERSION
"""


def run(program: str, *paths: Path) -> str:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    argv = [sys.executable, "-c", program]
    done = subprocess.run(argv, env=env, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_its_servers_are_not_loaded_and_whoever_wants_them_gets_the_real_ones() -> None:
    loaded, real, version, client = json.loads(run(LOAD))
    assert loaded == []
    assert real == ["mcp_types", "validate"]
    assert version
    assert client == "ClaudeSDKClient"


def test_one_that_wants_more_of_them_is_loaded_with_them(tmp_path: Path) -> None:
    package = tmp_path / "claude_agent_sdk"
    package.mkdir()
    (package / "__init__.py").write_text(DEMANDING)
    program = "from manyhands.agents.claude import sdk; print(sdk.__version__, sdk.LATEST)"
    assert run(program, tmp_path).startswith("99.1 since 20")
