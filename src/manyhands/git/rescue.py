"""Archive and restore: what a worktree alone holds, keeping it, and moving it to the trash.

`survey` says what would be lost, `keep` makes a private ref hold every object, `to_trash` and
`from_trash` move the directory. In this order, nothing is at any moment only in one place
that a kill, `git gc --prune=now` or `git worktree prune` could take away.
"""

from __future__ import annotations

from manyhands.git.keeping import keep, rescue_ref
from manyhands.git.survey import Holding, Survey, survey
from manyhands.git.trash import from_trash, load_record, to_trash

__all__ = [
    "Holding",
    "Survey",
    "from_trash",
    "keep",
    "load_record",
    "rescue_ref",
    "survey",
    "to_trash",
]
