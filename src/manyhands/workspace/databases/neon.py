"""Neon: a branch of the project per session, made and dropped by its API.

The annotation that Neon stores with a branch at its creation is our mark.
"""

from __future__ import annotations

from functools import cached_property

from manyhands.errors import BadInput, DatabaseFailed, NotPossible
from manyhands.git.locks import file_lock
from manyhands.workspace.databases.names import Claim
from manyhands.workspace.databases.neon_api import NeonApi, NeonBranch
from manyhands.workspace.databases.source import FoundBranch, MadeBranch, SourceContext
from manyhands.workspace.repo_config import DatabaseTable

MARK = "manyhands"


class NeonSource:
    def __init__(self, table: DatabaseTable, at: SourceContext) -> None:
        if not table.project:
            raise BadInput("[database] kind is neon, and no project is named")
        self._table = table
        self._api = NeonApi(at.neon, table.project)
        self._lock = at.home.locks / f"neon-{table.project}.lock"

    @property
    def place(self) -> str:
        return self._table.project

    def branch(self, claim: Claim, *, anew: bool = False) -> MadeBranch:
        # Two tries at once would each see that there is none: Neon takes equal names.
        with file_lock(self._lock):
            found = self._find(claim)
            method = "kept"
            if found is None:
                found = self._api.create(claim.name, self._parent, {MARK: claim.mark})
                method = "api"
        if anew and method == "kept":
            self._api.until_ready(found.id)
            self._api.restore(found.id, self._require_parent(found))
            method = "api"
        self._api.until_ready(found.id)
        return MadeBranch(self._address(found.id), method)

    def drop(self, claim: Claim) -> bool:
        found = self._find(claim)
        if found is None:
            return False
        if found.default or found.protected:
            raise NotPossible(
                f"Neon's branch {found.name} is the project's default or protected",
                hint="it was left as it is; whoever made it so can drop it in Neon's console",
            )
        self._api.delete(found.id)
        return True

    def branches(self, prefix: str) -> list[FoundBranch]:
        return [
            FoundBranch(branch.name, marks.get(MARK, ""), branch.logical_size)
            for branch, marks in self._api.branches(prefix)
            if branch.name.startswith(prefix)
        ]

    def _find(self, claim: Claim) -> NeonBranch | None:
        """The claimed branch; one of that name which is not marked as ours is an error."""
        for branch, marks in self._api.branches(claim.name):
            if branch.name == claim.name:
                claim.require_ours(marks.get(MARK) or "no mark")
                return branch
        return None

    @cached_property
    def _parent(self) -> str:
        """The id of the branch to start from; empty for the project's default."""
        if not self._table.branch:
            return ""
        named = (branch for branch, _ in self._api.branches(self._table.branch))
        found = next((b for b in named if self._table.branch in (b.name, b.id)), None)
        if found is None:
            raise DatabaseFailed(
                f"the Neon project {self.place} has no branch {self._table.branch}",
                hint="see [database] branch in .manyhands.toml",
            )
        return found.id

    def _require_parent(self, branch: NeonBranch) -> str:
        parent = branch.parent_id or self._parent
        if not parent or parent == branch.id:
            raise DatabaseFailed(f"Neon does not say what {branch.name} was branched from")
        return parent

    def _address(self, id: str) -> str:
        database, role = self._table.database, self._table.role
        if not (database and role):
            there = self._api.databases(id)
            chosen = next((d for d in there if database in ("", d.name)), None)
            if chosen is None:
                raise DatabaseFailed(
                    f"the Neon project {self.place} has no database {database or 'at all'}",
                    hint="see [database] database in .manyhands.toml",
                )
            database, role = chosen.name, role or chosen.owner_name
        return self._api.address(id, database, role)
