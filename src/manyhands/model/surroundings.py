"""What code that is not the user's own runs in: its whole environment, and what confines it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Surroundings:
    env: Mapping[str, str]
    prefix: tuple[str, ...] = ()
    """Words before a command that put it into its box; it starts in the directory it is given."""
    boxed: bool = False
    """Whether they hold a box whose program runs inside, with processes of its own."""

    def having(self, **variables: str) -> Surroundings:
        return replace(self, env={**self.env, **variables})

    @property
    def outside(self) -> Surroundings:
        """The same environment without a box, for what must reach the repository itself."""
        return Surroundings(self.env)
