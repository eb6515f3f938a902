"""Commits in the user's name, signed where the user's own git config asks for it.

Who the user is may stand in the repository's config. Which program signs, and with which key, is
taken from the user's own config alone: whoever works in the repository can write the other.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import GitFailed, NotPossible
from manyhands.git.outside.apart import apart
from manyhands.git.runner import Git
from manyhands.git.tree_edit import commit_tree
from manyhands.model.ids import Oid

SIGN_SECONDS = 60.0
_IDENT = re.compile(r"(.*) <([^<>]*)> (\d+ [+-]\d{4})", re.DOTALL)
_ASKED = ("config", "--type=bool", "commit.gpgSign")


@dataclass(frozen=True)
class Authoring:
    git: Git
    who: dict[str, str]
    """The user, in the variables by which git is told."""
    signed: bool

    def commit(self, tree: Oid, parents: list[Oid], message: bytes, **more: str) -> Oid:
        own = self.git.having(None, **{**self.who, **more})
        flags = ["-S"] if self.signed else []
        try:
            return commit_tree(own, tree, parents, message, *flags, timeout=SIGN_SECONDS)
        except GitFailed as error:
            if not self.signed:
                raise
            raise self._unsigned(error) from error

    def _unsigned(self, error: GitFailed) -> NotPossible:
        form = self.git.run("config", "gpg.format", check=False).line or "openpgp"
        program = {"ssh": "ssh-keygen", "x509": "gpgsm"}.get(form, "gpg")
        said = [line for line in error.stderr.splitlines() if "[GNUPG:]" not in line]
        why = next((line for line in said if _TELLING.search(line)), said[0] if said else "")
        if "no end after" in error.message:
            why = f"it did not end within {SIGN_SECONDS:g} seconds, and may wait for a passphrase"
        return NotPossible(
            "nothing was committed: your git config asks for signed commits, and "
            f"{program} could not sign: {_LABEL.sub('', why).strip()}",
            hint=_WAYS[form if form in _WAYS else "openpgp"],
        )


@contextlib.contextmanager
def authoring(repo: Path, where: Path) -> Iterator[Authoring]:
    """`where` is the checkout whose idea of the user counts."""
    who = _load_people(where)
    with apart(repo) as git:
        signed = git.run(*_ASKED, check=False).line == "true"
        if not signed and Git(where).run(*_ASKED, check=False).line == "true":
            raise NotPossible(
                "the repository's own git config asks for signed commits, and how to sign is taken "
                "from yours alone, because agents can write the other",
                hint="`git config --global commit.gpgSign true`, with your key (includeIf holds it "
                "to some repositories), or `git config --unset commit.gpgSign` there",
            )
        yield Authoring(git, who, signed)


def _load_people(where: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for role in ("AUTHOR", "COMMITTER"):
        said = Git(where).run("var", f"GIT_{role}_IDENT", check=False)
        ident = _IDENT.fullmatch(said.stdout.decode("utf-8", "surrogateescape").rstrip("\n"))
        if ident is None:
            raise NotPossible(
                "git does not know who you are, so nothing can be committed in your name",
                hint="git config --global user.name … and user.email …",
            )
        found |= {f"GIT_{role}_NAME": ident[1], f"GIT_{role}_EMAIL": ident[2]}
    return found


_LABEL = re.compile(r"^(error|fatal|gpg|gpgsm): ")
_TELLING = re.compile(
    r"(?i)no secret key|no such file|not found|cannot run|cannot exec|load key|load public key|"
    r"passphrase|agent|expired|revoked|no end after"
)
_WAYS = {
    "openpgp": "see that `echo test | gpg --clearsign` works and that user.signingKey of your own "
    "config names a key that you have; `git config --global commit.gpgSign false` turns it off",
    "ssh": "see that the key which user.signingKey of your own config names is there, and in your "
    "ssh agent (`ssh-add -l`) if it has a passphrase; start the hub anew where that agent runs "
    "(`manyhands down`, `manyhands up`); `git config --global commit.gpgSign false` turns it off",
    "x509": "see that `gpgsm --list-secret-keys` names the key of user.signingKey in your own "
    "config; `git config --global commit.gpgSign false` turns it off",
}
