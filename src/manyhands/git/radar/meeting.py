"""Where two sets of changes since a common base meet; pure.

Two sides can only be in each other's way where they touch one path, where one has a file and the
other a folder of that name, or where one emptied a folder (which git may take for its renaming)
into which the other put something new. Everything else merges clean and need not be tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from manyhands.git.contents import folders
from manyhands.git.tree_edit import Leaf


class Change(NamedTuple):
    leaf: Leaf | None
    """What is there now; None where it is gone."""
    added: bool = False
    """Whether the base has nothing there."""


Changes = Mapping[str, Change]


@dataclass(frozen=True)
class Meeting:
    shared: tuple[str, ...] = ()
    """Paths that both changed, and not to the same."""
    structural: bool = False
    """Whether names are at stake, so that single paths cannot tell."""

    @property
    def harmless(self) -> bool:
        return not self.shared and not self.structural


def meeting(one: Changes, other: Changes) -> Meeting:
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    both = [path for path in few if path in many]
    shared = tuple(sorted(p for p in both if one[p] != other[p]))
    structural = (
        _has_names_at_stake(one, other, both)
        or _is_file_in_the_way(one, other)
        or _meets_emptied(one, other)
        or _meets_emptied(other, one)
    )
    return Meeting(shared, structural)


def _has_names_at_stake(one: Changes, other: Changes, both: list[str]) -> bool:
    """Whether a path that both touched may be an end of somebody's rename."""
    if any(one[p].leaf is None or other[p].leaf is None for p in both):
        return True
    moves = any(change.leaf is None for side in (one, other) for change in side.values())
    return moves and any(one[p].added for p in both)


def _is_file_in_the_way(one: Changes, other: Changes) -> bool:
    """Whether one side's file has the name of a folder that the other's file is in."""
    return any(
        folder in files and files[folder].leaf is not None
        for files, paths in ((one, other), (other, one))
        for path, change in paths.items()
        if change.leaf is not None
        for folder in folders(path)
    )


def _meets_emptied(one: Changes, other: Changes) -> bool:
    """Whether `other` put a new file into a folder out of which `one` took something."""
    emptied = {f for path, change in one.items() if change.leaf is None for f in folders(path)}
    return bool(emptied) and any(
        folder in emptied
        for path, change in other.items()
        if change.added
        for folder in folders(path)
    )
