"""All branches of a repository in one look: which there are, where they are, which is the default.

One process, and it names no program of the repository, so that a new session costs next to nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from manyhands.git.runner import Git
from manyhands.model.ids import Oid

_FORM = "--format=%(HEAD)%00%(objectname)%00%(refname)%00%(symref)"
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"


@dataclass(frozen=True)
class RefTable:
    heads: dict[str, Oid]
    remotes: dict[str, Oid]
    """Remote-tracking branches, such as `origin/main`."""
    current: str | None
    """The branch of the checkout that was asked; None when detached or without commits."""
    remote_default: str | None
    """What the remote's HEAD is known to be."""

    @property
    def default_base(self) -> str:
        """Where new work starts: the remote's default branch, else the local one."""
        wanted = (self.remote_default, "origin/main", "origin/master")
        for name in wanted:
            if name in self.remotes:
                return str(name)
        local = (self.current, "main", "master")
        return next((name for name in local if name and name in self.heads), "HEAD")

    def commit(self, name: str) -> Oid | None:
        """What a branch's plain name stands for, where that is beyond doubt."""
        if name in self.heads and name in self.remotes:
            return None
        return self.heads.get(name) or self.remotes.get(name)


def load_ref_table(repo: Path) -> RefTable:
    listed = Git(repo, hardened=False).run("for-each-ref", _FORM, _HEADS, _REMOTES).stdout
    heads: dict[str, Oid] = {}
    remotes: dict[str, Oid] = {}
    defaults: dict[str, str] = {}
    current = None
    for line in listed.splitlines():
        mark, oid, ref, target = (os.fsdecode(field) for field in line.split(b"\0"))
        if ref.startswith(_HEADS):
            heads[ref.removeprefix(_HEADS)] = Oid(oid)
            current = ref.removeprefix(_HEADS) if mark == "*" else current
        elif target:
            name = ref.removeprefix(_REMOTES).removesuffix("/HEAD")
            defaults[name] = target.removeprefix(_REMOTES)
        else:
            remotes[ref.removeprefix(_REMOTES)] = Oid(oid)
    only = next(iter(defaults.values())) if len(defaults) == 1 else None
    return RefTable(heads, remotes, current, defaults.get("origin", only))
