"""A base as it is now: the branches that its name stands for, and what they are to each other."""

from __future__ import annotations

from typing import Literal

import msgspec

from manyhands.model.clock import Instant
from manyhands.model.ids import Oid

BaseRelation = Literal["same", "behind", "ahead", "diverged", "local", "remote", "fixed", "missing"]
"""What the branch here is to the remote's. `local` and `remote`: there is only that one; `fixed`:
the name stands for a commit and no branch; `missing`: for nothing (any more)."""


class BaseNow(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    commit: Oid = Oid("")
    """What the name itself stands for."""
    branch: str = ""
    """The branch here."""
    local: Oid = Oid("")
    remote: str = ""
    remote_branch: str = ""
    upstream: Oid = Oid("")
    """Where the remote's branch was when it was last fetched."""
    ahead: int = 0
    behind: int = 0
    """So many commits only the branch here has, and only the remote's."""
    fetched_at: Instant = ""
    """When the remote last answered; empty: not since the hub began."""
    error: str = ""
    """Why it did not when it was asked last."""

    @property
    def tracking(self) -> str:
        """The remote's branch by the name that it has here, such as `origin/main`."""
        return f"{self.remote}/{self.remote_branch}" if self.remote else ""

    @property
    def relation(self) -> BaseRelation:
        if self.local and self.upstream:
            both = (bool(self.ahead), bool(self.behind))
            sides: dict[tuple[bool, bool], BaseRelation] = {
                (False, False): "same",
                (True, False): "ahead",
                (False, True): "behind",
            }
            return sides.get(both, "diverged")
        if self.local or self.upstream:
            return "local" if self.local else "remote"
        return "fixed" if self.commit else "missing"

    @property
    def tip(self) -> Oid:
        """The base as it is now: of the two branches the one that has all of the other; where
        neither has, the one that is named."""
        newest = {"ahead": self.local, "behind": self.upstream}
        return newest.get(self.relation, self.commit)

    @property
    def tip_name(self) -> str:
        """The name of what is at the tip."""
        newest = {"ahead": self.branch, "behind": self.tracking}
        return newest.get(self.relation, self.name)

    @property
    def words(self) -> str:
        """What they are to each other, in one sentence; nothing where there is no remote."""
        match self.relation:
            case "same":
                return f"{self.branch} is where {self.tracking} is"
            case "ahead":
                return f"{self.branch} is {commits(self.ahead)} ahead of {self.tracking}"
            case "behind":
                return f"{self.branch} is {commits(self.behind)} behind {self.tracking}"
            case "diverged":
                return (
                    f"{self.branch} and {self.tracking} have diverged: {commits(self.ahead)} only "
                    f"here, {self.behind} only there"
                )
            case "remote":
                return f"{self.tracking} has no branch here"
            case "local" | "fixed" | "missing":
                return ""


def commits(count: int) -> str:
    return f"{count} commit{'' if count == 1 else 's'}"
