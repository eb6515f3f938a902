"""Making a commit out of an index, with its hooks around it as git would run them.

The hooks run by themselves, in the environment that the agent has; the commit object is made, and
signed, by a git that runs none of them and reads none of the repository's config.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from manyhands.errors import GitFailed, NotPossible
from manyhands.git import refs
from manyhands.git.outside.hooks import Hooks
from manyhands.git.runner import Git
from manyhands.model.clock import monotonic
from manyhands.model.ids import Oid
from manyhands.model.landing.landing import CommitUnderWay
from manyhands.model.surroundings import Surroundings
from manyhands.station.landing.authoring import authoring
from manyhands.station.twins import bring_tree
from manyhands.station.worktree import Worktree

MARK = "manyhands-commit"
"""In the reflog entry, with the commit's id: so one that nobody saw end is found again."""
LATER = "the commit is made, though a hook after it failed"


@dataclass
class CommitMaking:
    at: Worktree
    begun: CommitUnderWay
    staged: Git
    """On the index that is committed."""
    index: Path
    within: Surroundings
    seconds: float
    lock: int
    said: list[bytes] = field(default_factory=list)
    note: str = ""

    def __post_init__(self) -> None:
        self._deadline = monotonic() + self.seconds

    def make(self) -> Oid:
        """The commit, and the branch at it; raises `GitFailed` where a hook refuses."""
        at, begun = self.at, self.begun
        with authoring(at.repository, at.root) as own:
            who = {**own.who, **self._first_author()}
            self._hook("pre-commit", who)
            tree = Oid(self.staged.run("write-tree").line)
            bring_tree(at, self.within, tree, begun.head)
            if not begun.amend and tree == refs.tree_of(at.repository, begun.head):
                raise NotPossible("nothing was committed: the hooks left nothing to commit")
            message = self._message(who)
            commit = own.commit(tree, self._parents(), message, **who)
        subject = message.decode("utf-8", "replace").strip().split("\n")[0]
        self._move(commit, f"{MARK} {begun.id}: {subject}")
        self._after(who, commit)
        return commit

    def _message(self, who: Mapping[str, str]) -> bytes:
        # In a box, where git's own directory is not: beside the index.
        own = self.index.parent if self.within.prefix else _git_dir(self.at)
        file = own / "COMMIT_EDITMSG"
        file.unlink(missing_ok=True)
        file.write_bytes(self._tidied(self.begun.message.encode()))
        self._hook("prepare-commit-msg", who, str(file), "message")
        self._hook("commit-msg", who, str(file))
        message = self._tidied(file.read_bytes())
        if not message.strip():
            raise NotPossible("nothing was committed: the hooks left no message")
        return message

    def _tidied(self, message: bytes) -> bytes:
        return Git(self.at.root).run("stripspace", stdin=message).stdout

    def _first_author(self) -> dict[str, str]:
        """An amended commit stays by whom it was, and of when."""
        if not self.begun.amend:
            return {}
        form = "--format=%an%x00%ae%x00%ad"
        asked = ("log", "-1", "--date=raw", form, self.begun.head, "--")
        names = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE")
        said = Git(self.at.root).run(*asked).stdout.decode("utf-8", "surrogateescape")
        return dict(zip(names, said.strip("\n").split("\0"), strict=True))

    def _parents(self) -> list[Oid]:
        if not self.begun.amend:
            return [self.begun.head]
        said = Git(self.at.root).run("rev-parse", f"{self.begun.head}^@").line
        return [Oid(parent) for parent in said.split()]

    def _move(self, commit: Oid, reason: str) -> None:
        git = Git(self.at.root).having({"core.logAllRefUpdates": "true"})
        argv = ("update-ref", "--create-reflog", "-m", reason, "HEAD", commit, self.begun.head)
        try:
            git.run(*argv)
        except GitFailed as error:
            raise NotPossible(
                "the branch has moved on since the commit was asked for: ask again"
            ) from error

    def _after(self, who: Mapping[str, str], commit: Oid) -> None:
        """Whatever becomes of these, the commit is made."""
        try:
            self._hook("post-commit", who)
            if self.begun.amend:
                told = f"{self.begun.head} {commit}\n".encode()
                self._hook("post-rewrite", who, "amend", stdin=told)
        except GitFailed as error:
            self.said.append(error.stderr.encode())
            self.note = LATER

    def _hook(self, name: str, who: Mapping[str, str], *args: str, stdin: bytes = b"") -> None:
        told: dict[str, str | Path] = {"GIT_INDEX_FILE": self.index, **who}
        hooks = Hooks(self.at.root, self.within, told, inherit=(self.lock,))
        left = self._deadline - monotonic()
        ran = hooks.run(name, *args, stdin=stdin, seconds=left)
        if ran is None:
            return
        if ran.returncode:
            said = b"".join((*self.said, ran.stderr)).decode("utf-8", "replace")
            raise GitFailed(("hook", "run", name), ran.returncode, said, cwd=str(self.at.root))
        self.said.append(ran.stderr)


def _git_dir(at: Worktree) -> Path:
    return refs.require_worktree(at.root).git_dir
