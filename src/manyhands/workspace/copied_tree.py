"""A whole tree, copied to another name by the system's own program: blocks are shared where the
file system can, and no later change in one is seen in the other."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from manyhands.config import child_environment
from manyhands.errors import NotPossible
from manyhands.git.recovery import remove_files
from manyhands.process.pipeline import run_pipeline

COPY_SECONDS = 300.0
_WAYS: Sequence[tuple[str, ...]] = (
    (("cp", "-cRp"), ("cp", "-Rp"))
    if sys.platform == "darwin"
    else (("cp", "-a", "--reflink=auto"), ("cp", "-a"))
)
"""The second where the first is not known. Links stay links."""


def copy_tree(source: Path, target: Path) -> None:
    """Blocks. `target` must not be there; after a failure nothing of it is."""
    said = ""
    for way in _WAYS:
        argv = (*way, str(source), str(target))
        [ended] = run_pipeline(argv, env=child_environment(), timeout=COPY_SECONDS)
        if ended.returncode == 0:
            return
        said = f"no end after {COPY_SECONDS:g} seconds" if ended.late else ended.stderr.strip()
        remove_files(target)
    raise NotPossible(f"{source} could not be copied to {target}: {said[-500:]}")
