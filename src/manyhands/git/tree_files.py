"""Files of a commit, read without a checkout."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from manyhands.git.runner import Git
from manyhands.model.ids import Oid


def load_tree_files(
    repo: Path, commit: Oid, paths: Sequence[str], *, largest: int, most: int
) -> dict[str, bytes]:
    """Contents of the files at or below `paths`; one that is larger is cut, a link is its text."""
    if not paths:
        return {}  # git would list every file
    git = Git(repo)
    argv = ("ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", *paths)
    found: dict[str, str] = {}
    for record in git.run(*argv).records[:most]:
        about, _, name = record.partition(b"\t")
        _, kind, oid, _ = about.split()
        if kind == b"blob":
            found[os.fsdecode(name)] = oid.decode()
    asked = "".join(f"{oid}\n" for oid in found.values()).encode()
    if not asked:
        return {}
    data = git.run("cat-file", "--batch", stdin=asked).stdout
    contents = {}
    for path in found:
        head, _, data = data.partition(b"\n")
        size = int(head.split()[2])
        contents[path] = data[: min(size, largest)]
        data = data[size + 1 :]
    return contents
