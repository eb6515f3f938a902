"""Merges tried out in object space: many pairs by one git; which paths would not merge, and why."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from manyhands.git.runner import Git
from manyhands.git.tree_edit import Leaf
from manyhands.model.ids import Oid

Pair = tuple[Oid, Oid]
AT_ONCE = 28
"""Pairs for one process; more of them are shared among the cores."""
_COMMAND = ("merge-tree", "--write-tree", "--allow-unrelated-histories")
_KIND = re.compile(r"CONFLICT \(([^)]+)\)")
_CLEAN, _CONFLICTED = b"1", b"0"


@dataclass(frozen=True)
class Conflict:
    path: str
    kind: str
    """Git's own word for it: content, modify/delete, …"""
    stages: tuple[Leaf | None, ...] = ()
    """Base, ours and theirs as far as they go into it."""


@dataclass(frozen=True)
class Forecast:
    """What merging two commits would give."""

    clean: bool
    tree: Oid
    """With markers in it where it is not clean."""
    conflicts: tuple[Conflict, ...] = ()


def forecast(git: Git, pairs: Sequence[Pair]) -> list[Forecast]:
    """One process for many; a pair that breaks it off is asked again with the rest one by one."""
    parts = [pairs[n : n + AT_ONCE] for n in range(0, len(pairs), AT_ONCE)]
    if not parts[1:]:
        return _forecast_part(git, pairs) if pairs else []
    with ThreadPoolExecutor(os.cpu_count()) as hands:
        return [one for part in hands.map(lambda p: _forecast_part(git, p), parts) for one in part]


def _forecast_part(git: Git, pairs: Sequence[Pair]) -> list[Forecast]:
    asked = "".join(f"{one} {other}\n" for one, other in pairs).encode()
    said = git.run(*_COMMAND, "--stdin", stdin=asked, check=False)
    found = list(_read(said.stdout.split(b"\0"))) if said.returncode == 0 else []
    return found if len(found) == len(pairs) else [_forecast_one(git, *pair) for pair in pairs]


def _forecast_one(git: Git, one: Oid, other: Oid) -> Forecast:
    """Without `--stdin`, which a git before 2.39 does not know."""
    said = git.run(*_COMMAND, "-z", one, other, fails_from=2)
    status = _CLEAN if said.returncode == 0 else _CONFLICTED
    end = b"" if said.returncode == 0 else b"\0"
    fields = [status, *(said.stdout + b"\0" + end).split(b"\0")]
    return next(_read(fields))


def _read(fields: Sequence[bytes]) -> Iterator[Forecast]:
    """Status, tree, conflicted entries up to an empty field; then, if any, messages likewise."""
    left = iter(fields)
    while (status := next(left, b"")) != b"":
        tree = Oid(next(left).decode())
        entries = list(iter(lambda: next(left), b""))
        if status == _CLEAN:
            yield Forecast(True, tree)
            continue
        stages = _stages(entries)
        kinds = dict(_messages(left))
        paths = dict.fromkeys((*stages, *kinds))
        found = (Conflict(p, kinds.get(p, ""), stages.get(p, ())) for p in paths)
        yield Forecast(False, tree, tuple(found))


def _stages(entries: Sequence[bytes]) -> dict[str, tuple[Leaf | None, ...]]:
    found: dict[str, list[Leaf | None]] = {}
    for entry in entries:
        meta, path = entry.split(b"\t", 1)
        mode, oid, stage = meta.decode().split(" ")
        leaves = found.setdefault(os.fsdecode(path), [None] * 3)
        leaves[int(stage) - 1] = Leaf(int(mode, 8), Oid(oid))
    return {path: tuple(leaves) for path, leaves in found.items()}


def _messages(left: Iterator[bytes]) -> Iterator[tuple[str, str]]:
    """The first path of every conflict message, with its kind."""
    binary: set[str] = set()
    # Of submodules git has advice to give, which stands in place of the empty end.
    while (count := next(left, b"")).isdigit():
        paths = [os.fsdecode(next(left)) for _ in range(int(count))]
        kind = next(left)
        # The text is more exact than the type: it knows add/add from other contents.
        told = _KIND.match(next(left).decode("utf-8", "replace"))
        if kind == b"CONFLICT (binary)":
            binary.add(paths[0])
        elif kind.startswith(b"CONFLICT") and told and paths:
            yield paths[0], "binary" if paths[0] in binary else told[1]
