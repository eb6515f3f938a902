"""Where the figures come from: the machine and the versions of everything that takes part."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

import claude_agent_sdk
import psutil

import manyhands

BUNDLED_CLAUDE = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
LIBRARIES = ("claude-agent-sdk", "litestar", "uvicorn", "apsw", "pygit2", "watchfiles", "msgspec")


def machine() -> dict[str, Any]:
    return {
        "cores": psutil.cpu_count(),
        "memory_mb": psutil.virtual_memory().total // 2**20,
        "kernel": platform.release(),
        "system": platform.system(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
        "load_before": psutil.getloadavg()[0],
    }


def versions(environment: dict[str, str]) -> dict[str, str]:
    return {
        "manyhands": manyhands.__version__,
        "claude": _first_line([str(BUNDLED_CLAUDE), "--version"], environment),
        "git": _first_line(["git", "--version"], environment),
        **{name: version(name) for name in LIBRARIES},
    }


def _first_line(argv: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        argv, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    return (done.stdout.splitlines() or ["unknown"])[0]
