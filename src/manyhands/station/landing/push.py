"""Sending a session's branch to a remote, and what there is to be told about it before.

Never by plain force, and with a token that no list, file or log shows.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from manyhands.errors import ForgeDenied, ForgeFailed, GitFailed, NotPossible
from manyhands.git import lfs, refs
from manyhands.git.diff.outgoing import Outgoing, load_outgoing
from manyhands.git.outside.apart import apart
from manyhands.git.outside.credentials import with_token
from manyhands.git.outside.fetching import follow, take_branch
from manyhands.git.outside.hooks import Hooks
from manyhands.git.runner import Git
from manyhands.git.settings import load_settings
from manyhands.model.ids import Oid
from manyhands.model.landing.landing import Pushed
from manyhands.model.landing.merges import Merge
from manyhands.model.surroundings import Surroundings
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree

MOST_BRANCHES = 200
DENIED = 403
FORBIDDING = 3
"""So many of the reasons below are a refusal that stays."""
BY_PULLS = "land by pull requests instead: take the cars off, and `manyhands train add --via pr`"
_HEADS = "refs/heads/"
_USER_INFO = re.compile(r"(?<=://)[^/@]*@")
_UNUSED = re.compile(r"core\.(sshcommand|gitproxy)|credential\.|http\.|remote\..*proxy")


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
def load_tip(at: Worktree) -> Oid | None:
    return refs.branch_tip(at.repository, at.branch)


@in_thread
def count_uncommitted(at: Worktree) -> int:
    return len(Git(at.root).run("status", "--porcelain=v1", "-z", "--no-renames").records)


@in_thread
def load_branches(at: Worktree, remote: str) -> list[str]:
    """Branches of the remote as they are known here, the last changed first."""
    start = f"refs/remotes/{remote}/"
    order = ("--sort=-committerdate", f"--count={MOST_BRANCHES}", "--format=%(refname)")
    listed = Git(at.repository).run("for-each-ref", *order, start).text.splitlines()
    return [name.removeprefix(start) for name in listed if not name.endswith("/HEAD")]


@in_thread
def load_sending(at: Worktree, remote: str) -> tuple[Oid, Outgoing]:
    """The branch's tip, and what a push of it would send."""
    tip = _require_tip(at)
    return tip, load_outgoing(at.repository, remote, tip)


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """Where a branch is pushed: a remote by its name here, its addresses, and its forge's name."""

    remote: str
    urls: tuple[str, ...]
    slug: str
    token_hint: str = ""
    """Where a token is to be had, or named."""


@in_thread
def push_branch(
    at: Worktree, to: Destination, *, token: str, within: Surroundings, seconds: float
) -> Pushed:
    """Safe to repeat. `within` is for the hook, which is run by itself and sees no credentials."""
    doing = _Push(at, to, token, within, seconds)
    try:
        return doing.push(_require_tip(at))
    except GitFailed as error:
        sentence, hint = _explain(error, at.branch, to)
        hidden = doing.hidden(sentence.encode())
        raise ForgeFailed(hidden, hint=_with_unused(hint, at.repository), status=DENIED) from None


@in_thread
def fetch_landed(at: Worktree, to: Destination, branch: str, *, token: str, seconds: float) -> None:
    """Bring what is known here of a branch up to date, with the same credentials as a push."""
    asking = _Push(at, to, token, Surroundings({}), seconds)
    try:
        with apart(at.repository, {to.remote: to.urls}, branch=branch) as git:
            asking.fetch(git, branch)
    except GitFailed as error:
        sentence, hint = _explain(error, branch, to)
        raise ForgeFailed(asking.hidden(sentence.encode()), hint=hint, status=DENIED) from None


