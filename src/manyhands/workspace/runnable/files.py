"""The files of a worktree or of a commit, read alike, and never outside of either.

A link is told as itself, with its target; what it leads to is read where that lies in the same
tree. Contents are hashed whole. What is not shown of them, because it is long or binary, is said.
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from manyhands.errors import NotTrusted
from manyhands.model.repo.runnable import Runnable

Kind = Literal["file", "link", "folder"]
UNREAD = frozenset({".git", "node_modules", "__pycache__"})
"""Folders in which no tool of the table looks for anything of its own."""
SHOWN_BYTES = 256 * 1024
HEAD_BYTES = 4 * 1024 * 1024
"""Of a longer file only so much is searched for the names of others."""
MOST_BYTES = 512 * 1024 * 1024
MOST_HOPS = 40


@dataclass(frozen=True)
class Content:
    """What a file holds: its beginning, a hash of all of it under its name, and its whole size."""

    head: bytes
    digest: str
    size: int


class Files(Protocol):
    def kind(self, path: str) -> Kind | None:
        """Of what is there; a link is not followed, and the folders before it are none."""

    def target(self, path: str) -> str: ...

    def inside(self, target: str) -> str | None:
        """An absolute target as a path of this tree; None where it leads out of it."""

    def below(self, folder: str) -> Iterator[str]:
        """Every file and link at any depth."""

    def candidates(self) -> Iterator[str]:
        """Every file and link at or below what the table looks for."""

    def expect(self, paths: Sequence[str]) -> None:
        """These are about to be loaded."""

    def load(self, path: str, name: str) -> Content | None: ...

    def way_to(self, path: str) -> str:
        """How a person looks at it."""


@dataclass(frozen=True)
class Reached:
    name: str
    """As a tool would open it."""
    path: str
    """Where it really lies; empty for a link, of which `target` is told."""
    target: str = ""


def reached(files: Files, path: str, seen: frozenset[str] = frozenset()) -> Iterator[Reached]:
    """The links on the way, and the file, or all files of the folder, to which `path` leads."""
    way = _Way(files, path)
    yield from way.links()
    if way.kind == "file":
        yield Reached(path, way.real)
    elif way.kind == "folder" and way.real not in seen:
        for sub in files.below(way.real):
            name = f"{path}/{sub.removeprefix(f'{way.real}/') if way.real else sub}"
            if files.kind(sub) == "link":
                yield from reached(files, name, seen | {way.real})
            else:
                yield Reached(name, sub)


def reached_file(files: Files, path: str) -> list[Reached]:
    """The same for a single file, which comes last, if it lies in the tree; nothing where a folder
    is meant."""
    way = _Way(files, path)
    links = list(way.links())
    if way.kind == "folder":
        return []
    return [*links, Reached(path, way.real)] if way.kind == "file" else links


class _Way:
    """Through links, part by part, as long as it stays in the tree."""

    def __init__(self, files: Files, path: str) -> None:
        self._files = files
        self._ahead = deque(path.split("/"))
        self._done: list[str] = []
        self.kind: Kind | None = "folder"

    @property
    def real(self) -> str:
        return "/".join(self._done)

    def links(self) -> Iterator[Reached]:
        hops = 0
        while self._ahead and self.kind is not None:
            here = self._step(self._ahead.popleft())
            if here is not None:
                target, hops = self._files.target(here), hops + 1
                yield Reached(here, "", target)
                self._turn(target if hops <= MOST_HOPS else None)

    def _step(self, part: str) -> str | None:
        """Go on by one part; the link where that is one."""
        if part in ("", "."):
            return None
        if part == "..":
            self.kind = "folder" if self._done else None
            self._done = self._done[:-1]
            return None
        here = "/".join((*self._done, part))
        self.kind = self._files.kind(here)
        if self.kind == "link":
            return here
        self._done.append(part)
        return None

    def _turn(self, target: str | None) -> None:
        is_absolute = target is not None and target.startswith("/")
        way = self._files.inside(target) if target and is_absolute else target
        self.kind = "folder" if way is not None else None
        self._done = [] if is_absolute else self._done
        self._ahead.extendleft(reversed((way or "").split("/")))


def runnable(found: Reached, content: Content | None, way: str, about: str = "") -> Runnable:
    """What was reached, as a person is shown it."""
    if content is None:
        text = f"a link to {found.target}; where that lies elsewhere, nobody looks at it"
        return piece(found.name, os.fsencode(f"link to {found.target}"), about, text)
    text = _shown(content, way)
    return Runnable(shown_name(found.name), content.digest, text, about, content.size)


def piece(name: str, data: bytes, about: str = "", text: str | None = None) -> Runnable:
    """Something that is no whole file."""
    said = data.decode("utf-8", "replace") if text is None else text
    return Runnable(shown_name(name), hashed(name, data).hexdigest(), said, about, len(data))


def shown_name(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _shown(content: Content, way: str) -> str:
    if b"\0" in content.head:
        return f"binary, {content.size:,} bytes, not shown; look at it: {way}"
    text = content.head[:SHOWN_BYTES].decode("utf-8", "replace")
    left = content.size - SHOWN_BYTES
    if left <= 0:
        return text
    return f"{text}\n… {left:,} of {content.size:,} bytes are not shown; look at them: {way}"


def hashed(name: str, data: bytes = b"") -> hashlib._Hash:
    return hashlib.sha256(os.fsencode(name) + b"\0" + data)


def too_much(place: str) -> NotTrusted:
    return NotTrusted(
        f"what could run in {place} is over {MOST_BYTES // 1024**2} MB: it cannot be looked at",
        hint="take large files out of the folders of agents, hooks and package managers",
    )
