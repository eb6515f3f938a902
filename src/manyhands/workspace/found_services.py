"""Services that a worktree offers without a config: what its own tools would start.

Nothing of it is run here, and nothing is started that nobody asks for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from manyhands.model.service.spec import ServiceSpec

LARGEST = 1024 * 1024
MOST = 30
SCRIPTS = ("dev", "start", "serve", "preview", "storybook")
"""Of package.json, those that by custom start a server."""
RUNNERS = (
    ("pnpm-lock.yaml", "pnpm run"),
    ("yarn.lock", "yarn run"),
    ("bun.lock", "bun run"),
    ("bun.lockb", "bun run"),
)
COMPOSE = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml")
_PROCESS = re.compile(r"^([A-Za-z0-9_-]+):\s*(\S.*)$", re.MULTILINE)


def find_services(root: Path, ports: Mapping[str, int]) -> list[ServiceSpec]:
    """Each name once; one that would listen is given the session's first port."""
    port_name = next(iter(ports), "")
    found: dict[str, ServiceSpec] = {}
    for origin, name, command, listens in _found(root):
        if name in found:
            name = _name(f"{origin.rpartition('/')[2].partition('.')[0]}-{name}")
        if not name or name in found or len(found) >= MOST:
            continue
        named = port_name if listens else ""
        port = ports[named] if named else 0
        found[name] = ServiceSpec(
            name=name, command=command, port_name=named, port=port, origin=origin
        )
    return list(found.values())


def _found(root: Path) -> Iterator[tuple[str, str, str, bool]]:
    """Origin, name, command, and whether it listens on a port that it is given."""
    yield from _scripts(root)
    yield from _processes(root)
    if _text(root, "manage.py"):
        python = ".venv/bin/python" if (root / ".venv/bin/python").exists() else "python3"
        yield "manage.py", "django", f'{python} manage.py runserver "127.0.0.1:$PORT"', True
    if "phoenix" in _text(root, "mix.exs"):
        yield "mix.exs", "phoenix", "mix phx.server", True
    if _text(root, "bin/rails"):
        yield "bin/rails", "rails", 'bin/rails server -b 127.0.0.1 -p "$PORT"', True
    for name in COMPOSE:
        if _text(root, name):
            yield name, "compose", "docker compose up", False
            return


def _scripts(root: Path) -> Iterator[tuple[str, str, str, bool]]:
    try:
        scripts = json.loads(_text(root, "package.json") or "{}").get("scripts")
    except (ValueError, AttributeError, RecursionError):
        return
    run = next((words for lock, words in RUNNERS if (root / lock).is_file()), "npm run")
    for name in SCRIPTS:
        if isinstance(scripts, dict) and isinstance(scripts.get(name), str):
            yield "package.json", name, f"{run} {name}", True


def _processes(root: Path) -> Iterator[tuple[str, str, str, bool]]:
    for origin in ("Procfile.dev", "Procfile"):
        if text := _text(root, origin):
            for named, command in _PROCESS.findall(text):
                yield origin, _name(named), command, named == "web"
            return


def _name(said: str) -> str:
    return re.sub(r"[^a-z0-9_-]", "-", said.lower())[:30].strip("-_")


def _text(root: Path, name: str) -> str:
    """Empty where there is no such file; a link out of the worktree is none."""
    path = root / name
    try:
        if not path.resolve().is_relative_to(root.resolve()) or path.stat().st_size > LARGEST:
            return ""
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
