"""Where a word of a command leads, taken for a path: every way that it may be read is looked at."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.shell.marks import (
    FRESH,
    INSIDE,
    OUT,
    TILDE,
    TOKEN,
    globs,
    unglobbed,
)

DEVICES = re.compile(r"/dev/(?:null|zero|full|u?random|std(?:in|out|err)|tty|fd/\d+)")
PROGRAMS = re.compile(r"/(?:usr/(?:local/)?|opt/\S+/)?s?bin/[\w.+-]+")
LONGEST = 4096
ELSEWHERE = "/…"


@dataclass
class EntryBudget:
    """How many entries of directories may be looked at, so that no command line takes long."""

    entries: int = 4000


def resolved(
    word: str, cwds: tuple[str, ...], home: str, budget: EntryBudget | None = None
) -> Iterator[str]:
    """The paths that a word may name, not yet followed through links."""
    if word.startswith((INSIDE, FRESH)) and ".." not in word.split("/"):
        return
    if word.startswith(OUT) or len(word) > LONGEST:
        yield ELSEWHERE
        return
    path = word.replace(TOKEN, "0").replace(INSIDE, "0").replace(FRESH, "/tmp/0")
    if path.startswith(TILDE):
        user, _, rest = path[1:].partition("/")
        if user:
            yield ELSEWHERE
            return
        path = f"{home}/{rest}"
    path = path.replace(TILDE, "~").replace(OUT, "0")
    path = _as_file(path)
    for cwd in cwds:
        full = at(cwd, path)
        yield from _globbed(full, budget or EntryBudget()) if globs(path) else [full]


def at(cwd: str, path: str) -> str:
    """With its last slash, which decides whether a link is followed."""
    return path if path.startswith("/") else f"{cwd}/{path}"


def _as_file(path: str) -> str:
    return path[7:] if path.lower().startswith("file:///") else path


def _globbed(pattern: str, budget: EntryBudget) -> Iterator[str]:
    """The pattern itself, and every match of its parts that is a link or may climb."""
    parts, found = pattern.split("/"), [""]
    for number, part in enumerate(parts):
        if not globs(part):
            found = [f"{directory}/{part}" if number else part for directory in found]
            continue
        plain = unglobbed(part)
        nexts = [f"{directory}/0" for directory in found[:1]]
        for directory in found:
            names = _entries(directory or "/", budget)
            if budget.entries <= 0:
                yield ELSEWHERE
                return
            # Older shells let `.*` match the directory above.
            above = [".."] if plain.startswith(".") else []
            matching = [n for n in (*names, *above) if fnmatch.fnmatchcase(n, plain)]
            nexts += [f"{directory}/{name}" for name in matching]
        found = nexts
    yield from found


def _entries(directory: str, budget: EntryBudget) -> list[str]:
    """Links alone: a directory that is none cannot lead out."""
    names: list[str] = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                budget.entries -= 1
                if budget.entries <= 0:
                    break
                if entry.is_symlink() or entry.is_dir(follow_symlinks=False):
                    names.append(entry.name)
    except OSError:
        pass
    return names


def readable(path: str, bounds: Bounds) -> bool:
    return DEVICES.fullmatch(path) is not None or bounds.readable(path)


def writable(path: str, bounds: Bounds) -> bool:
    return DEVICES.fullmatch(path) is not None or bounds.writable(path)


def display(path: str, bounds: Bounds) -> str:
    """As the person would write it."""
    home = str(bounds.home)
    clean = os.path.normpath(path)
    return f"~{clean[len(home) :]}" if home != "/" and clean.startswith(f"{home}/") else clean
