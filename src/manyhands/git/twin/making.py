"""Making a twin: mostly files written here, since each git process would cost as much as all of it.

It is built beside its place and renamed: one that is there is whole. What a killed call left is
thrown away; nobody can have worked in it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from manyhands.git import refs
from manyhands.git.locks import file_lock
from manyhands.git.recovery import remove_files
from manyhands.git.refs import Repository
from manyhands.git.replacing import replace_file
from manyhands.git.rescue.survey import operation
from manyhands.git.runner import Git
from manyhands.git.settings import Entry, write_settings
from manyhands.git.twin.configuration import TwinConfig, load_config
from manyhands.git.twin.moving import Move
from manyhands.git.twin.objects import object_directories, write_alternates
from manyhands.git.twin.pins import pin
from manyhands.git.twin.place import Twin, TwinBinds
from manyhands.git.twin.staging import shield_links
from manyhands.git.twin.users_refs import UsersRefs, load_refs

STATE = (
    "*_HEAD",
    "AUTO_MERGE",
    "MERGE_*",
    "SQUASH_MSG",
    "BISECT_*",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
)
"""What git keeps of something that it is in the middle of."""
_OWN_REFS = ("bisect", "worktree", "rewritten")
_HOOKS_FILES, _HOOKS_BYTES = 200, 4 << 20
"""Hooks beyond that are led to, not copied."""


def make_twin(place: Twin) -> TwinBinds:
    """Harmless to repeat: one that is there stays as it is."""
    with file_lock(place.beside("lock")):
        found = refs.require_worktree(place.worktree)
        config = load_config(place.worktree, place.mirror)
        if not place.twin.is_dir():
            _build(place, found, config)
            shield_links(Git(place.worktree), found.git_dir / "index")
        link = b"gitdir: " + os.fsencode(place.twin) + b"\n"
        if not place.link.is_file() or place.link.read_bytes() != link:
            replace_file(place.link, link, 0o644)
        return _binds(place, found, config)


def remake_twin(place: Twin) -> tuple[TwinBinds, Path | None]:
    """A new one from how things are here, and where the old one is kept now. Whoever still runs
    with the old one goes on with it: end that first."""
    aside = None
    with file_lock(place.beside("lock")):
        if os.path.lexists(place.twin):
            taken = (place.beside(f"aside-{n}") for n in range(1, 1000))
            aside = next(path for path in taken if not os.path.lexists(path))
            place.twin.rename(aside)
        place.beside("seen").unlink(missing_ok=True)
    return make_twin(place), aside


def _build(place: Twin, found: Repository, config: TwinConfig) -> None:
    making = place.beside("making")
    remove_files(making)
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "logs"):
        (making / folder).mkdir(parents=True)
    given = load_refs(found.common_dir)
    _write_refs(making, given)
    _copy_own(found, making, place.branch)
    beside = _files_and_hooks(place, found, config)
    write_settings(making / "config", [*config.entries, *beside])
    write_alternates(making / "objects", object_directories(found.common_dir))
    _lead_to_modules(place.worktree, found, making)
    place.beside("given").write_bytes((making / "packed-refs").read_bytes())
    tip = given.oids.get(os.fsencode(place.head))
    synced = [Move(place.synced, tip.decode())] if tip else []
    pin(place.worktree, place.pins, _tips(making, given), more=False, also=synced)
    for note in ("seen", "handed", "given-later"):
        place.beside(note).unlink(missing_ok=True)
    place.beside("operation").write_text(operation(found.git_dir) or "")
    making.rename(place.twin)


def _tips(making: Path, given: UsersRefs) -> list[bytes]:
    """With a HEAD that is on no branch."""
    head = (making / "HEAD").read_bytes().strip()
    alone = [] if head.startswith(b"ref:") else [head]
    return list(dict.fromkeys([*alone, *given.tips()]))


def _write_refs(making: Path, given: UsersRefs) -> None:
    (making / "packed-refs").write_bytes(given.packed())
    for name, target in given.links.items():
        file = making / os.fsdecode(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"ref: " + target + b"\n")


def _copy_own(found: Repository, making: Path, branch: str) -> None:
    """What is the worktree's alone, and little else."""
    own, common = found.git_dir, found.common_dir
    _copy(own / "HEAD", making / "HEAD")
    _copy(own / "index", making / "index")
    for pattern in (*STATE, "sharedindex.*"):
        for file in own.glob(pattern):
            _copy(file, making / file.name)
    for name in _OWN_REFS:
        _copy(own / "refs" / name, making / "refs" / name)
    _copy(own / "logs/HEAD", making / "logs/HEAD")
    _copy(common / "logs/refs/heads" / branch, making / "logs/refs/heads" / branch)
    _copy(own / "info/sparse-checkout", making / "info/sparse-checkout")
    for name in ("exclude", "attributes", "grafts"):
        _copy(common / "info" / name, making / "info" / name)
    _copy(common / "shallow", making / "shallow")


