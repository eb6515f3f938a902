"""The files of a session's worktree: their names, and one at a time what is in them.

Ignored files, such as a ``.env``, are neither listed nor shown, and no link is followed.
"""

from __future__ import annotations

import asyncio
import base64
import os
import stat
from pathlib import Path
from typing import Literal

import msgspec

from manyhands.errors import NotFound, NotPossible
from manyhands.git.diff import shown
from manyhands.git.listing import is_listed, list_files
from manyhands.hub.diff import require_inside
from manyhands.hub.hub import Hub
from manyhands.hub.names import require_session
from manyhands.model.session import Session

MOST_FILES = 20_000
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
FileKind = Literal["text", "image", "binary", "link"]


class FileList(msgspec.Struct, frozen=True):
    paths: list[str]
    more: bool = False
    """Whether there are more than are listed."""


class FileView(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    kind: FileKind
    bytes: int
    text: str = ""
    cut: bool = False
    """Whether only the beginning of the text is here."""
    media_type: str = ""
    data: str = ""
    """An image, in base64."""


async def files(hub: Hub, ref: str) -> FileList:
    worktree = _require_worktree(require_session(hub.state, ref))
    paths, more = await asyncio.to_thread(list_files, worktree, MOST_FILES)
    return FileList([shown(path) for path in paths], more)


async def file(hub: Hub, ref: str, path: str) -> FileView:
    worktree = _require_worktree(require_session(hub.state, ref))
    require_inside(worktree, path)
    return await asyncio.to_thread(_load, worktree, path)


def _require_worktree(s: Session) -> Path:
    worktree = Path(s.worktree)
    if s.archived:
        raise NotPossible(f"{s.slug} is archived", hint=f"`manyhands restore {s.slug}` first")
    if not s.has_worktree or not worktree.is_dir():
        raise NotPossible(f"{s.slug} has no worktree now")
    return worktree


def _load(worktree: Path, path: str) -> FileView:
    place = worktree / path
    if not is_listed(worktree, os.fsencode(path)):
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


def _view(path: str, size: int, content: bytes, image: str) -> FileView:
    if image and len(content) == size:
        data = base64.b64encode(content).decode()
        return FileView(path=path, kind="image", bytes=size, media_type=image, data=data)
    if image or b"\0" in content[:8192]:
        return FileView(path=path, kind="binary", bytes=size)
    text = content.decode("utf-8", "replace")
    return FileView(path=path, kind="text", bytes=size, text=text, cut=len(content) < size)
