"""What one worktree installed, kept whole and as the install made it, for others like it.

A kept install is a directory: the trees, each under its place in the worktree, and a note of the
files in them that say where the worktree lies, as scripts of a virtual environment do. Whoever
takes it over has these files name its own place instead. Where a file says so that is no text, the
install is not kept: such a file cannot be led elsewhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec

from manyhands.config import child_environment
from manyhands.errors import NotPossible
from manyhands.git.recovery import remove_files
from manyhands.model.ids import fresh_id
from manyhands.process.pipeline import LIMIT, run_pipeline
from manyhands.workspace.copied_tree import copy_tree

NOTE = "about.json"
TREES = "trees"
SEARCH_SECONDS = 120.0
LONGEST_SHEBANG = 127
"""As much of a script's first line as every system reads."""
HARMLESS = (".pyc", ".pyo")
"""Python names the file that it reads, whatever the compiled one says."""


class About(msgspec.Struct, frozen=True):
    root: str
    products: tuple[str, ...]
    """Relative to the worktree, the outermost last: it says that all of them are there."""
    files: tuple[str, ...] = ()
    """Those that say where the worktree lies, relative to it."""
    links: tuple[str, ...] = ()


def keep(root: Path, product: str, place: Path, parts: Path) -> None:
    """Put a copy of what was just installed in `root` at `place`, which appears at once and whole.
    Blocks; raises where it cannot be kept."""
    part = parts / fresh_id()
    try:
        found = products_in(root, product)
        for name in found:
            target = part / TREES / name
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            copy_tree(root / name, target)
        (part / NOTE).write_bytes(msgspec.json.encode(_described(part / TREES, root, found)))
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part.rename(place)
    finally:
        remove_files(part)


def take(place: Path, root: Path, parts: Path) -> None:
    """Give the worktree `root` a copy of what is kept at `place`. Blocks; raises where it cannot
    be, or where something of it is there already."""
    about = msgspec.json.decode((place / NOTE).read_bytes(), type=About)
    part = parts / fresh_id()
    try:
        for name in about.products:
            if os.path.lexists(root / name) or not _is_folder_of(root, (root / name).parent):
                raise NotPossible(f"{root / name} is there already, or has no place")
            (part / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            copy_tree(place / TREES / name, part / name)
        _lead_here(about, part, root)
        for name in about.products:
            (part / name).rename(root / name)
    finally:
        remove_files(part)


def products_in(root: Path, product: str) -> tuple[str, ...]:
    """Every folder of that name, as each package of a workspace may have one; the top's comes last.
    Raises where the top has none."""
    if (root / product).is_symlink() or not (root / product).is_dir():
        raise NotPossible(f"{root / product} is no directory")
    found = []
    for folder, folders, _ in os.walk(root):
        if product in folders and not Path(folder, product).is_symlink():
            found.append(os.path.relpath(Path(folder, product), root))
        folders[:] = [name for name in folders if name not in (product, ".git")]
    return tuple(sorted(found, key=lambda name: (name == product, name)))


def _described(trees: Path, root: Path, products: tuple[str, ...]) -> About:
    files = tuple(_naming(trees, root))
    inside = re.sub(r"([][*?\\])", r"\\\1", str(root)) + "/*"
    links = _found(trees, ("find", ".", "-type", "l", "-lname", inside, "-print0"))
    for name in files:
        if b"\0" in (trees / name).read_bytes():
            raise NotPossible(f"{name} is no text and says where the worktree lies")
    return About(str(root), products, files, tuple(links))


def _naming(trees: Path, root: Path) -> Iterator[str]:
    """Files with the worktree's place in them."""
    words = [word for pair in _pairs(root, root) for word in ("-e", os.fsdecode(pair[0]))]
    for name in _found(trees, ("grep", "-rlF", "--null", *words, "."), none=1):
        if not name.endswith(HARMLESS):
            yield name


def _found(trees: Path, argv: Sequence[str], none: int = 0) -> list[str]:
    """Names that a program tells; it ends with `none` where there are none."""
    env = {**child_environment(), "LC_ALL": "C"}
    [ended] = run_pipeline(argv, env=env, timeout=SEARCH_SECONDS, cwd=trees)
    if ended.returncode not in (0, none) or len(ended.stdout) >= LIMIT:
        raise NotPossible(f"{argv[0]} did not look through it all: {ended.stderr[-500:]}")
    return [os.path.normpath(os.fsdecode(name)) for name in ended.stdout.split(b"\0") if name]


def _lead_here(about: About, part: Path, root: Path) -> None:
    there = Path(about.root)
    for name in about.files:
        _rewrite(part / name, there, root)
    for name in about.links:
        target = (part / name).readlink()
        (part / name).unlink()
        (part / name).symlink_to(root / target.relative_to(there))


def _rewrite(file: Path, there: Path, here: Path) -> None:
    """In the file itself, which keeps its mode and time: managers go by them."""
    info, text = file.stat(), file.read_bytes()
    for old, new in _pairs(there, here):
        text = re.sub(re.escape(old) + rb"(?![\w-])", new.replace(b"\\", rb"\\"), text)
    first = text.partition(b"\n")[0]
    if first.startswith(b"#!") and len(first) > LONGEST_SHEBANG:
        raise NotPossible(f"{file.name} could not name its interpreter at {here}")
    if not info.st_mode & 0o200:
        file.chmod(info.st_mode | 0o200)
    file.write_bytes(text)
    file.chmod(info.st_mode & 0o7777)
    os.utime(file, ns=(info.st_atime_ns, info.st_mtime_ns))


def _pairs(there: Path, here: Path) -> list[tuple[bytes, bytes]]:
    """The place as paths and as addresses say it, with what takes its place."""
    plain = (os.fsencode(there), os.fsencode(here))
    real = (os.fsencode(os.path.realpath(there)), os.fsencode(os.path.realpath(here)))
    coded = tuple(quote(name).encode() for name in plain)
    return list(dict.fromkeys((plain, real, (coded[0], coded[1]))))


def _is_folder_of(root: Path, folder: Path) -> bool:
    """A real directory of the worktree; a link may lead anywhere."""
    way = Path(os.path.realpath(root)) / folder.relative_to(root)
    return folder.is_dir() and os.path.realpath(folder) == str(way)
