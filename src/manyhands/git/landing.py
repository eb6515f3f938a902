"""A branch's work on top of another, made in object space: no index, no checkout, no ref.

The same request at the same instant gives the same commit, so that a repetition merges nothing
twice. Author and committer are the user's, by the user's own git config.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import GitFailed, NotPossible
from manyhands.git import refs
from manyhands.git.diff import shown
from manyhands.git.forecast import Forecast, forecast
from manyhands.git.runner import Git
from manyhands.git.tree_entry import make_commit
from manyhands.model.ids import Oid
from manyhands.model.radar_events import MergeMethod

SIGN_SECONDS = 60.0


class Conflicted(NotPossible):
    """The two do not merge by themselves; `paths` are where."""

    code = "conflict"

    def __init__(self, message: str, paths: tuple[str, ...], *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.paths = paths


@dataclass(frozen=True)
class Landing:
    commit: Oid
    tree: Oid


@dataclass(frozen=True)
class Request:
    target: Oid
    tip: Oid
    method: MergeMethod
    message: str
    seconds: int
    """When, since 1970: part of what makes the commit the same."""


def make_landing(repo: Path, request: Request) -> Landing:
    """The commit that the target would go to. Raises where they conflict, or nothing is new."""
    maker = _Maker(repo, request)
    commit = maker.rebased() if request.method == "rebase" else maker.merged()
    tree = tree_of(repo, commit)
    if tree == tree_of(repo, request.target):
        raise NotPossible("there is nothing to merge: the target has all of it already")
    return Landing(commit, tree)


def tree_of(repo: Path, commit: Oid) -> Oid:
    named = ("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}")
    return Oid(Git(repo).run(*named).line)


def is_part_of(repo: Path, commit: Oid, of: Oid) -> bool:
    return Git(repo).ok("merge-base", "--is-ancestor", commit, of)


def commits_between(repo: Path, target: Oid, tip: Oid) -> list[tuple[Oid, str]]:
    """What the tip has and the target has not, the oldest first, with their first lines."""
    order = ("--reverse", "--topo-order", "--no-merges", "--format=%H%x00%s")
    said = Git(repo).run("log", *order, f"{target}..{tip}").stdout.decode("utf-8", "replace")
    pairs = (line.split("\0", 1) for line in said.splitlines())
    return [(Oid(oid), subject) for oid, subject in pairs]


class _Maker:
    def __init__(self, repo: Path, request: Request) -> None:
        self.repo, self.request = repo, request
        self.git = Git(repo)
        self.own = Git(repo, hardened=False)
        asked = ("config", "--type=bool", "commit.gpgSign")
        self.signed = self.own.run(*asked, check=False).line == "true"

    def merged(self) -> Oid:
        request = self.request
        found = forecast(self.git, [(request.target, request.tip)])[0]
        self._require_clean(found)
        parents = [request.target, *([request.tip] if request.method == "merge" else [])]
        return self._commit(found.tree, parents, request.message.encode())

    def rebased(self) -> Oid:
        """Each commit on top of the one before, by its own author; empty ones are left out."""
        top = self.request.target
        for commit, subject in commits_between(self.repo, top, self.request.tip):
            parent = refs.resolve(self.repo, f"{commit}^")
            if parent == top:
                top = commit
            else:
                top = self._picked(top, commit, parent, subject)
        return top

    def _picked(self, top: Oid, commit: Oid, parent: Oid | None, subject: str) -> Oid:
        before = tree_of(self.repo, parent) if parent else self._empty_tree()
        root = make_commit(self.git, before, [], "trial")
        mine = make_commit(self.git, tree_of(self.repo, top), [root], "trial")
        theirs = make_commit(self.git, tree_of(self.repo, commit), [root], "trial")
        found = forecast(self.git, [(mine, theirs)])[0]
        self._require_clean(found, f" at “{subject}”")
        if found.tree == tree_of(self.repo, top):
            return top
        return self._commit(found.tree, [top], self._field(commit, "%B"), **self._author(commit))

    def _author(self, commit: Oid) -> dict[str, str]:
        name, mail, date = self._field(commit, "%an%x00%ae%x00%at +0000").decode().split("\0")
        return {
            "GIT_AUTHOR_NAME": name,
            "GIT_AUTHOR_EMAIL": mail,
            "GIT_AUTHOR_DATE": date.strip(),
        }

    def _field(self, commit: Oid, form: str) -> bytes:
        return self.git.run("log", "-1", f"--format={form}", commit).stdout

    def _empty_tree(self) -> Oid:
        return Oid(self.git.run("mktree").line)

    def _require_clean(self, found: Forecast, where: str = "") -> None:
        if found.clean:
            return
        paths = tuple(shown(c.path.encode("utf-8", "surrogateescape")) for c in found.conflicts)
        named = ", ".join(paths[:5]) + (" …" if len(paths) > 5 else "")
        raise Conflicted(f"they conflict{where} in {named}", paths)

    def _commit(self, tree: Oid, parents: list[Oid], message: bytes, **author: str) -> Oid:
        date = f"{self.request.seconds} +0000"
        dated = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, **author}
        flags = list(_flags(parents, self.signed))
        try:
            made = self.own.having(None, **dated).run(
                "commit-tree", *flags, tree, stdin=message, timeout=SIGN_SECONDS
            )
        except GitFailed as error:
            if "tell me who you are" in error.stderr or "empty ident" in error.stderr:
                raise NotPossible(
                    "git does not know who you are, so nothing can be committed in your name",
                    hint="git config --global user.name … and user.email …",
                ) from error
            raise
        return Oid(made.line)


def _flags(parents: list[Oid], signed: bool) -> Iterator[str]:
    for parent in parents:
        yield from ("-p", parent)
    if signed:
        yield "-S"
