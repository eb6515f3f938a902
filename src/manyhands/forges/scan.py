"""What must not leave the machine unseen: secrets, `.env` files, huge files, workflow files.

Secrets are what the table of redaction knows, and the values that are secret here. They come first:
nothing that a push holds besides can hide one. What is too much to be listed, or to be looked
through, is a finding itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from manyhands.git.diff.outgoing import NewFile, Outgoing
from manyhands.model.ids import Oid
from manyhands.model.landing.events import FindingKind, ScanFinding
from manyhands.model.redaction import Redactor

_ENV = re.compile(r"(?:^|/)\.env(?:\.[^/]+)?$")
_ENV_SAMPLE = re.compile(r"\.(?:example|sample|template|dist|defaults?)$")
_WORKFLOW = re.compile(
    r"^\.(?:github|gitea|forgejo)/(?:workflows|actions)/"
    r"|^\.gitlab(?:-ci|/ci)/|\.gitlab-ci\.ya?ml$"
)
AROUND = 200
MOST = 100
"""Findings that are listed; the others are one more."""


def scan(
    tip: Oid, out: Outgoing, *, largest: int, own: str = "", known: Iterable[str] = ()
) -> list[ScanFinding]:
    """`own` is the token itself, which above all must not be there, `known` what is secret here."""
    looking = _Looking(Redactor(known), own)
    secrets = _distinct(looking.secrets(out))
    others = _distinct(_in_files(out.files, largest))
    found = [*secrets[:MOST], *others[: MOST - min(MOST, len(secrets))]]
    if left := len(secrets) + len(others) - len(found):
        said = f"{left} more findings than the {MOST} that are listed"
        found.append(_finding("secret", "", f"more {tip} {left}", said))
    if out.cut:
        said = "too much to look through: the rest of it was not searched for secrets"
        found.append(_finding("secret", "", f"cut {tip}", said))
    return found


def secret_in(text: str, own: str = "") -> str:
    """What the text seems to hold, never the thing itself; empty for nothing."""
    return next((kind for _, kind in _Looking(Redactor(), own).find(text)), "")


class _Looking:
    def __init__(self, redactor: Redactor, own: str) -> None:
        self._redactor = redactor
        self._own = own

    def secrets(self, out: Outgoing) -> Iterator[ScanFinding]:
        for message in out.messages:
            for _, around, kind in self._placed(message.text):
                said = f"{kind} in the message or author of commit {message.commit[:12]}"
                yield _finding("secret", "", around, said)
        for file in out.files:
            for _, _, kind in self._placed(file.path):
                yield _finding("secret", file.path, file.path, f"{kind} in the file's name")
        for added in out.added:
            for number, around, kind in self._placed(added.text):
                yield _finding("secret", added.path, around, kind, added.line + number)

    def _placed(self, text: str) -> Iterator[tuple[int, str, str]]:
        """The line of each, counted from 0, what stands around it there, and its kind."""
        number = seen = 0
        for at, kind in sorted(self.find(text)):
            number, seen = number + text.count("\n", seen, at), at
            start, end = max(0, at - AROUND), min(len(text), at + AROUND)
            start = text.rfind("\n", start, at) + 1 or start
            end = text.find("\n", at, end) % (end + 1)
            yield number, text[start:end], kind

    def find(self, text: str) -> Iterator[tuple[int, str]]:
        """Where they begin, and their kinds."""
        if self._own and (at := text.find(self._own)) >= 0:
            yield at, "the token for the forge"
        for span in self._redactor.spans(text):
            yield span.start, span.kind or "a value that is secret here"


def _in_files(files: Iterable[NewFile], largest: int) -> Iterator[ScanFinding]:
    for file in files:
        if _ENV.search(file.path) and not _ENV_SAMPLE.search(file.path):
            yield _finding("env_file", file.path, file.oid, "an environment file")
        if file.bytes > largest:
            size = f"{file.bytes / 1e6:.1f} MB, over the limit of {largest / 1e6:g} MB"
            yield _finding("large_file", file.path, file.oid, size)
        if _WORKFLOW.search(file.path):
            yield _finding("workflow", file.path, file.oid, "runs on the forge with its rights")


LISTED = 10_000
"""Findings that are counted one by one."""


def _distinct(found: Iterator[ScanFinding]) -> list[ScanFinding]:
    by_id: dict[str, ScanFinding] = {}
    for one in islice(found, LISTED):
        by_id.setdefault(one.id, one)
    return list(by_id.values())


def _finding(kind: FindingKind, path: str, what: str, detail: str, line: int = 0) -> ScanFinding:
    what = f"{what}\0{detail}" if kind == "secret" else what
    id = hashlib.sha256(f"{kind}\0{path}\0{what}".encode("utf-8", "replace")).hexdigest()[:10]
    return ScanFinding(id=id, kind=kind, path=path, line=line, detail=detail)
