"""A snapshot that is there: its parts by object name, read back from its commit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from manyhands.git.manifest import Manifest
from manyhands.git.runner import Git
from manyhands.model.ids import Oid


@dataclass(frozen=True)
class Snapshot:
    """A snapshot's parts, by object name."""

    oid: Oid
    parts: dict[str, Oid]
    manifest: Manifest


def load_snapshot(repo: Path, oid: Oid) -> Snapshot:
    git = Git(repo)
    listed = [line.split(b"\t") for line in git.run("ls-tree", "-z", oid).records]
    parts = {name.decode(): Oid(meta.split(b" ")[2].decode()) for meta, name in listed}
    manifest = Manifest.decode(git.run("cat-file", "blob", parts["manifest.json"]).stdout)
    return Snapshot(oid, parts, manifest)
