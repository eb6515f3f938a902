"""What a loopback forge keeps, in no forge's own words: a repository, a fork, and its events."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from tests.support.forge.bare import Bare

AT = "2026-01-31T08:15:30Z"


@dataclass
class Said:
    id: int
    author: str
    body: str
    system: bool = False


@dataclass
class KeptIssue:
    number: int
    title: str
    body: str
    state: str = "open"
    labels: list[str] = field(default_factory=list)
    assignees: list[str] = field(default_factory=list)
    comments: list[Said] = field(default_factory=list)


@dataclass
class KeptThread:
    id: str
    path: str
    line: int
    sha: str
    comments: list[Said]
    resolved: bool = False


@dataclass
class KeptReview:
    id: int
    author: str
    verdict: str
    """As GitHub says it: APPROVED, CHANGES_REQUESTED, COMMENTED."""
    body: str = ""
    threads: list[KeptThread] = field(default_factory=list)


@dataclass
class KeptPull:
    number: int
    title: str
    body: str
    head: str
    slug: str
    """Whose branch it is."""
    base: str
    sha: str
    state: str = "open"
    merged: str = ""
    reviews: list[KeptReview] = field(default_factory=list)
    threads: list[KeptThread] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    reviewers: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    timeline: list[str] = field(default_factory=list)
    queued: bool = False
    moved: int = 0

    @property
    def draft(self) -> bool:
        return self.title.startswith(("Draft:", "WIP:"))

    @property
    def owner(self) -> str:
        return self.slug.partition("/")[0]

    @property
    def stamp(self) -> str:
        return f"2026-01-31T08:{self.moved // 60:02}:{self.moved % 60:02}Z"


@dataclass
class KeptCheck:
    id: int
    sha: str
    name: str
    conclusion: str | None
    """None while it runs; success, failure, skipped."""
    log: str = ""
    may_fail: bool = False


class ForgeState:
    """Everything that people, and other programs, do on the forge is a method here."""

    slug = "acme/widgets"
    fork = "casey/widgets"
    me = "casey"
    people: ClassVar = {"casey": 1, "dana": 2, "robin": 3}
    first_pull = 100

    def __init__(self, root: Path) -> None:
        self.repos = {slug: Bare(root / f"{slug}.git") for slug in (self.slug, self.fork)}
        self.first = ""
        """The commit that the default branch began with."""
        self.rights: dict[str, set[str]] = {}
        """Which repositories a token may push to; a token that is not here is not known."""
        self.forget()

    def forget(self) -> None:
        """Nothing has happened yet."""
        for repo in self.repos.values():
            repo.begin_at(self.first)
        self.issues: dict[int, KeptIssue] = {}
        self.pulls: dict[int, KeptPull] = {}
        self.checks: list[KeptCheck] = []
        self.known_labels: list[str] = ["bug", "greeting"]
        self.approvals = 0
        """How many approvals the base branch wants."""
        self.wanted_checks: list[str] = []
        self.protected: set[str] = set()
        self.archived = False
        self.methods = {"merge", "squash", "rebase"}
        self.has_queue = False
        self.ids = 500

    @property
    def bare(self) -> Bare:
        return self.repos[self.slug]

    @property
    def labels(self) -> dict[int, list[str]]:
        return {number: pull.labels for number, pull in self.pulls.items()}

    def next_id(self) -> int:
        self.ids += 1
        return self.ids

    # What happens on the forge

    def add_issue(self, number: int, title: str, body: str, comments: tuple[str, ...] = ()) -> None:
        said = [Said(self.next_id(), "dana", text) for text in comments]
        self.issues[number] = KeptIssue(number, title, body, comments=said)

    def add_review(self, number: int, author: str, state: str, body: str = "") -> None:
        pull = self.pulls[number]
        pull.reviews.append(KeptReview(self.next_id(), author, state, body))
        pull.moved += 1

    def add_comment(self, number: int, author: str, text: str, *, bot: bool = False) -> None:
        """In the conversation about the whole."""
        name = f"{author}[bot]" if bot else author
        self.pulls[number].said.append(Said(self.next_id(), name, text))
        self.pulls[number].moved += 1

    def add_thread(self, number: int, path: str, line: int, author: str, text: str) -> str:
        pull = self.pulls[number]
        said = [Said(self.next_id(), author, text)]
        thread = KeptThread(str(said[0].id), path, line, self.look(pull).sha, said)
        pull.threads.append(thread)
        pull.reviews.append(KeptReview(self.next_id(), author, "COMMENTED", threads=[thread]))
        pull.moved += 1
        return thread.id

    def thread(self, id: str) -> tuple[KeptPull, KeptThread]:
        found = ((p, t) for p in self.pulls.values() for t in p.threads if t.id == id)
        return next(found)

    def add_remark(self, thread: str, author: str, text: str) -> None:
        """One more comment of a thread."""
        pull, kept = self.thread(thread)
        kept.comments.append(Said(self.next_id(), author, text))
        pull.moved += 1

    def reopen_thread(self, thread: str) -> None:
        pull, kept = self.thread(thread)
        kept.resolved = False
        pull.moved += 1

    def add_check(self, sha: str, name: str, conclusion: str | None, id: int = 0) -> None:
        left = [c for c in self.checks if (c.sha, c.name) != (sha, name)]
        self.checks = [*left, KeptCheck(id or self.next_id(), sha, name, conclusion)]

    def add_failure(self, sha: str, name: str, log: str) -> None:
        """A job of the forge's own that failed, with what it said."""
        self.add_check(sha, name, "failure")
        self.checks[-1].log = log

    # As it is

    def said(self, thread: str) -> list[str]:
        return [comment.body for comment in self.thread(thread)[1].comments]

    def is_resolved(self, thread: str) -> bool:
        return self.thread(thread)[1].resolved

    def look(self, pull: KeptPull) -> KeptPull:
        """As git has it now: a pull request without its branch closes."""
        if pull.state == "open":
            tip = self.repos[pull.slug].tip(pull.head)
            if tip != pull.sha:
                pull.moved += 1
            pull.state = "open" if tip else "closed"
            pull.sha = tip or pull.sha
        return pull

    def open_from(self, slug: str, branch: str) -> KeptPull | None:
        pulls = map(self.look, self.pulls.values())
        return next((p for p in pulls if (p.slug, p.head, p.state) == (slug, branch, "open")), None)

    def open_pull(self, **fields: str) -> KeptPull:
        number = self.first_pull + len(self.pulls)
        self.pulls[number] = KeptPull(number=number, **fields)  # type: ignore[arg-type]
        return self.pulls[number]

    def merges_clean(self, pull: KeptPull) -> bool:
        return pull.state == "open" and self.bare.merges_clean(pull.base, pull.sha)

    def approved(self, pull: KeptPull) -> bool:
        return sum(r.verdict == "APPROVED" for r in pull.reviews) >= self.approvals

    def land(self, pull: KeptPull, method: str) -> None:
        pull.merged = self.bare.merge(pull.base, pull.sha, method, pull.title)
        pull.state, pull.queued = "closed", False
        pull.moved += 1
