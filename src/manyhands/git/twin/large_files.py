"""Contents in Git LFS that were made in a twin: no ref holds them, so they come over as files.

Each is named by its own digest, which is all that makes it what it says it is.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from manyhands.git.twin.untrusted import opened

_NAME = re.compile(r"lfs/objects/([0-9a-f]{2})/([0-9a-f]{2})/(\1\2[0-9a-f]{60})")


def bring_large_files(twin: Path, common: Path) -> int:
    """Those that are not here yet; how many."""
    brought = 0
    with opened(twin) as files:
        if not files.exists("lfs"):
            return 0
        for path, mark, is_folder in list(files.walk("lfs/objects")):
            target = common / path
            if is_folder or not _NAME.fullmatch(path) or target.exists():
                continue
            brought += _take(files.parts(path, mark[1]), target)
    return brought


def _take(parts: Iterator[bytes], target: Path) -> bool:
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix="tmp_", delete=False) as made:
        unfinished = Path(made.name)
        try:
            for part in parts:
                digest.update(part)
                made.write(part)
            made.flush()
            if digest.hexdigest() != target.name:
                return False
            unfinished.chmod(0o644)
            unfinished.rename(target)
        finally:
            unfinished.unlink(missing_ok=True)
    return True
