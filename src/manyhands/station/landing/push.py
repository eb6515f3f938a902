"""Sending a session's branch to a remote, and what there is to be told about it before.

Never by plain force, and with a token that no list, file or log shows.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from manyhands.errors import ForgeFailed, GitFailed, NotPossible
from manyhands.git import refs
from manyhands.git.diff.outgoing import Outgoing, load_outgoing
from manyhands.git.fetching import fetch_branch
from manyhands.git.runner import Git
from manyhands.model.ids import Oid
from manyhands.model.landing.landing import Pushed
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree

LARGEST_TEMPLATE = 64 * 1024
DENIED = 403
_HEADS = "refs/heads/"
_TEMPLATES = re.compile(rb"(?i)(?:\.github/|docs/)?pull_request_template\.(?:md|txt)")


class Ahead(msgspec.Struct, frozen=True):
    """A branch against what it is to be proposed to; without commits there is no difference."""

    base: str
    tip: Oid
    commits: int


@in_thread
def load_ahead(at: Worktree, remote: str, base: str, default: str) -> Ahead:
    """Against `base`, else the session's own base if the remote has it, else `default`."""
    base = base or _base_on(at, remote) or default
    tip = _require_tip(at)
    start = refs.resolve(at.repository, f"refs/remotes/{remote}/{base}") or at.base
    git = Git(at.repository)
    commits = int(git.run("rev-list", "--count", tip, f"^{start}").line)
    if commits and git.ok("diff", "--quiet", f"{start}...{tip}"):
        commits = 0
    return Ahead(base, tip, commits)


def _base_on(at: Worktree, remote: str) -> str:
    """The base's name on the forge, if it is there."""
    name = at.base_name.removeprefix(f"{remote}/")
    return name if refs.resolve(at.repository, f"refs/remotes/{remote}/{name}") else ""


def _require_tip(at: Worktree) -> Oid:
    tip = refs.branch_tip(at.repository, at.branch)
    if tip is None:
        raise NotPossible(f"the branch {at.branch} does not exist (any more)")
    return tip


@in_thread
def is_newer(at: Worktree, head: str) -> bool:
    """Whether the branch has what `head`, as a forge has it, does not hold."""
    tip = refs.branch_tip(at.repository, at.branch)
    if tip is None or tip == head:
        return False
    known = refs.resolve(at.repository, head)
    return known is None or refs.merge_base(at.repository, tip, known) != tip


@in_thread
def count_uncommitted(at: Worktree) -> int:
    return len(Git(at.root).run("status", "--porcelain=v1", "-z", "--no-renames").records)


@in_thread
def load_template(at: Worktree, commit: Oid) -> str:
    """The repository's own template of a pull request, as it is in the commit."""
    git = Git(at.repository)
    listed = git.run("ls-tree", "-z", "--name-only", commit, "--", ".", ".github/", "docs/")
    name = next((path for path in listed.records if _TEMPLATES.fullmatch(path)), None)
    if name is None:
        return ""
    blob = b"%s:%s" % (commit.encode(), name)
    return git.run("cat-file", "blob", blob, limit=LARGEST_TEMPLATE).text


@in_thread
def load_sending(at: Worktree, remote: str) -> tuple[Oid, Outgoing]:
    """The branch's tip, and what a push of it would send."""
    tip = _require_tip(at)
    return tip, load_outgoing(at.repository, remote, tip)


@in_thread
def push_branch(at: Worktree, remote: str, slug: str, *, token: str, seconds: float) -> Pushed:
    """Safe to repeat. `slug` is what the remote is called on its forge, for what is said of it."""
    where = at.root if at.root.is_dir() else at.repository
    doing = _Push(where, remote, at.branch, token, seconds)
    try:
        return doing.push(_require_tip(at))
    except GitFailed as error:
        sentence, hint = _explain(error, at.branch, slug)
        hidden = doing.hidden(sentence.encode())
        raise ForgeFailed(hidden, hint=hint, status=DENIED) from None


