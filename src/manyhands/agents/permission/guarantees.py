"""What a box already guarantees, so that nobody need be asked about it.

Every objection is about some matter; a box that confines the matter makes it harmless:

- `files`: changes something outside the worktree; in a full box it is the session's own, or fails.
- `git`: changes what worktrees share; a session with a twin shares nothing.
- `reads`, `network`, `code`: looks outside, reaches another machine, does what cannot be known. All
  of it stays in a full box whose network is confined too: what is asked for there is asked by host.
- `kept`: what the box keeps from nobody: credentials, what acts in the person's name, what decides
  what may run here, and the places that are really there. It is always asked about.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from manyhands.model.box import Box

Matter = Literal["files", "git", "reads", "network", "code", "kept"]
SCRATCH = Path("/tmp")


@dataclass(frozen=True)
class Guarantees:
    files: bool = False
    """Nothing outside the worktree can be changed."""
    network: bool = False
    """Nothing can be reached that was not listed or allowed."""
    git: bool = False
    """What git shares between worktrees is the session's own."""
    real: tuple[Path, ...] = ()
    """Places that are there as they are, and can be changed: an agent's own configuration."""

    def hold(self, matter: Matter) -> bool:
        match matter:
            case "files":
                return self.files
            case "git":
                return self.git
            case "reads" | "network" | "code":
                return self.files and self.network
            case "kept":
                return False

    def of_writing(self, path: Path) -> Matter:
        """To a place outside the worktree, by its real name."""
        for place in self.real:
            there = os.path.realpath(place)
            if path.is_relative_to(there) or Path(there).is_relative_to(path):
                return "kept"
        return "files"


NO_GUARANTEES = Guarantees()


def guarantees_of(box: Box) -> Guarantees:
    is_full = box.level == "full"
    own = (box.twin, box.link)
    return Guarantees(
        files=is_full,
        network=is_full and box.network != "open",
        git=box.level != "none" and bool(box.twin),
        real=tuple(Path(place) for place in (*box.write, *own) if place),
    )


def own_places(box: Box) -> tuple[Path, ...]:
    """What is the session's own in a full box, whatever it is outside: its /tmp, unless something
    that is really there lies in it."""
    real = (box.home, box.worktree, box.twin, box.link, *box.write, *box.read, *box.objects)
    shared = any(Path(os.path.realpath(p)).is_relative_to(SCRATCH) for p in real if p)
    return (SCRATCH,) if box.level == "full" and box.scratch and not shared else ()
