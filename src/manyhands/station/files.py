"""The files of a worktree: their names, what is in one, what differs, and one in an editor.

Ignored files, such as a ``.env``, are neither listed nor shown, and no link is followed.
"""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path

from manyhands.config import Home
from manyhands.contract.files import FileList, FileView, Opened
from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.git.diff.diff import diff_trees, diff_worktree, shown
from manyhands.git.runner import Git
from manyhands.model.ids import Oid
from manyhands.model.workspace.diff import Diff
from manyhands.process.editor import has_window, launch, require_editor, words_for
from manyhands.station.checkpoints import tree_of
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree, require_inside

MOST_FILES = 20_000
MOST_BYTES = 4 * 1024 * 1024
"""Of all their names."""
MOST_TEXT = 1024 * 1024
MOST_IMAGE = 8 * 1024 * 1024
IMAGES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
}
_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")


@in_thread
def load_diff(worktree: Worktree, path: str | None, *, patch: bool) -> Diff:
    """Against the base; `path` limits it to one file."""
    inside = require_inside(worktree.root, path) if path is not None else None
    paths = [os.fsencode(inside)] if inside is not None else None
    return diff_worktree(worktree.root, worktree.base, patch=patch, paths=paths)


@in_thread
def load_turn_diff(worktree: Worktree, before: Oid, made: Oid, *, patch: bool) -> Diff:
    """From one checkpoint, or the base where there is none, to another."""
    new = tree_of(worktree, made)
    old = tree_of(worktree, before) if before else worktree.base
    return diff_trees(worktree.repository, old, new, patch=patch)


@in_thread
def load_names(worktree: Worktree) -> FileList:
    """In order, without those that were deleted."""
    git = Git(worktree.root)
    found = git.run(*_LIST, limit=MOST_BYTES)
    gone = set(git.run("ls-files", "-z", "--deleted", limit=MOST_BYTES).records)
    records = found.records[:-1] if found.cut else found.records
    paths = sorted(path for path in records if path not in gone)
    more = found.cut or len(paths) > MOST_FILES
    return FileList([shown(path) for path in paths[:MOST_FILES]], more)


@in_thread
def load_file(worktree: Worktree, path: str) -> FileView:
    place = worktree.root / require_inside(worktree.root, path)
    name = os.fsencode(path)
    if name not in Git(worktree.root).run(*_LIST, "--", name).records:
        raise NotFound(f"{path} is not among the files of the worktree")
    try:
        if place.is_symlink():
            target = os.fsencode(place.readlink())
            return FileView(path=path, kind="link", bytes=len(target), text=shown(target))
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}") from error
    with os.fdopen(descriptor, "rb") as opened:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise NotFound(f"{path} is not a plain file")
        image = IMAGES.get(place.suffix.lower(), "")
        most = MOST_IMAGE if image else MOST_TEXT
        return _view(path, info.st_size, opened.read(most), image)


@in_thread
def load_picture(place: Path) -> FileView:
    """One that we keep ourselves."""
    try:
        content = place.read_bytes()
    except FileNotFoundError:
        raise NotFound(f"there is no picture {place.name}") from None
    return _view(place.name, len(content), content, IMAGES[place.suffix])


def _view(path: str, size: int, content: bytes, image: str) -> FileView:
    if image and len(content) == size:
        data = base64.b64encode(content).decode()
        return FileView(path=path, kind="image", bytes=size, media_type=image, data=data)
    if image or b"\0" in content[:8192]:
        return FileView(path=path, kind="binary", bytes=size)
    text = content.decode("utf-8", "replace")
    return FileView(path=path, kind="text", bytes=size, text=text, cut=len(content) < size)


@in_thread
def open_in_editor(home: Home, worktree: Worktree, path: str, name: str, line: int = 0) -> Opened:
    """The worktree, or a file in it; `name` is what the person called the session."""
    target = _require_there(worktree.root, path)
    editor = require_editor(None)
    if not has_window(editor[0]):
        raise NotPossible(
            f"{editor[0]} runs in a terminal, and the hub has none",
            hint=f"run `manyhands open {name}` in yours, or set $VISUAL to an editor with a window",
        )
    argv = (*editor, worktree.path, *(words_for(editor[0], str(target), line) if path else ()))
    launch(home, argv)
    return Opened(argv)


def _require_there(root: Path, path: str) -> Path:
    """The file that is meant: there, and not outside by a link or dots."""
    try:
        target = (root / path).resolve()
        there = target.exists()
    except (OSError, ValueError) as error:
        raise BadInput(f"{path!r} is no path: {error}") from error
    if not target.is_relative_to(root.resolve()):
        raise BadInput(f"{path} is not in the worktree")
    if not there:
        raise NotFound(f"{target} is not there", hint="an archived session can be restored")
    return target
