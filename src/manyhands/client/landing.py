"""What the command line reads of the answers about commits and pull requests."""

from __future__ import annotations

import msgspec

from manyhands.model.landing_events import Pr, ReviewDraft


class IssueLine(msgspec.Struct, frozen=True):
    number: int
    title: str
    author: str = ""
    labels: tuple[str, ...] = ()


class Proposal(msgspec.Struct, frozen=True):
    message: str
    files: tuple[str, ...]
    working: bool
    note: str = ""


class Committed(msgspec.Struct, frozen=True):
    commit: str
    message: str
    output: str = ""
    note: str = ""


class Finding(msgspec.Struct, frozen=True):
    id: str
    kind: str
    path: str
    detail: str
    line: int = 0


class PrPlan(msgspec.Struct, frozen=True):
    title: str
    base: str
    repo: str
    commits: int
    findings: tuple[Finding, ...]
    uncommitted: int


class PrOpened(msgspec.Struct, frozen=True):
    pr: Pr
    created: bool
    forced: bool
    output: str
    notes: tuple[str, ...]


class Step(msgspec.Struct, frozen=True):
    name: str
    log: str


class Check(msgspec.Struct, frozen=True):
    name: str
    state: str
    url: str = ""
    summary: str = ""
    steps: tuple[Step, ...] = ()


class Review(msgspec.Struct, frozen=True):
    author: str
    state: str
    text: str = ""


class PrStatus(msgspec.Struct, frozen=True):
    session: str
    pr: Pr
    mergeable: str
    reviews: tuple[Review, ...]
    checks: tuple[Check, ...]
    drafts: tuple[ReviewDraft, ...]


class PrMerged(msgspec.Struct, frozen=True):
    session: str
    pr: Pr
    commit: str
    already: bool
