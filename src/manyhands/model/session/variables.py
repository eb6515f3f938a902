"""The variables by which everything that runs for a session knows its place."""

from __future__ import annotations

import re

from manyhands.model.session.session import Session


def session_variables(s: Session) -> dict[str, str]:
    """For agents, terminals, setup, teardown and services alike; additions, not the whole."""
    return {
        "MANYHANDS_SESSION": s.id,
        "MANYHANDS_WORKTREE": s.workspace.worktree,
        "MANYHANDS_REPO": s.repo,
        "MANYHANDS_BRANCH": s.workspace.branch,
        "COMPOSE_PROJECT_NAME": _compose_project(s),
        **_port_variables(s.workspace.ports),
    }


def _compose_project(s: Session) -> str:
    """A name of its own for `docker compose`, which allows a-z, 0-9, _ and - only."""
    slug = re.sub(r"[^a-z0-9_-]+", "-", s.slug.lower())[:40].strip("-")
    return f"mh-{slug}-{s.id}".lower()


def _port_variables(ports: dict[str, int]) -> dict[str, str]:
    named = {f"MANYHANDS_PORT_{name.upper()}": str(port) for name, port in ports.items()}
    first = next(iter(ports.values()), None)
    return named if first is None else {"PORT": str(first), **named}
