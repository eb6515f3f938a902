"""What programs of a session get to see, and what of it nobody may be told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from manyhands.config import Home, child_environment
from manyhands.model.ids import SessionId
from manyhands.model.redaction import secret_values
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree
from manyhands.workspace.databases.dotenv import load_text
from manyhands.workspace.databases.names import database_variables

_ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$", re.MULTILINE)


@in_thread
def load_environment(
    home: Home, session: SessionId, variables: Mapping[str, str], passed: tuple[str, ...]
) -> dict[str, str]:
    """The whole of it: what is inherited, the session's own `variables`, where its data is."""
    own = database_variables(home, session)
    return child_environment({**variables, **own}, passed=passed)


load_database_variables = in_thread(database_variables)


@in_thread
def load_secrets(at: Worktree, env: Mapping[str, str]) -> list[str]:
    """Secret values of the environment, and of the `.env` files that came along or lie there."""
    names = {name for name in at.copied if Path(name).name.startswith(".env")}
    files = {*(at.root / name for name in names), *at.root.glob(".env*")}
    found = secret_values(env)
    for file in sorted(files):
        assigned = _ASSIGNMENT.finditer(load_text(file) or "")
        found += secret_values({line[1]: _unquoted(line[2]) for line in assigned})
    return found


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]:
        return value[1:-1]
    return value.split(" #", maxsplit=1)[0].strip()
