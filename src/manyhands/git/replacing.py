"""A file replaced in one step: a reader sees the old one or the new one, after a crash too."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(file: Path, content: bytes, permissions: int | None = None) -> None:
    """Put a new file in the old one's place: what it was linked to stays as it is. Without
    `permissions` it keeps those that it has."""
    if permissions is None:
        permissions = file.stat().st_mode & 0o7777
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".manyhands-", dir=file.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(descriptor)
        unfinished.chmod(permissions)
        unfinished.replace(file)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