@in_thread
def push_landing(
    at: Worktree,
    to: Destination,
    landing: Merge,
    *,
    token: str,
    within: Surroundings,
    seconds: float,
) -> None:
    """Swap a branch of the remote: from exactly the landing's target to its commit. Safe to repeat;
    raises `NotPossible` where the branch is elsewhere by now, and has been left alone."""
    at = msgspec.structs.replace(at, branch=landing.into)
    doing = _Push(at, to, token, within, seconds)
    try:
        doing.swap(landing)
    except GitFailed as error:
        sentence, hint = _explain(error, landing.into, to)
        hidden = doing.hidden(sentence.encode())
        marks = [mark for marks, _, _ in _REASONS[:FORBIDDING] for mark in marks]
        denied = any(mark in error.stderr for mark in marks)
        kind = ForgeDenied if denied else ForgeFailed
        way = BY_PULLS if denied else _with_unused(hint, at.repository)
        raise kind(hidden, hint=way, status=DENIED if denied else 0) from None


@dataclass(frozen=True)
class _Push:
    """A branch on its way to a remote; `token` only for HTTP."""

    at: Worktree
    to: Destination
    token: str
    within: Surroundings
    seconds: float

    @property
    def branch(self) -> str:
        return self.at.branch

    @property
    def worktree(self) -> Path:
        return self.at.root if self.at.root.is_dir() else self.at.repository

    def push(self, commit: Oid) -> Pushed:
        """Up to date, forward, or, where our own history changed, over exactly what we had."""
        remotes = {self.to.remote: self.to.urls}
        with apart(self.at.repository, remotes, branch=self.branch) as git:
            tip = self._fetch_tip(git)
            if tip == commit:
                return Pushed(commit, False, "")
            force = tip is not None and not self._is_ahead_of(tip)
            if force:
                self._fetch_what_is_there(git, tip)
            said = self._run_hook(commit, tip)
            self._send_large_files(git)
            said += self._send(git, force)
        return Pushed(commit, force, self.hidden(said))

    def swap(self, landing: Merge) -> None:
        remotes = {self.to.remote: self.to.urls}
        with apart(self.at.repository, remotes, branch=self.branch) as git:
            tip = self._fetch_tip(git)
            if tip != landing.commit:
                if tip != landing.target:
                    self._take(git)
                    raise NotPossible(f"{self.branch} moved meanwhile on {self.to.remote}")
                self._run_hook(landing.commit, tip)
                self._send_large_files(git)
                self._send_swap(git, landing)
            self._take(git)

    def _take(self, git: Git) -> None:
        """Know here where it is there."""
        with self._with_token(git) as trusted:
            take_branch(trusted, self.worktree, self.to.remote, self.branch, self.seconds)

    def _send_swap(self, git: Git, landing: Merge) -> None:
        ref = _HEADS + self.branch
        lease = f"--force-with-lease={ref}:{landing.target}"
        argv = ("push", "--no-follow-tags", "--recurse-submodules=no", lease, "--")
        with self._with_token(git) as trusted:
            words = (self.to.remote, f"{landing.commit}:{ref}")
            trusted.run(*argv, *words, timeout=self.seconds)

    def _send(self, git: Git, force: bool) -> bytes:
        options = ("--force-with-lease=" + self.branch, "--force-if-includes") if force else ()
        ref = f"{_HEADS}{self.branch}:{_HEADS}{self.branch}"
        argv = ("push", "--no-follow-tags", "--recurse-submodules=no", *options, "--")
        with self._with_token(git) as trusted:
            said = trusted.run(*argv, self.to.remote, ref, timeout=self.seconds)
        follow(git, self.worktree, self._tracking, "update by push")
        return said.stderr + said.stdout

    def _run_hook(self, commit: Oid, tip: Oid | None) -> bytes:
        """As git would run it, before anything is sent."""
        ref, there = _HEADS + self.branch, tip or "0" * len(commit)
        # What it would upload needs credentials, so that is done apart from it.
        hooks = Hooks(self.worktree, self.within, {"GIT_LFS_SKIP_PUSH": "1"})
        told = f"{ref} {commit} {ref} {there}\n".encode()
        words = (self.to.remote, _USER_INFO.sub("", self.to.urls[0]))
        ran = hooks.run("pre-push", *words, stdin=told, seconds=self.seconds)
        said = ran.stderr if ran else b""
        if ran is not None and ran.returncode:
            raise NotPossible(
                "nothing was pushed: the hook pre-push did not let it through\n"
                + self.hidden(said),
                hint="mend what the hook names, then again",
            )
        return said

    def _send_large_files(self, git: Git) -> None:
        if not lfs.is_installed() or not lfs.is_used(self.worktree):
            return
        kept = {} if git.ok("config", "lfs.storage") else lfs.storage(self.worktree)
        with self._with_token(git.having(kept)) as trusted:
            trusted.run("lfs", "push", self.to.remote, self.branch, timeout=self.seconds)

    def hidden(self, said: bytes) -> str:
        """What was said, without the token."""
        text = said.decode("utf-8", "replace").strip()
        return text.replace(self.token, "***") if self.token else text

    @property
    def _tracking(self) -> str:
        return f"refs/remotes/{self.to.remote}/{self.branch}"

    def _fetch_tip(self, git: Git) -> Oid | None:
        """Where the branch is on the remote."""
        argv = ("ls-remote", "--heads", "--", self.to.remote, _HEADS + self.branch)
        with self._with_token(git) as trusted:
            line = trusted.run(*argv, timeout=self.seconds).line
        return Oid(line.partition("\t")[0]) if line else None

    def _is_ahead_of(self, tip: Oid) -> bool:
        known = Git(self.worktree).ok("cat-file", "-e", f"{tip}^{{commit}}")
        return known and refs.is_part_of(self.worktree, tip, _HEADS + self.branch)

    def _fetch_what_is_there(self, git: Git, tip: Oid | None) -> None:
        """The lease is on what the remote has now; that we once had it is git's to check."""
        if refs.resolve(self.worktree, self._tracking) != tip:
            self.fetch(git, self.branch)

    def fetch(self, git: Git, branch: str) -> None:
        with self._with_token(git) as trusted:
            take_branch(trusted, self.worktree, self.to.remote, branch, self.seconds)

    def _with_token(self, git: Git) -> AbstractContextManager[Git]:
        return with_token(git, self.token, self.to.urls)


