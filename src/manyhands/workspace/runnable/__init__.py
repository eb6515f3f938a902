"""What a repository could make git, an agent, a package manager or us run: what trust is about.

Each piece is known by a hash of its name and its whole content. A piece that a person has approved
stays approved; a new or changed one must be shown first. `table.py` says what counts.
"""

from manyhands.workspace.runnable.pieces import (
    runnable_at,
    runnable_beside,
    runnable_git,
    runnable_in,
)

__all__ = ["runnable_at", "runnable_beside", "runnable_git", "runnable_in"]
