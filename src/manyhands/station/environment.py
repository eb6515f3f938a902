"""What programs of a session get to see, and what of it nobody may be told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from manyhands.agents.environment import no_git_above, without_push
from manyhands.config import Home, child_environment
from manyhands.model.redaction import secret_values
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree
from manyhands.workspace.databases.dotenv import load_text
from manyhands.workspace.databases.names import database_variables

_ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$", re.MULTILINE)


@in_thread
def load_environment(
    home: Home, at: Worktree, variables: Mapping[str, str], passed: tuple[str, ...]
) -> dict[str, str]:
    """What the session's agent sees, the agent's own model aside: what is inherited, the session's
    own `variables`, where its data is, and nothing to push or sign with."""
    own = {**variables, **database_variables(home, at.session)}
    return closed_environment(home, at.session, at.root, at.repository, own, passed)


def closed_environment(
    home: Home,
    owner: str,
    place: Path,
    repo: Path,
    own: Mapping[str, str],
    passed: tuple[str, ...],
) -> dict[str, str]:
    """For code of the repository that runs at `place`, which may not be there yet."""
    return without_push(
        child_environment({**own, **no_git_above(place)}, passed=passed),
        passed=passed,
        home=home,
        session=owner,
        worktree=str(place if place.is_dir() else repo),
    )


load_database_variables = in_thread(database_variables)


@in_thread
def load_secrets(at: Worktree, env: Mapping[str, str]) -> list[str]:
    """Secret values of the environment, and of the `.env` files that came along or lie there."""
    names = {name for name in at.copied if Path(name).name.startswith(".env")}
    return [*secret_values(env), *_values_in(at.root, *(at.root / name for name in names))]


@in_thread
def load_file_secrets(checkout: str) -> list[str]:
    """Of its `.env` files: what sessions of the repository will hold."""
    return _values_in(Path(checkout))


def _values_in(place: Path, *more: Path) -> list[str]:
    found: list[str] = []
    for file in sorted({*more, *place.glob(".env*")}):
        assigned = _ASSIGNMENT.finditer(load_text(file) or "")
        found += secret_values({line[1]: _unquoted(line[2]) for line in assigned})
    return found


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]:
        return value[1:-1]
    return value.split(" #", maxsplit=1)[0].strip()
