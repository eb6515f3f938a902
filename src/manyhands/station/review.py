"""What is reviewed, where it lies: the changed files, their patches, contents, *viewed* boxes."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from manyhands.contract.review import Contents, Listing, ReviewFile, Viewed, ViewedFile, Viewing
from manyhands.errors import NotPossible
from manyhands.git.diff import comparison as git_comparison
from manyhands.git.diff.comparison import Comparison, load_blobs, load_now, load_then
from manyhands.git.diff.generated import generated_paths
from manyhands.git.refs import resolve
from manyhands.git.tree_edit import Leaf
from manyhands.model.ids import Oid
from manyhands.model.review.anchor import Side
from manyhands.model.workspace.diff import Diff, FileDiff
from manyhands.station.checkpoints import tree_of
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree, require_path

LARGEST_TEXT = 16 << 20
LARGEST_IMAGE = 16 << 20
MOST_LINES = 4000
FIRST_BYTES = 1 << 20


class Against(msgspec.Struct, frozen=True):
    """What the files are compared with, and by which name a person asked for it."""

    name: str
    old: Literal["base", "head", "viewed", "checkpoint"] = "base"
    oid: Oid = Oid("")
    """The tree of viewed files, or the checkpoint."""
    until: Oid = Oid("")
    """The checkpoint to compare; without one, the worktree as it is now."""
    ignore_space: bool = False


def kept_index(worktree: Worktree) -> Path:
    return Path(worktree.kept) / "review"


def comparison(worktree: Worktree, against: Against) -> Comparison:
    """Blocks."""
    new = tree_of(worktree, against.until) if against.until else None
    old = _old(worktree, against)
    return Comparison(worktree.root, old, kept_index(worktree), new, against.ignore_space)


def _old(worktree: Worktree, against: Against) -> Oid:
    match against.old:
        case "viewed":
            return git_comparison.viewed_files(worktree.root, against.oid)
        case "checkpoint":
            return tree_of(worktree, against.oid)
        case "head":
            return resolve(worktree.root, "HEAD") or worktree.base
        case "base":
            return worktree.base


@in_thread
def list_changes(worktree: Worktree, against: Against, viewed: Oid) -> Listing:
    """`viewed` is the tree of the files that a person has seen."""
    diff, tree = comparison(worktree, against).listing()
    files = _marked(worktree.root, diff.files, viewed)
    return Listing(against=against.name, tree=tree, files=files)


@in_thread
def open_changes(worktree: Worktree, against: Against, viewed: Oid, most: int) -> Listing:
    """The first files with their patches: what a screen shows before everything is read."""
    compared = comparison(worktree, against)
    paths = compared.changed_paths()
    more = max(len(paths) - most, 0)
    diff, tree = _first(compared, paths[:most]) if more else _all(compared)
    files = _marked(worktree.root, diff.files, viewed)
    return Listing(against=against.name, tree=tree, files=files, patch=diff.patch, more=more)


def _first(compared: Comparison, paths: Sequence[str]) -> tuple[Diff, Oid]:
    """What is cut off here is asked for again once everything is listed."""
    return compared.patches(paths, limit=FIRST_BYTES), Oid("")


def _all(compared: Comparison) -> tuple[Diff, Oid]:
    diff, tree = compared.listing()
    drawn = _drawn(diff.files)
    patch = compared.patches(drawn).patch if drawn else ""
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


def _marked(root: Path, files: Sequence[FileDiff], viewed: Oid) -> list[ReviewFile]:
    generated = generated_paths(root, [file.path for file in files])
    seen = git_comparison.viewed_blobs(root, viewed)
    fields = FileDiff.__struct_fields__
    return [
        ReviewFile(
            **{name: getattr(file, name) for name in fields},
            generated=file.path in generated,
            viewed=_viewed_state(seen, file),
        )
        for file in files
    ]


def _viewed_state(seen: dict[str, Oid], file: FileDiff) -> Viewed:
    if file.path not in seen:
        return "no"
    return "yes" if seen[file.path] == file.new_blob else "changed"


@in_thread
def load_patches(
    worktree: Worktree, against: Against, paths: Sequence[str], *, whole: bool
) -> Diff:
    """The named files with their patches; those that do not differ are left out."""
    named = [require_path(worktree.root, path) for path in paths]
    return comparison(worktree, against).patches(named, whole=whole)


@in_thread
def load_contents(worktree: Worktree, against: Against, path: str, side: Side) -> Contents:
    require_path(worktree.root, path)
    compared = comparison(worktree, against)
    tree = compared.old if side == "old" else compared.new
    found = load_then(worktree.root, tree, path) if tree else load_now(worktree.root, path)
    return _contents(path, side, found)


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


@in_thread
def load_tree(worktree: Worktree) -> Oid | None:
    """The tree of all files as they are now; None where there are none any more."""
    there = worktree.root.is_dir()
    return git_comparison.load_tree(worktree.root, kept_index(worktree)) if there else None


def find_leaf(worktree: Worktree, path: str) -> Leaf | None:
    """The file as git would store it now; blocks."""
    return load_blobs(worktree.root, kept_index(worktree), [path]).get(path)


@in_thread
def set_viewed(worktree: Worktree, viewed: Oid, given: Viewing) -> tuple[ViewedFile, Oid]:
    """The box as it is now, and the next version of the tree of viewed files."""
    root, path = worktree.root, require_path(worktree.root, given.path)
    leaf = find_leaf(worktree, path) if given.viewed else None
    blob = leaf.oid if leaf else Oid("")
    if given.viewed and blob != given.blob:
        raise NotPossible(
            f"{path} changed while you looked at it", hint="look at what changed, then tick it"
        )
    viewing = (root, worktree.session, viewed, path, leaf)
    tree = git_comparison.set_viewed(*viewing, viewed=given.viewed)
    return ViewedFile(path, blob, given.viewed), tree
