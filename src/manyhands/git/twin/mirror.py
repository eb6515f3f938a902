"""What answers for a repository's remotes where there are no credentials to ask them.

One bare directory per remote, of ours and to be read only: its branches are where the remote's were
when they were last fetched here, its objects are the repository's own. Files are replaced one by
one, since the directory itself is in use wherever somebody fetches from it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import msgspec

from manyhands.git import refs
from manyhands.git.locks import file_lock
from manyhands.git.outside.fetching import remote_names
from manyhands.git.repository import file_mark, is_resting
from manyhands.git.settings import write_settings
from manyhands.git.twin.objects import object_directories, write_alternates
from manyhands.git.twin.seen import ref_marks
from manyhands.git.twin.users_refs import UsersRefs, load_refs

_TAGS = b"refs/tags/"
_USUAL = (b"refs/heads/main", b"refs/heads/master")


def remote_mirror(mirror: Path, remote: str) -> Path:
    return mirror / f"{quote(remote, safe='')}.git"


def make_mirror(repo: Path, mirror: Path) -> bool:
    """Bring it up to date with the refs that the repository has of its remotes; whether any of it
    changed. Costs next to nothing where no ref moved."""
    common = refs.common_dir(repo)
    note = mirror / "seen"
    with file_lock(mirror.with_name(f"{mirror.name}.lock")):
        marks = ref_marks(common)
        marks["config"] = file_mark(common / "config")
        raw = msgspec.json.encode(marks)
        with suppress(FileNotFoundError):
            if note.read_bytes() == raw:
                return False
        rested = is_resting(marks.values())
        found = load_refs(common)
        changed = [_write_remote(common, mirror, name, found) for name in remote_names(repo)]
        note.unlink(missing_ok=True)
        if rested and mirror.is_dir():
            note.write_bytes(raw)
        return any(changed)


def _write_remote(common: Path, mirror: Path, remote: str, found: UsersRefs) -> bool:
    place, space = remote_mirror(mirror, remote), os.fsencode(f"refs/remotes/{remote}/")
    names = {name: b"refs/heads/" + name[len(space) :] for name in found.oids if space in name}
    names = {name: head for name, head in names.items() if name.startswith(space)}
    names |= {name: name for name in found.oids if name.startswith(_TAGS)}
    shown = UsersRefs(
        {new: found.oids[old] for old, new in names.items()},
        {new: found.peeled[old] for old, new in names.items() if old in found.peeled},
    )
    said = found.links.get(space + b"HEAD", b"").removeprefix(space)
    head = b"refs/heads/" + said if said else _default(shown.oids)
    for folder in ("objects/info", "objects/pack", "refs"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    write_alternates(place / "objects", object_directories(common))
    if not (place / "config").exists():
        told = {"core.repositoryformatversion": "0", "core.bare": "true", "gc.auto": "0"}
        write_settings(place / "config", told.items())
    if (common / "shallow").is_file():
        _replace(place / "shallow", (common / "shallow").read_bytes())
    moved = _replace(place / "packed-refs", shown.packed())
    return _replace(place / "HEAD", b"ref: " + head + b"\n") or moved


def _default(names: Iterable[bytes]) -> bytes:
    there = sorted(name for name in names if name.startswith(b"refs/heads/"))
    return next((name for name in _USUAL if name in there), (there or list(_USUAL))[0])


def _replace(file: Path, content: bytes) -> bool:
    with suppress(FileNotFoundError):
        if file.read_bytes() == content:
            return False
    made = file.with_name(f"{file.name}.new")
    made.write_bytes(content)
    made.replace(file)
    return True
