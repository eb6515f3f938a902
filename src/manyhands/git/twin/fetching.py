"""Objects from a twin: by a fetch whose other end runs where the twin's owner is kept.

They come into a place of their own first. Only what git has found to be well-formed and complete
is moved from there to the repository's; whatever fails leaves nothing behind. The fetch is done by
a git directory of ours that knows a few tips and nothing of the repository's config: with all its
refs each fetch would look at thousands of them, several times.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from manyhands.errors import GitFailed, ManyhandsError
from manyhands.git import refs
from manyhands.git.private_index import alternates
from manyhands.git.recovery import remove_files
from manyhands.git.runner import Git
from manyhands.git.settings import ALONE, Entry, load_settings, write_settings
from manyhands.git.twin.loose import load_pack
from manyhands.git.twin.place import Twin
from manyhands.git.twin.untrusted import understood

TIMEOUT = 300.0
_FETCH = (
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    "--no-write-fetch-head",
    "--no-write-commit-graph",
    "--no-prune",
)
_STRICT = {
    "fetch.fsckObjects": "true",
    # What is apart need not last; where it is put it does.
    "core.fsync": "none",
    "protocol.version": "2",
    "fetch.negotiationAlgorithm": "consecutive",
    "fetch.writeCommitGraph": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "core.alternateRefsCommand": "true",
}
_DATA = re.compile(r"extensions\.partialclone|remote\..+\.(promisor|partialclonefilter)")
_FEW, _SMALL_BYTES = 100, 16 << 20
_ORDER = {".pack": 0, ".rev": 1, ".promisor": 1, ".idx": 2}
"""A pack is there for others once its index is."""
_OURS = ("No space left", "Disk quota", "Read-only file system", "Too many open files")


def fetch_objects(
    place: Twin, prefix: Sequence[str], wanted: Collection[str], known: Collection[str]
) -> None:
    """All of `wanted`, with everything that they hold; `known` are tips that both have."""
    if not wanted:
        return
    common = refs.common_dir(place.worktree)
    objects = common / "objects"
    with _git_dir(common, place, known) as own:
        loose = _loose(own, objects)
        pack = load_pack(place.twin, wanted, known)
        if pack is None or not _unpacked(loose, pack):
            with _apart(objects, place) as incoming:
                _fetch(place, _upload_pack(prefix), wanted, _incoming(own, incoming, objects))
                _move(loose, incoming, objects)


def _fetch(place: Twin, other_end: str, wanted: Collection[str], git: Git) -> None:
    asked = "".join(f"{oid}\n" for oid in wanted).encode()
    argv = (*_FETCH, f"--upload-pack={other_end}", "--stdin", str(place.twin))
    try:
        git.run(*argv, stdin=asked, timeout=TIMEOUT)
    except GitFailed as error:
        raise _understood(place, error) from error


def _incoming(own: Path, incoming: Path, objects: Path) -> Git:
    return Git(own, hardened=False).having(
        _STRICT,
        **ALONE,
        GIT_DIR=own,
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_ALLOW_PROTOCOL="file",
        GIT_OBJECT_DIRECTORY=incoming,
        GIT_ALTERNATE_OBJECT_DIRECTORIES=alternates([objects]),
    )


def _loose(own: Path, objects: Path) -> Git:
    """Git that puts objects where they are to stay."""
    return Git(own, hardened=False).having(
        refs.DURABLE,
        **ALONE,
        GIT_DIR=own,
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_OBJECT_DIRECTORY=objects,
    )


def _unpacked(loose: Git, pack: bytes) -> bool:
    """All of it or nothing: whatever git finds wrong, or misses, it writes none."""
    try:
        done = loose.run("unpack-objects", "-q", "--strict", stdin=pack, check=False)
    except OSError:
        return False
    return done.returncode == 0


def _upload_pack(prefix: Sequence[str]) -> str:
    # What is wanted are objects by name, which the older protocol would not give.
    words = ("env", "GIT_PROTOCOL=version=2", "git", "-c", "safe.directory=*", "upload-pack")
    return shlex.join([*prefix, *words, "--strict"])


def _understood(place: Twin, error: GitFailed) -> ManyhandsError:
    """In few words: the command names the whole box."""
    short = GitFailed((*_FETCH[:2], str(place.twin)), error.returncode, error.stderr, cwd=error.cwd)
    if any(word in error.stderr for word in _OURS):
        return short
    return understood(place.twin, "what it holds does not come over", short)


@contextmanager
def _git_dir(common: Path, place: Twin, known: Collection[str]) -> Iterator[Path]:
    own = place.beside("fetching")
    remove_files(own)
    for folder in ("objects", "refs"):
        (own / folder).mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/none\n")
    lines = sorted(f"{oid} refs/known/{oid}\n" for oid in dict.fromkeys(known))
    (own / "packed-refs").write_text("".join(lines))
    _copy_format(common, place, own)
    try:
        yield own
    finally:
        remove_files(own)


def _copy_format(common: Path, place: Twin, own: Path) -> None:
    """How the repository's objects are kept: shallow, promised, or plain."""
    with suppress(FileNotFoundError):
        (own / "shallow").write_bytes((common / "shallow").read_bytes())
    entries: list[Entry] = []
    if b"partialclone" in (common / "config").read_bytes().lower():
        found = load_settings(place.worktree).of_repository
        entries = [entry for entry in found if _DATA.fullmatch(entry[0])]
    version = "1" if entries else "0"
    told = [("core.repositoryformatversion", version), ("core.bare", "true"), *entries]
    write_settings(own / "config", told)


@contextmanager
def _apart(objects: Path, place: Twin) -> Iterator[Path]:
    """On the same disk, under a name that no collector takes away meanwhile; what a killed call
    left there goes with the next."""
    incoming = objects / f"manyhands-incoming-{place.session}"
    remove_files(incoming)
    (incoming / "pack").mkdir(parents=True)
    try:
        yield incoming
    finally:
        remove_files(incoming)


def _move(loose: Git, incoming: Path, objects: Path) -> None:
    """Few objects become loose ones, as git has it: a pack for each commit would slow all down."""
    for pack in list((incoming / "pack").glob("*.pack")):
        data = pack.read_bytes() if pack.stat().st_size <= _SMALL_BYTES else b""
        if data and int.from_bytes(data[8:12], "big") < _FEW:
            loose.run("unpack-objects", "-q", stdin=data)
            for file in (incoming / "pack").glob(f"{pack.stem}.*"):
                file.unlink()
    for folder in sorted(incoming.iterdir(), key=lambda path: path.name == "pack"):
        if (folder.name == "pack" or len(folder.name) == 2) and any(folder.iterdir()):
            _make_folder(objects / folder.name)
            for file in sorted(folder.iterdir(), key=lambda path: _ORDER.get(path.suffix, 0)):
                target = objects / folder.name / file.name
                if not file.name.startswith("tmp_") and not os.path.lexists(target):
                    _flush(file)
                    file.rename(target)


def _flush(file: Path) -> None:
    with file.open("rb") as opened:
        os.fsync(opened.fileno())


def _make_folder(folder: Path) -> None:
    """As open to others as the one that it is in: a repository may be shared by a group."""
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        folder.chmod(folder.parent.stat().st_mode & 0o7777)
