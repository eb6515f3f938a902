"""Where a session's files lie, in plain values that could be sent to another machine."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import msgspec

from manyhands.errors import BadInput, NotPossible
from manyhands.git.reviving import wholeness
from manyhands.git.runner import Git
from manyhands.git.snapshot.private import FOLDER
from manyhands.model.ids import Oid, SessionId
from manyhands.model.quoting import quoted
from manyhands.model.surroundings import Surroundings
from manyhands.station.threads import in_thread


class Worktree(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    repo: str
    path: str
    base: Oid
    """The commit that the session started from."""
    kept: str
    """A directory of ours, for what makes the next look quick."""
    lock: str = ""
    """The session's keeper holds it, as long as one lives."""
    copied: tuple[str, ...] = ()
    """Ignored files that came along, which checkpoints hold too."""
    branch: str = ""
    base_name: str = ""
    """What the session started from, as it was named."""
    in_place: bool = False
    """Whether it is the main checkout itself."""
    locks: str = ""
    """Where whoever adds a worktree waits for the others."""
    secrets: tuple[str, ...] = ()
    """Values that no text taken from its files may hold."""

    @property
    def private(self) -> Path:
        """Where its checkpoints keep what git ignores."""
        return Path(self.kept) / FOLDER

    def private_of(self, other: SessionId) -> Path:
        return Path(self.kept).with_name(other) / FOLDER

    @property
    def repository(self) -> Path:
        return Path(self.repo)

    @property
    def root(self) -> Path:
        return Path(self.path)


def agents_git(at: Worktree, within: Surroundings) -> Git:
    """Git as the agent has it: in its box, where there is one, and so on its twin."""
    return Git(at.root, hardened=False).within(within.env).boxed(within.prefix)


async def is_there(worktree: Worktree) -> bool:
    # One look at a name is quicker than the way to a thread.
    return worktree.root.is_dir()


async def is_whole(worktree: Worktree) -> bool:
    """Whether git and the files still know of each other."""
    return not _harm(worktree)


def _harm(worktree: Worktree) -> str:
    if worktree.in_place:
        return "" if (worktree.root / ".git").exists() else "the main checkout is gone"
    return _HARM[wholeness(worktree.repository, worktree.root)]


_HARM = {
    "whole": "",
    "missing": "its worktree is gone",
    "replaced": "something else is in the place of its worktree",
    "unlinked": "its worktree has lost its .git file",
    "unknown": "git has lost its record of the worktree",
}


@in_thread
def find_harm(worktree: Worktree) -> str:
    """What is wrong with it, in words; nothing where it is whole."""
    return _harm(worktree)


def require_repository(repo: Path) -> None:
    """Refuse where the repository itself is not where it was added."""
    if not repo.is_dir():
        raise NotPossible(
            f"the repository {repo} is not there any more",
            hint="put it back, or, where it was moved to NEW, lead its old place there: "
            f"`ln -s NEW {quoted(repo)}`",
        )


async def require_there(worktree: Worktree) -> None:
    if not await is_there(worktree):
        raise NotPossible(
            f"the worktree {worktree.path} is missing", hint="`manyhands doctor` says what is left"
        )


LONGEST = 4000


def require_inside(worktree: Path, path: str) -> str:
    """A relative path that stays in the worktree, links included, and out of git's own files."""
    inside = PurePosixPath(path)
    if (
        not inside.parts
        or "\0" in path
        or path.startswith(("/", ":"))
        or ".." in inside.parts
        or any(part.lower() == ".git" for part in inside.parts)
        or any((worktree / above).is_symlink() for above in inside.parents if above.parts)
    ):
        raise BadInput(f"{path!r} is not a file of the worktree")
    return path


def require_path(worktree: Path, path: str) -> str:
    """Git knows a file by one spelling only."""
    if len(path) > LONGEST or any(len(part.encode()) > 255 for part in path.split("/")):
        raise BadInput("no file has a name that long")
    if str(PurePosixPath(path)) != path:
        raise BadInput(f"{path!r} is not the plain path of a file")
    return require_inside(worktree, path)
