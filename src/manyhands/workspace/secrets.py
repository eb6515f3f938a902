"""What a session must not tell: secret values in its environment and in its `.env` files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from manyhands.model.redaction import secret_values
from manyhands.workspace.databases.dotenv import load_text

_ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$", re.MULTILINE)


def load_secrets(worktree: Path, copied: Iterable[str], env: Mapping[str, str]) -> list[str]:
    """`copied` are the ignored files that came along with the worktree."""
    names = {name for name in copied if Path(name).name.startswith(".env")}
    places = {*(worktree / name for name in names), *worktree.glob(".env*")}
    found = secret_values(env)
    for place in sorted(places):
        found += secret_values(_variables(load_text(place) or ""))
    return found


def _variables(text: str) -> dict[str, str]:
    return {found[1]: _unquoted(found[2]) for found in _ASSIGNMENT.finditer(text)}


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]:
        return value[1:-1]
    return value.split(" #", maxsplit=1)[0].strip()
