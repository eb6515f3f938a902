"""One simple command while it is judged: its words, where it runs, and what it is found to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.guarantees import Matter
from manyhands.agents.permission.shell.line import Objection, Part
from manyhands.agents.permission.shell.marks import TILDE, UNKNOWN, shown, unglobbed
from manyhands.agents.permission.shell.matters import matter_of
from manyhands.agents.permission.shell.paths import (
    ELSEWHERE,
    EntryBudget,
    display,
    readable,
    resolved,
    writable,
)
from manyhands.agents.permission.shell.state import ShellState
from manyhands.agents.permission.shell.syntax import Unreadable

Piped = Literal["", "inside", "unknown"]
"""What comes in by the standard input: nothing, paths that were listed inside, or anything."""
_URL = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://[^\s'\"]*", re.IGNORECASE)
_LOOPBACK = re.compile(r"localhost|.*\.localhost|127(?:\.\d+){3}|::1|0\.0\.0\.0", re.IGNORECASE)
_CREDENTIALS = re.compile(
    r"(?:^|/)(?:\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.azure|\.config/(?:gh|gcloud|manyhands)|\.netrc"
    r"|\.git-credentials|\.npmrc|\.pypirc|\.password-store|\.claude|\.codex|\.gemini|shadow"
    r"|environ)(?:/|$)|(?:^|/)\.claude\.json$|\.(?:pem|key|p12|keychain(?:-db)?)$"
)
UNSURE = "only known when it runs"
MOST_CHECKS = 500


@dataclass
class Ledger:
    """What may be looked at in one judgement, so that no command line takes long."""

    commands: int = 500
    checks: int = MOST_CHECKS
    budget: EntryBudget = field(default_factory=EntryBudget)
    known: dict[tuple[str, tuple[str, ...]], list[str]] = field(default_factory=dict)
    """Where words lead, by where they were said."""


@dataclass
class ShellCall:
    words: list[str]
    state: ShellState
    part: Part
    ledger: Ledger
    runs: Callable[[list[str], ShellCall], None]
    """Judges the words as a command of its own, which this one starts."""
    reads_script: Callable[[str, ShellCall], None]
    """Judges a text as a script of its own, which this one runs."""
    piped: Piped = ""
    handed: str | None = None
    """The text of a here-document."""
    own: bool = False
    """Whether the program is a file of the worktree."""
    lists: bool = field(default=False)
    """Whether its output is paths inside the worktree."""

    @property
    def bounds(self) -> Bounds:
        return self.state.bounds

    @property
    def name(self) -> str:
        return program(self.words[0])

    @property
    def arguments(self) -> list[str]:
        return self.words[1:]

    def asks(
        self,
        reason: str,
        *,
        depth: int | None = None,
        reads: bool = False,
        matter: Matter | None = None,
    ) -> None:
        """`matter` where the words do not say it."""
        about = matter or ("reads" if reads else matter_of(reason))
        self.part.objections.append(Objection(reason, reads, depth, about))
        if not reads:
            self.part.changes = True

    def changes(self) -> None:
        self.part.changes = True

    def reads(self, word: str) -> None:
        if UNKNOWN in word:
            self.changes()
            return
        for path in self._paths(word):
            if not readable(path, self.bounds):
                where = display(path, self.bounds)
                secret = holds_credentials(where)
                what = "a place of credentials" if secret else "outside the worktree"
                matter: Matter = "kept" if secret else "reads"
                self.asks(f"reads {what}: {_named(where, word)}", reads=True, matter=matter)
                return

    def writes(self, word: str, *, entry: bool = False) -> None:
        """`entry`: the name itself goes, not what a link by that name leads to."""
        self.changes()
        if UNKNOWN in word:
            self.asks(f"writes to a place that is {UNSURE}: {shown(word)}")
            return
        for path in self._paths(word):
            if entry:
                path = self.bounds.holder(path)
            if not writable(path, self.bounds):
                where = _named(display(path, self.bounds), word)
                # Of a pattern with more matches than can be looked at, nobody knows where it leads.
                known = path != ELSEWHERE
                matter = self.bounds.box.of_writing(self.bounds.real(path)) if known else "code"
                self.asks(f"writes outside the worktree: {where}", matter=matter)
                return
            if guarded := self.bounds.guarded(path):
                self.asks(f"changes {guarded}, which decides what may run here", matter="kept")
                return

    def names(self, word: str, *, quiet: bool = False) -> None:
        """Anything in a word that may be a path or an address, for programs that we do not know."""
        rest = word
        for url in _URL.findall(word):
            self.reaches(url)
            rest = rest.replace(url, " ")
        for piece in _pieces(rest):
            if UNKNOWN in piece:
                continue
            outside = [p for p in self._paths(piece) if not readable(p, self.bounds)]
            if outside and quiet:
                self.reads(piece)
                return
            if outside:
                where = _named(display(outside[0], self.bounds), piece)
                matter: Matter = "kept" if holds_credentials(where) else "code"
                self.asks(f"names a path outside the worktree: {where}", matter=matter)
                return

    def reaches(self, address: str) -> None:
        """An address on the network."""
        self.changes()
        plain = unglobbed(address)
        full = plain if "://" in plain else f"http://{plain}"
        try:
            host = urlsplit(full).hostname or ""
        except ValueError:
            host = UNKNOWN
        if full.lower().startswith("file:"):
            self.reads(full)
        elif not host or UNKNOWN in host:
            self.asks(f"reaches an address that is {UNSURE}: {shown(address)}", matter="network")
        elif not _LOOPBACK.fullmatch(host):
            self.asks(f"reaches another machine: {shown(host)}")

    def _paths(self, word: str) -> list[str]:
        key, known = (word, self.state.cwds), self.ledger.known
        if key not in known:
            self.ledger.checks -= 1
            if self.ledger.checks < 0:
                raise Unreadable("has too many parts to be judged")
            home, budget = str(self.bounds.home), self.ledger.budget
            known[key] = list(resolved(word, self.state.cwds, home, budget))
        return known[key]


def program(word: str) -> str:
    # Some file systems know no case.
    name = word.rpartition("/")[2].lower()
    return re.sub(r"^(python|pip|ruby|perl|node|php|lua)[\d.]+$", r"\1", name)


def holds_credentials(path: str) -> bool:
    return _CREDENTIALS.search(path) is not None


def is_loopback(host: str) -> bool:
    return _LOOPBACK.fullmatch(host) is not None


def _pieces(word: str) -> Sequence[str]:
    found = [word, *re.split(r"[=,:@;\s]+", word)]
    if word.startswith("-"):
        # Some programs take `-I/usr/include`: the path starts at the first slash.
        start = re.search(rf"[/{TILDE}]|\.\.", word)
        found.append(word[start.start() :] if start else "")
    return [piece for piece in dict.fromkeys(found) if piece and not piece.startswith("-")]


def _named(path: str, word: str) -> str:
    return shown(word) if path == ELSEWHERE else path
