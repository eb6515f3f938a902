"""What is reviewed: the changed files, their patches, and the contents around them."""

from __future__ import annotations

import asyncio
import base64
import mimetypes
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from manyhands.errors import BadInput, NotPossible
from manyhands.git.comparison import Comparison
from manyhands.git.diff import Diff, FileDiff
from manyhands.git.generated import generated_paths
from manyhands.git.review_files import load_now, load_then
from manyhands.git.viewed import viewed_blobs
from manyhands.hub.review_path import require_path
from manyhands.hub.review_place import comparison, require_place
from manyhands.hub.verdict import notice_change
from manyhands.model.anchor import Side
from manyhands.model.ids import Oid

if TYPE_CHECKING:
    from manyhands.hub.hub import Hub

LARGEST_TEXT = 16 << 20
LARGEST_IMAGE = 16 << 20
MOST_PATHS = 500
MOST_LINES = 4000
FIRST_BYTES = 1 << 20
Viewed = Literal["no", "yes", "changed"]


class ReviewFile(FileDiff, frozen=True, kw_only=True):
    generated: bool = False
    viewed: Viewed = "no"


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """`tree` is all that the worktree holds now; a verdict is given on it."""

    against: str
    tree: Oid
    files: list[ReviewFile]
    patch: str = ""
    """Of the first files, where those were asked for."""
    more: int = 0
    """How many files may follow in the whole list; there is no `tree` then."""


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """A file's text, or an image as base64 with its media type; neither for other binary files."""

    path: str
    side: Side
    bytes: int
    text: str | None = None
    media: str = ""
    data: str = ""


async def list_changes(hub: Hub, ref: str, against: str, *, ignore_space: bool = False) -> Listing:
    s = require_place(hub, ref)

    def load() -> tuple[bool, Oid, list[ReviewFile]]:
        looked = comparison(hub, s, against, ignore_space=ignore_space)
        diff, tree = looked.listing()
        files = _marked(looked.worktree, diff.files, s.reviewing.viewed)
        return looked.new is None, tree, files

    is_now, tree, files = await asyncio.to_thread(load)
    if is_now:
        await notice_change(hub, s.id, tree)
    return Listing(against=against, tree=tree, files=files)


async def open_changes(
    hub: Hub, ref: str, against: str, most: int, *, ignore_space: bool = False
) -> Listing:
    """The first files with their patches: what a screen shows before everything is read."""
    s = require_place(hub, ref)
    if not 0 < most <= MOST_PATHS:
        raise BadInput(f"between 1 and {MOST_PATHS} files at once")

    def load() -> tuple[bool, Listing]:
        looked = comparison(hub, s, against, ignore_space=ignore_space)
        paths = looked.changed_paths()
        more = max(len(paths) - most, 0)
        diff, tree = (_first(looked, paths[:most]), Oid("")) if more else _all(looked)
        files = _marked(looked.worktree, diff.files, s.reviewing.viewed)
        return looked.new is None and not more, Listing(
            against=against, tree=tree, files=files, patch=diff.patch, more=more
        )

    is_now, listing = await asyncio.to_thread(load)
    if is_now:
        await notice_change(hub, s.id, listing.tree)
    return listing


def _first(looked: Comparison, paths: Sequence[str]) -> Diff:
    """What is cut off here is asked for again once everything is listed."""
    return looked.patches(paths, limit=FIRST_BYTES)


def _all(looked: Comparison) -> tuple[Diff, Oid]:
    diff, tree = looked.listing()
    drawn = _drawn(diff.files)
    patch = looked.patches(drawn).patch if drawn else ""
    return Diff(files=diff.files, patch=patch), tree


def _drawn(files: Sequence[FileDiff]) -> list[str]:
    """The files whose patches come along, by both names of a renamed one."""
    paths: list[str] = []
    lines = 0
    for file in files:
        lines += file.added + file.removed
        if lines > MOST_LINES:
            break
        if not file.binary:
            paths += [file.path] if file.old_path is None else [file.path, file.old_path]
    return paths


def _marked(worktree: Path, files: Sequence[FileDiff], viewed: Oid) -> list[ReviewFile]:
    generated = generated_paths(worktree, [file.path for file in files])
    seen = viewed_blobs(worktree, viewed)
    fields = FileDiff.__struct_fields__
    return [
        ReviewFile(
            **{name: getattr(file, name) for name in fields},
            generated=file.path in generated,
            viewed=viewed_state(seen, file),
        )
        for file in files
    ]


def viewed_state(seen: dict[str, Oid], file: FileDiff) -> Viewed:
    if file.path not in seen:
        return "no"
    return "yes" if seen[file.path] == file.new_blob else "changed"


async def load_patches(
    hub: Hub,
    ref: str,
    against: str,
    paths: Sequence[str],
    *,
    ignore_space: bool = False,
    whole: bool = False,
) -> Diff:
    """The named files with their patches; those that do not differ are left out."""
    s = require_place(hub, ref)
    if len(paths) > MOST_PATHS:
        raise BadInput(f"at most {MOST_PATHS} files at once")
    named = [require_path(Path(s.worktree), path) for path in paths]
    if not named:
        return Diff(files=[])

    def load() -> Diff:
        looked = comparison(hub, s, against, ignore_space=ignore_space)
        return looked.patches(named, whole=whole)

    return await asyncio.to_thread(load)


async def load_contents(hub: Hub, ref: str, path: str, side: Side, against: str) -> Contents:
    s = require_place(hub, ref)
    require_path(Path(s.worktree), path)

    def load() -> bytes:
        looked = comparison(hub, s, against)
        tree = looked.old if side == "old" else looked.new
        if tree is None:
            return load_now(looked.worktree, path)
        return load_then(looked.worktree, tree, path)

    return _contents(path, side, await asyncio.to_thread(load))


def _contents(path: str, side: Side, content: bytes) -> Contents:
    media = mimetypes.guess_type(path)[0] or ""
    size = len(content)
    if media.startswith("image/") and size <= LARGEST_IMAGE:
        data = base64.b64encode(content).decode()
        return Contents(path=path, side=side, bytes=size, media=media, data=data)
    if b"\0" in content[:8000]:
        return Contents(path=path, side=side, bytes=size)
    if size > LARGEST_TEXT:
        raise NotPossible(f"{path} is too large to be shown: {size // 2**20} MB")
    return Contents(path=path, side=side, bytes=size, text=content.decode("utf-8", "replace"))
