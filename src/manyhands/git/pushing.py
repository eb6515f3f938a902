"""Pushing one branch: never by plain force, and with a token that no list, file or log shows."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from manyhands.errors import GitFailed, NotPossible
from manyhands.git import refs
from manyhands.git.fetching import fetch_branch
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

_HEADS = "refs/heads/"


@dataclass(frozen=True)
class Pushed:
    commit: Oid
    forced: bool
    output: str
    """What the hooks and the remote said; empty where there was nothing to push."""


class Push:
    """A branch on its way to a remote, by the remote's name; `token` only for HTTP."""

    def __init__(self, worktree: Path, remote: str, branch: str, *, token: str, seconds: float):
        self.worktree, self.remote, self.branch = worktree, remote, branch
        self.token, self.seconds = token, seconds

    def fetch_tip(self) -> Oid | None:
        """Where the branch is on the remote."""
        with self._git() as git:
            argv = ("ls-remote", "--heads", "--", self.remote, _HEADS + self.branch)
            line = git.run(*argv, timeout=self.seconds).line
        return Oid(line.partition("\t")[0]) if line else None

    def push(self) -> Pushed:
        """Up to date, forward, or, where our own history changed, over exactly what we had."""
        commit = refs.branch_tip(self.worktree, self.branch)
        if commit is None:
            raise NotPossible(f"the branch {self.branch} does not exist (any more)")
        tip = self.fetch_tip()
        if tip == commit:
            return Pushed(commit, False, "")
        force = tip is not None and not self._is_ahead_of(tip)
        if force:
            self._require_ours(tip)
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

    def _is_ahead_of(self, tip: Oid) -> bool:
        git = Git(self.worktree)
        known = git.ok("cat-file", "-e", f"{tip}^{{commit}}")
        return known and git.ok("merge-base", "--is-ancestor", tip, _HEADS + self.branch)

    def _require_ours(self, tip: Oid | None) -> None:
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


def explain(error: GitFailed, branch: str, remote: str) -> tuple[str, str]:
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
