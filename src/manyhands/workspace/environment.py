"""The variables by which everything that runs for a session knows its place."""

from __future__ import annotations

import re

from manyhands.config import Home
from manyhands.model.session import Session
from manyhands.workspace.databases.record import database_variables


def session_environment(s: Session, home: Home) -> dict[str, str]:
    """For agents, terminals, setup, teardown and services alike; additions, not the whole."""
    return {
        "MANYHANDS_SESSION": s.id,
        "MANYHANDS_WORKTREE": s.worktree,
        "MANYHANDS_REPO": s.repo,
        "MANYHANDS_BRANCH": s.branch,
        "COMPOSE_PROJECT_NAME": compose_project(s),
        **_port_variables(s.ports),
        **database_variables(home, s.id),
    }


def compose_project(s: Session) -> str:
    """A name of its own for `docker compose`, which allows a-z, 0-9, _ and - only."""
    slug = re.sub(r"[^a-z0-9_-]+", "-", s.slug.lower())[:40].strip("-")
    return f"mh-{slug}-{s.id}".lower()


def _port_variables(ports: dict[str, int]) -> dict[str, str]:
    named = {f"MANYHANDS_PORT_{name.upper()}": str(port) for name, port in ports.items()}
    first = next(iter(ports.values()), None)
    return named if first is None else {"PORT": str(first), **named}
