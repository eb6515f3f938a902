"""What an agent must find in its box: its program, whatever that leads to, and its own files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from manyhands.agents.claude.cli import find_program
from manyhands.agents.claude.history import config_directory
from manyhands.agents.detection import program_file
from manyhands.agents.known import RUN_BY_CLAUDE, known_agent
from manyhands.agents.program import find_command, require_program
from manyhands.box.making import Places
from manyhands.box.toolchains import is_system, program_places
from manyhands.model.wire import AgentSpec

NOTES = ".claude.json"


def agent_places(spec: AgentSpec) -> Places:
    """Raises, with the way out, where the agent is not installed."""
    if spec.kind == "claude":
        return _claude(spec)
    known = known_agent(spec.like, spec.command)
    is_acp = spec.kind == "acp"
    command = require_program(spec, known) if is_acp else (find_command(spec), *spec.command[1:])
    if known is None:
        return Places(read=_behind(command))
    own, runs, shown = (
        tuple(str(program_file(name, spec.env)) for name in names)
        for names in (known.own, known.runs, known.shown)
    )
    there = (path for path in shown if Path(path).exists())
    return Places(read=(*_behind(command), *there), write=own, kept=runs)


def _claude(spec: AgentSpec) -> Places:
    """What it notes of its own starts is beside its directory, with tool servers in it: only the
    user's own starts write there."""
    config = config_directory(spec.env)
    names = (*RUN_BY_CLAUDE, *([NOTES] if "CLAUDE_CONFIG_DIR" in spec.env else []))
    beside = Path(spec.env.get("HOME", "/")) / NOTES
    return Places(
        read=(*_behind(find_program(spec).command), *([str(beside)] if beside.exists() else [])),
        write=(str(config),),
        kept=tuple(str(config / name) for name in names),
    )


def _behind(command: Iterable[str]) -> tuple[str, ...]:
    """The program, and the scripts that it is told to run."""
    home, found = Path.home(), list[str]()
    for number, word in enumerate(command):
        path = Path(word)
        if not path.is_absolute() or is_system(word) or not path.is_file():
            continue
        found += program_places(word, home) if number == 0 else [word]
    return tuple(dict.fromkeys(found))
