"""The seam: a source of data from which sessions get branches, whichever kind it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from manyhands.config import Home, Neon, variable
from manyhands.errors import BadInput
from manyhands.workspace.databases.dotenv import load_text, variable_in
from manyhands.workspace.databases.names import Claim
from manyhands.workspace.repo_config import DatabaseTable

REFERENCE = "env:"


class MadeBranch(NamedTuple):
    """A branch that is whole: its address, and how the data came over."""

    url: str
    method: str


class FoundBranch(NamedTuple):
    """A branch that is really there."""

    name: str
    mark: str
    bytes: int = 0


class Source(Protocol):
    """Never changes the source; only ever drops what carries the claim's name and mark."""

    @property
    def place(self) -> str: ...

    def branch(self, claim: Claim, *, anew: bool = False) -> MadeBranch:
        """The claimed branch, made where it is not whole; `anew` throws away what is in it."""

    def drop(self, claim: Claim) -> bool:
        """False where there was nothing to drop."""

    def branches(self, prefix: str) -> list[FoundBranch]:
        """What is there under names that begin so."""


@dataclass(frozen=True)
class SourceContext:
    """Where a session is, as far as its data needs to know."""

    home: Home
    session: str
    repo: Path
    worktree: Path
    neon: Neon

    @property
    def private(self) -> Path:
        """For files that the worktree has no place for."""
        return self.home.sessions / self.session / "database"


def resolved(table: DatabaseTable, repo: Path) -> DatabaseTable:
    """The table with the source's address looked up where it is named indirectly."""
    url = table.url
    if url.startswith(REFERENCE):
        url = variable(url.removeprefix(REFERENCE))
        if not url:
            raise BadInput(
                f"[database] url is {table.url}, which the hub's environment does not have",
                hint="name it in [environment] hub of your config, set it, and start the hub again",
            )
    elif not url:
        url = variable_in(load_text(repo / ".env") or "", table.key) or ""
    if "${" in url or url.startswith("$"):
        raise BadInput(
            f"{table.key} of {repo / '.env'} is put together from other variables",
            hint="name the whole address: [database] url",
        )
    return msgspec.structs.replace(table, url=url)