def _copy(source: Path, target: Path) -> None:
    """With its times, which tell git what it need not look at; nothing where there is nothing."""
    if source.is_symlink():
        return
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    elif source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def _files_and_hooks(place: Twin, found: Repository, config: TwinConfig) -> Iterator[Entry]:
    making = place.beside("making")
    for key, file in config.files.items():
        if file.is_absolute() and file.is_file():
            name = f"{key.removeprefix('core.')}-of-user"
            shutil.copyfile(file, making / "info" / name)
            yield key, str(place.twin / "info" / name)
        elif not file.is_absolute():
            yield key, str(file)
    hooks = config.hooks
    if hooks is None and not _copy_hooks(found.common_dir / "hooks", making / "hooks"):
        hooks = found.common_dir / "hooks"
    if hooks is not None:
        yield "core.hookspath", str(hooks)


def _copy_hooks(source: Path, target: Path) -> bool:
    """What links lead to comes along, since it may lie where nobody can follow."""
    target.mkdir()
    count = size = 0
    for file in _hook_files(source):
        count, size = count + 1, size + file.stat().st_size
        if count > _HOOKS_FILES or size > _HOOKS_BYTES:
            shutil.rmtree(target)
            return False
        copy = target / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    return True


def _hook_files(source: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(source):
        files = (Path(folder, name) for name in names if not name.endswith(".sample"))
        yield from (file for file in files if file.is_file())


def _lead_to_modules(worktree: Path, found: Repository, making: Path) -> None:
    """Submodules have their git directories with the worktree's own, and stay there."""
    modules = found.git_dir / "modules"
    if modules.is_dir() or (worktree / ".gitmodules").is_file():
        modules.mkdir(exist_ok=True)
        part_ways(modules)
        (making / "modules").symlink_to(modules)


def part_ways(modules: Path) -> None:
    """Objects that a clone has in common with another by hard links become its own: whoever can
    write one of the names could change both."""
    for folder, _, names in os.walk(modules):
        for file in (Path(folder, name) for name in names):
            if not file.is_symlink() and file.is_file() and file.stat().st_nlink > 1:
                copy = file.with_name(f"tmp_{file.name}")
                shutil.copy2(file, copy)
                copy.replace(file)


def _binds(place: Twin, found: Repository, config: TwinConfig) -> TwinBinds:
    hooks = config.hooks or found.common_dir / "hooks"
    inside = hooks.is_absolute() and hooks.is_relative_to(place.worktree)
    has_hooks = hooks.is_absolute() and not inside and any(_hook_files(hooks))
    read = [hooks] if has_hooks else []
    read += [lfs for lfs in (found.common_dir / "lfs",) if lfs.is_dir()]
    read += [place.mirror] if place.mirror and place.mirror.is_dir() else []
    modules = found.git_dir / "modules"
    return TwinBinds(
        objects=tuple(object_directories(found.common_dir)),
        read=tuple(read),
        write=(modules,) if modules.is_dir() else (),
    )