def _with_unused(hint: str, where: Path) -> str:
    """Settings that would have mattered, had the repository's config counted."""
    keys = sorted({key for key, _ in load_settings(where).of_repository if _UNUSED.match(key)})
    if not keys:
        return hint
    said = (
        f"the repository's own {', '.join(keys)} is not used with your credentials: "
        "set it in your own git config (includeIf holds it to this repository)"
    )
    return f"{hint}; {said}" if hint else said


def _explain(error: GitFailed, branch: str, to: Destination) -> tuple[str, str]:
    """Why a push was refused, in a sentence, and what to do."""
    said = error.stderr
    lines = [x.removeprefix("remote:").strip() for x in said.splitlines() if x.strip()]
    first = next((x for x in lines if x.startswith(_TELLING)), "")
    why = first or (lines[-1] if lines else "no reason given")
    for marks, sentence, hint in _REASONS:
        if any(mark in said for mark in marks):
            told = sentence.format(branch=branch, remote=to.slug)
            return f"{told}: {why}", hint.format(token=to.token_hint)
    return f"{branch} could not be pushed to {to.slug}: {why}", ""


_TELLING = ("error: GH", "GH0", "GitLab:", "Gitea:", "Forgejo:", "fatal", "ERROR")
_REASONS = (
    (
        ("GH006", "protected branch", "Protected branch"),
        "{branch} is protected on {remote}",
        "push to a branch of the session's own",
    ),
    (
        ("Authentication failed", "could not read Username", "Invalid username", "Access denied"),
        "{remote} does not accept the token",
        "{token}",
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
        ("returned error: 301", "returned error: 302", "returned error: 307", "error: 308"),
        "{remote} is somewhere else on its forge by now",
        "`git remote set-url` to its new address, then `manyhands repo trust` the repository",
    ),
    (
        ("no end after",),
        "the push of {branch}, or its hook, did not end in time",
        "see [landing] push_seconds",
    ),
)
