"""A program's own word for its version, asked once for every change of its file."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from manyhands.model.wire import AgentSpec
from manyhands.process.output import load_output

SECONDS = 15.0


def load_version(program: str, spec: AgentSpec) -> str:
    """Nothing where the program is gone, silent, or speaks of no version."""
    real = Path(program).resolve()
    try:
        changed = real.stat().st_mtime_ns
    except OSError:
        return ""
    names = ("PATH", "HOME", "TMPDIR")
    env = tuple((name, spec.env[name]) for name in names if name in spec.env)
    return _ask_version(program, changed, env)


@functools.lru_cache(maxsize=32)
def _ask_version(program: str, changed: int, env: tuple[tuple[str, str], ...]) -> str:
    said = load_output([program, "--version"], env=dict(env), timeout=SECONDS)
    return plain_version(said or "")


def plain_version(text: str) -> str:
    found = re.search(r"\d+\.\d+\.\d+", text)
    return found.group() if found else ""
