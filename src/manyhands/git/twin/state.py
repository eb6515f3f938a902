"""How things stand in a twin, read without a process and without trust."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from manyhands.git.diff.diff import shown
from manyhands.git.repository import Mark
from manyhands.git.rescue.survey import OPERATIONS
from manyhands.git.twin.given import GivenRefs
from manyhands.git.twin.untrusted import Untrusted, broken, opened
from manyhands.git.twin.users_refs import find_packed, parse_packed

PACKED_BYTES, LOG_BYTES, REF_BYTES = 64 << 20, 64 << 20, 4096
MOST_STASHED = 100
MANY = 100
_LOOKED_AT = ("HEAD", "packed-refs", "logs/refs/stash", *OPERATIONS)
_OID = re.compile(rb"[0-9a-f]{64}|[0-9a-f]{40}")
_LOGGED = re.compile(rb"^[0-9a-f]{40,64} ([0-9a-f]{64}|[0-9a-f]{40}) ", re.MULTILINE)
_UNFIT = re.compile(
    rb"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|(^|/)\.|\.(/|$)|\.lock(/|$)|/$|^/|^(?!refs/)"
)
_OWN = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")
"""A worktree's alone; they say where something stands, and hold nothing."""

Marks = dict[str, Mark]


@dataclass(frozen=True)
class TwinState:
    branch: str | None
    """The full name of the ref that HEAD is on; None when detached."""
    head: str
    """What HEAD leads to; nothing where the branch is not born."""
    packed: bytes
    loose: dict[bytes, bytes]
    """Nothing where it is a link."""
    stash: tuple[str, ...] = ()
    """Newest first."""
    operation: str | None = None
    odd: int = 0
    """Refs whose names git would not have."""
    changed: dict[str, str] = field(default_factory=dict)
    """Refs that are not what was handed out."""

    def oid(self, name: str) -> str:
        """Where a ref is; nothing where it is not, or leads to another."""
        raw = os.fsencode(name)
        found = self.loose[raw] if raw in self.loose else find_packed(self.packed, raw)
        return (found or b"").decode()


def look(twin: Path) -> tuple[Marks, Mark]:
    """By what refs and HEAD are known to be the same, and the index: a glance."""
    with opened(twin) as files:
        marks = {name: files.mark(name) for name in _LOOKED_AT}
        marks |= {shown(os.fsencode(path)): mark for path, mark, _ in files.walk("refs")}
        return marks, files.mark("index")


def operation(twin: Path) -> str | None:
    """What git is in the middle of there."""
    with opened(twin) as files:
        return _operation(files)


def _operation(files: Untrusted) -> str | None:
    return next((name for file, name in OPERATIONS.items() if files.exists(file)), None)


def load_state(twin: Path, given: GivenRefs) -> TwinState:
    with opened(twin) as files:
        packed = files.read("packed-refs", PACKED_BYTES) or b""
        loose = {}
        for path, _, is_folder in list(files.walk("refs")):
            if not is_folder and not path.endswith(".lock"):
                said = (files.read(path, REF_BYTES) or b"").strip()
                loose[os.fsencode(path)] = said if _OID.fullmatch(said) else b""
        changed = _changed(packed, loose, given)
        fit = {os.fsdecode(name): oid.decode() for name, oid in changed.items() if _fits(name)}
        state = TwinState(None, "", packed, loose, odd=len(changed) - len(fit))
        branch, head = _head(files, state)
        stash = _stash(files) if state.oid("refs/stash") else ()
        doing = _operation(files)
    others = {n: oid for n, oid in fit.items() if not n.startswith((*_OWN, "refs/stash"))}
    return replace(state, branch=branch, head=head, stash=stash, operation=doing, changed=others)


def _changed(packed: bytes, loose: dict[bytes, bytes], given: GivenRefs) -> dict[bytes, bytes]:
    if packed == given.packed and len(loose) < MANY:
        return {n: oid for n, oid in loose.items() if oid and given.oid(n) != oid}
    before = given.all()
    now = {**parse_packed(packed).oids, **loose}
    return {name: oid for name, oid in now.items() if oid and before.get(name) != oid}


def _fits(name: bytes) -> bool:
    long = len(name) > 1000 or max(map(len, name.split(b"/"))) > 200
    return not long and not _UNFIT.search(name) and name.count(b"/") > 0


def _head(files: Untrusted, state: TwinState) -> tuple[str | None, str]:
    said = (files.read("HEAD", REF_BYTES) or b"").strip()
    if said.startswith(b"ref:"):
        name = said[4:].strip()
        if _fits(name):
            return os.fsdecode(name), state.oid(os.fsdecode(name))
    elif _OID.fullmatch(said):
        return None, said.decode()
    raise broken(files.top, "HEAD names nothing" if said else "HEAD is gone")


def _stash(files: Untrusted) -> tuple[str, ...]:
    text = files.read("logs/refs/stash", LOG_BYTES) or b""
    entries = [oid.decode() for oid in _LOGGED.findall(text)]
    return tuple(dict.fromkeys(reversed(entries)))[:MOST_STASHED]


def logged_oids(twin: Path) -> set[bytes]:
    """Every object that logs, or files of an operation in progress, name."""
    found: set[bytes] = set()
    left = LOG_BYTES
    with opened(twin) as files:
        names = [path for path, _, is_folder in files.walk("logs") if not is_folder]
        for name in ("rebase-merge", "rebase-apply", "sequencer"):
            names += [path for path, _, is_folder in files.walk(name) if not is_folder]
        names += ["ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "AUTO_MERGE"]
        for name in names:
            text = files.read(name, left) or b""
            left -= len(text)
            found |= set(_OID.findall(text))
    return {oid for oid in found if oid.strip(b"0")}