@dataclass(frozen=True)
class _Push:
    """A branch on its way to a remote, by the remote's name; `token` only for HTTP."""

    worktree: Path
    remote: str
    branch: str
    token: str
    seconds: float

    def push(self, commit: Oid) -> Pushed:
        """Up to date, forward, or, where our own history changed, over exactly what we had."""
        tip = self._fetch_tip()
        if tip == commit:
            return Pushed(commit, False, "")
        force = tip is not None and not self._is_ahead_of(tip)
        if force:
            self._fetch_what_is_there(tip)
        options = ("--force-with-lease=" + self.branch, "--force-if-includes") if force else ()
        ref = f"{_HEADS}{self.branch}:{_HEADS}{self.branch}"
        argv = ("push", "--no-follow-tags", "--recurse-submodules=no", *options, "--", self.remote)
        with self._git() as git:
            said = replace(git, hooks=True).run(*argv, ref, timeout=self.seconds)
        return Pushed(commit, force, self.hidden(said.stderr + said.stdout))

    def hidden(self, said: bytes) -> str:
        """What was said, without the token."""
        text = said.decode("utf-8", "replace").strip()
        return text.replace(self.token, "***") if self.token else text

    def _fetch_tip(self) -> Oid | None:
        """Where the branch is on the remote."""
        with self._git() as git:
            argv = ("ls-remote", "--heads", "--", self.remote, _HEADS + self.branch)
            line = git.run(*argv, timeout=self.seconds).line
        return Oid(line.partition("\t")[0]) if line else None

    def _is_ahead_of(self, tip: Oid) -> bool:
        known = Git(self.worktree).ok("cat-file", "-e", f"{tip}^{{commit}}")
        return known and refs.is_part_of(self.worktree, tip, _HEADS + self.branch)

    def _fetch_what_is_there(self, tip: Oid | None) -> None:
        """The lease is on what the remote has now; that we once had it is git's to check."""
        fetched = f"refs/remotes/{self.remote}/{self.branch}"
        if refs.resolve(self.worktree, fetched) != tip:
            with self._git() as git:
                fetch_branch(self.worktree, self.remote, self.branch, self.seconds, git=git)

    @contextlib.contextmanager
    def _git(self) -> Iterator[Git]:
        """The user's git; a token is handed over by a nameless file that only git inherits."""
        plain = Git(self.worktree, hardened=False).having(
            GIT_ASKPASS="true", SSH_ASKPASS_REQUIRE="never", GIT_LITERAL_PATHSPECS="0"
        )
        if not self.token:
            yield plain
            return
        with tempfile.TemporaryFile() as file:
            file.write(f"username=x-access-token\npassword={self.token}\n".encode())
            file.flush()
            file.seek(0)
            # The empty one makes git forget every other helper, which would store the token.
            helper = f'!f() {{ test "$1" = get && cat /dev/fd/{file.fileno()}; }}; f'
            git = plain.having({"credential.helper": ""}).having({"credential.helper": helper})
            yield replace(git, inherit=(file.fileno(),))


def _explain(error: GitFailed, branch: str, remote: str) -> tuple[str, str]:
    """Why a push was refused, in a sentence, and what to do."""
    said = error.stderr
    lines = [x.removeprefix("remote:").strip() for x in said.splitlines() if x.strip()]
    first = next((x for x in lines if x.startswith(("error: GH", "GH0", "fatal", "ERROR"))), "")
    why = first or (lines[-1] if lines else "no reason given")
    for marks, sentence, hint in _REASONS:
        if any(mark in said for mark in marks):
            return f"{sentence.format(branch=branch, remote=remote)}: {why}", hint
    return f"{branch} could not be pushed to {remote}: {why}", ""


_REASONS = (
    (
        ("GH006", "protected branch", "Protected branch"),
        "{branch} is protected on {remote}",
        "push to a branch of the session's own",
    ),
    (
        ("Authentication failed", "could not read Username", "Invalid username"),
        "{remote} does not accept the token",
        "`gh auth login`, or see [github] in config.toml",
    ),
    (
        ("Permission to", "returned error: 403", "not allowed to push", "Write access"),
        "there is no right to push to {remote}",
        "fork the repository and make the fork the remote origin, or ask for the right",
    ),
    (
        ("stale info", "fetch first", "non-fast-forward", "remote ref updated since checkout"),
        "{branch} holds commits on {remote} that are not the session's",
        "look at them with `git fetch`, and take them in first",
    ),
    (
        ("no end after",),
        "the push of {branch}, or its hook, did not end in time",
        "see [landing] push_seconds",
    ),
)
