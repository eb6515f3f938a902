"""A merge or rebase that was begun on one side goes on there, and its end is told to the other.

It is begun here when a base is brought in, and settled where somebody works: by the agent in the
box, or by a person here. What was handed out last is on record.
"""

from __future__ import annotations

import io
import shlex
import tarfile
from pathlib import Path

from manyhands.git import refs
from manyhands.git.rescue.survey import operation
from manyhands.git.twin import staging
from manyhands.git.twin.bringing import TwinSides
from manyhands.git.twin.making import STATE

QUIT = ("merge", "cherry-pick", "revert", "rebase")


def hand_operation(sides: TwinSides) -> bool:
    """Whether anything was changed there, so that it must be looked at anew."""
    note = sides.place.beside("operation")
    handed = note.read_text() if note.exists() else ""
    here, there = operation(sides.found.git_dir), sides.state.operation
    if here in QUIT and there is None and handed != here:
        _begin_there(sides)
        note.write_text(here or "")
        return True
    if here is None and there in QUIT and handed == there:
        _end_there(sides, there or "")
        note.write_text("")
        return True
    return False


def _begin_there(sides: TwinSides) -> None:
    """As git left it here: its files, where HEAD is, and the sides of each conflict."""
    # Git runs what it is told by a name; no other program of ours gets in there.
    words = ("tar", "-x", "-f", "-", "-C", str(sides.place.twin))
    inside = sides.inside.having({"alias.unpack-state": f"!{shlex.join(words)}; :"})
    inside.run("unpack-state", stdin=_packed(sides.found.git_dir))
    head = refs.resolve(sides.place.worktree, "HEAD")
    if head is None:
        return
    if sides.on is None:
        sides.inside.run("update-ref", "--no-deref", "HEAD", head)
    wanted = staging.load_staged(sides.git, head)
    staging.follow(sides.inside, None, head, wanted)


def _packed(git_dir: Path) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for pattern in STATE:
            for file in sorted(git_dir.glob(pattern)):
                if not file.is_symlink():
                    archive.add(file, arcname=file.name)
    return made.getvalue()


def _end_there(sides: TwinSides, doing: str) -> None:
    sides.inside.run(doing, "--quit", check=False)
    if sides.state.branch is None:
        sides.inside.run("symbolic-ref", "HEAD", sides.place.head)
