"""What must not leave the machine unseen: secrets, `.env` files, huge files, workflow files."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from manyhands.git.diff.outgoing import AddedLine, NewFile
from manyhands.model.landing.events import FindingKind, ScanFinding

SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("a private key", re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")),
    ("a GitHub token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{40,})")),
    ("a GitLab token", re.compile(r"\bglpat-[\w-]{20,}")),
    ("an AWS key", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    ("a Google key", re.compile(r"\bAIza[\w-]{35}")),
    ("a Slack token", re.compile(r"\bxox[abeoprs]-[\w-]{10,}")),
    ("an Anthropic key", re.compile(r"\bsk-ant-[\w-]{20,}")),
    ("an OpenAI key", re.compile(r"\bsk-(?:proj-)?[A-Za-z0-9_-]{32,}")),
    ("a Stripe key", re.compile(r"\b[sr]k_live_[A-Za-z0-9]{16,}")),
    ("an npm token", re.compile(r"\bnpm_[A-Za-z0-9]{36}\b")),
    ("a PyPI token", re.compile(r"\bpypi-[\w-]{50,}")),
    (
        "a password in an address",
        re.compile(r"\b[a-z][a-z0-9+]{1,15}://[^\s:/@]+:([^\s/@$<{]{6,})@"),
    ),
)
_ASSIGNED = re.compile(
    r"(?i)(?:password|passwd|secret|token|api_?key|access_?key)[\"']?\s*[:=]\s*[\"']([^\"'\s]{16,})[\"']"
)
RANDOM_BITS = 3.5
"""Bits per character from which an assigned value looks random rather than written."""
_ENV = re.compile(r"(?:^|/)\.env(?:\.[^/]+)?$")
_ENV_SAMPLE = re.compile(r"\.(?:example|sample|template|dist|defaults?)$")
_WORKFLOW = re.compile(r"^\.github/(?:workflows|actions)/")
MOST = 100


def scan(
    added: Iterable[AddedLine], files: Iterable[NewFile], *, largest: int, own: str = ""
) -> list[ScanFinding]:
    """`own` is the token itself, which above all must not be there."""
    found = {f.id: f for f in _in_files(files, largest)}
    for line in added:
        if (detail := secret_in(line.text, own)) and len(found) < MOST:
            one = _finding("secret", line.path, line.text, f"{detail}", line.line)
            found[one.id] = one
    return list(found.values())


def secret_in(text: str, own: str = "") -> str:
    """What the line seems to hold, never the thing itself; empty for nothing."""
    if own and own in text:
        return "the token for the forge"
    for name, shape in SHAPES:
        if shape.search(text):
            return name
    assigned = _ASSIGNED.search(text)
    if assigned and _bits(assigned[1]) >= RANDOM_BITS:
        return "a value that looks like a secret"
    return ""


def _in_files(files: Iterable[NewFile], largest: int) -> Iterator[ScanFinding]:
    for file in files:
        if _ENV.search(file.path) and not _ENV_SAMPLE.search(file.path):
            yield _finding("env_file", file.path, file.oid, "an environment file")
        if file.bytes > largest:
            size = f"{file.bytes / 1e6:.1f} MB, over the limit of {largest / 1e6:g} MB"
            yield _finding("large_file", file.path, file.oid, size)
        if _WORKFLOW.match(file.path):
            yield _finding("workflow", file.path, file.oid, "runs on the forge with its rights")


def _finding(kind: FindingKind, path: str, what: str, detail: str, line: int = 0) -> ScanFinding:
    id = hashlib.sha256(f"{kind}\0{path}\0{what}".encode("utf-8", "replace")).hexdigest()[:10]
    return ScanFinding(id=id, kind=kind, path=path, line=line, detail=detail)


def _bits(text: str) -> float:
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)
