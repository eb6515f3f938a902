"""A box with its twin: the git directory that is seen in it in the place of the repository's."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from manyhands.box.git_shim import real_git, write_git_shim
from manyhands.box.wrapping import box_prefix
from manyhands.config import variable
from manyhands.errors import TwinBroken
from manyhands.git.repository import load_git_dirs
from manyhands.git.twin.given import load_given
from manyhands.git.twin.making import make_twin, remake_twin
from manyhands.git.twin.mirror import make_mirror
from manyhands.git.twin.place import Synced, Twin
from manyhands.git.twin.state import load_state
from manyhands.git.twin.syncing import bring_in, sync
from manyhands.model.box import Box
from manyhands.model.ids import SessionId

FOLDER = "box"
"""In the session's own directory."""


def twin_at(own: Path, worktree: Path, session: str, branch: str, mirror: str = "") -> Twin:
    return Twin(
        worktree=worktree,
        twin=own / FOLDER / "twin",
        link=own / FOLDER / "link",
        session=SessionId(session),
        branch=branch,
        mirror=Path(mirror) if mirror else None,
    )


def has_twin(own: Path) -> bool:
    return (own / FOLDER / "link").exists()


def with_twin(box: Box, own: Path, session: str, branch: str) -> Box:
    """Made where it is not there yet. Without a box git is the repository's own."""
    if box.level == "none":
        return box
    twin = twin_at(own, Path(box.worktree), session, branch, box.mirror)
    if twin.mirror:
        make_mirror(twin.worktree, twin.mirror)
    binds = make_twin(twin)
    made = replace(
        box,
        twin=str(twin.twin),
        link=str(twin.link) if box.by == "bubblewrap" else "",
        # By the name that the twin knows it by, too, wherever the repository was moved to.
        objects=tuple(map(str, (*binds.objects, _named_objects(twin.worktree)))),
        read=(*box.read, *map(str, binds.read)),
        write=(*box.write, *map(str, binds.write)),
    )
    if not made.link:
        write_git_shim(made, real_git(variable("PATH")))
    return made


def mend_twin(box: Box, own: Path, session: str, branch: str) -> str:
    """Where what runs in the box has made its git directory unusable, one is made anew from the
    branch as it is here, and the old one kept; a sentence about that, else nothing. Nothing may run
    in the box meanwhile."""
    twin = twin_at(own, Path(box.worktree), session, branch, box.mirror)
    try:
        load_state(twin.twin, load_given(twin))
    except TwinBroken as error:
        _, aside = remake_twin(twin)
        return f"{error.message}: it was made anew from {branch}; the old one is kept at {aside}"
    return ""


def _named_objects(worktree: Path) -> Path:
    return load_git_dirs(worktree)[1] / "objects"


def sync_twin(
    box: Box, own: Path, session: str, branch: str, *, everything: bool = False
) -> Synced:
    """What either side has done comes to the other; nothing where there is no twin. `everything` is
    kept where it is about to be put away: what only logs remember, too."""
    if not box.twin:
        return Synced()
    return sync(*_reached(box, own, session, branch), everything=everything)


def bring_in_twin(box: Box, own: Path, session: str, branch: str) -> Synced:
    """Only what was done in the box: what moved here can wait, other sessions' branches above all,
    of which each commit moves one for everybody."""
    return bring_in(*_reached(box, own, session, branch)) if box.twin else Synced()


def _reached(box: Box, own: Path, session: str, branch: str) -> tuple[Twin, list[str]]:
    twin = twin_at(own, Path(box.worktree), session, branch, box.mirror)
    return twin, box_prefix(replace(box, network="none"))
