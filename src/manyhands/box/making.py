"""From what is wished for and what the machine can do to one session's box.

Cheap, and nothing is touched; `ready` makes what must be there before anything runs in it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from manyhands.box import outline
from manyhands.box.bubblewrap import Mounts
from manyhands.box.copying import layers_for, make_layers
from manyhands.box.grounds import pave
from manyhands.box.limits import find_parent, make_group
from manyhands.box.nesting import is_in, links_to
from manyhands.box.toolchains import caches, is_system, program_places, toolchains
from manyhands.config import Home
from manyhands.model.box import NO_BOX, Box, BoxTerms
from manyhands.model.boxed import holding

INTERPRETERS = (".venv/bin/python", "venv/bin/python", "env/bin/python")
"""Of a worktree: an environment's own is a link to one that may lie anywhere."""
CHOSEN = "somebody chose to leave it"
CLEANED = (".npmrc", ".yarnrc", ".yarnrc.yml", ".pip/pip.conf", ".config/pip/pip.conf")
"""Settings that say where packages come from, and may hold what they are fetched with."""
_HOLDS_KEY = re.compile(r"auth|password|passwd|token|secret|://[^/\s]*@", re.IGNORECASE)
EMPTY = {".json": "{}\n", ".jsonc": "{}\n"}
LARGEST_SETTINGS = 64 * 1024


@dataclass(frozen=True)
class Places:
    """What an agent needs beside the toolchains: its own files to write, its program to read."""

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    """Of what it writes to, what it may only read."""


def make_box(
    home: Home,
    own: Path,
    worktree: Path,
    *,
    terms: BoxTerms,
    env: Mapping[str, str],
    places: Places = Places(),
    use: str = "commands",
    in_place: bool = False,
) -> Box:
    """For whatever runs at `worktree` with `env`; `own` is a directory of the session's, or of the
    bench's, for what the box keeps; what runs at the same time is of another `use`."""
    wish, means = terms.wish, terms.means
    held = holding(means, wish, in_place=in_place)
    if held.level == "none":
        chosen = wish.level == "none"
        return replace(NO_BOX, reason=CHOSEN if chosen else means.reason)
    its_home = Path(env.get("HOME") or Path.home())
    homes = dict.fromkeys((Path.home(), its_home))
    outside = _without(env, str(home.root), str(worktree))
    found = (
        *(t for one in homes for t in toolchains(one, outside)),
        *_interpreters(home, worktree),
    )
    asked = (*places.read, *expanded(wish.read), str(own / "attachments"))
    socket = env.get("SSH_AUTH_SOCK", "")
    return Box(
        level=held.level,
        by=held.by,
        program=means.program,
        reason=held.reason,
        worktree=str(worktree),
        scratch=str(own / "tmp"),
        home=str(its_home),
        private_home=str(own / "box" / "home"),
        read=tuple(dict.fromkeys((*found, *asked))),
        write=(*places.write, *expanded(wish.write), str(own / "landing"), *filter(None, [socket])),
        copied=layers_for(caches(Path.home()), own / "box" / "layers" / use),
        kept=places.kept,
        hidden=(str(home.root), str(home.run)),
        network=held.network,
        hosts=wish.hosts,
        outward=_ports(env),
        memory_mb=terms.limits.memory_mb,
        processes=terms.limits.processes,
        cores=terms.limits.cores,
        group=_group(own.name) if means.limits == "cgroup" else "",
    )


def _ports(env: Mapping[str, str]) -> tuple[int, ...]:
    """The session's own."""
    named = (v for k, v in env.items() if k == "PORT" or k.startswith("MANYHANDS_PORT_"))
    return tuple(dict.fromkeys(int(value) for value in named if value.isdecimal()))


def mirror_of(home: Home, repo: Path) -> Path:
    return home.mirrors / hashlib.sha256(os.fsencode(repo)).hexdigest()[:16]


def _group(owner: str) -> str:
    parent = find_parent()
    return str(parent / f"manyhands-{owner}") if parent else ""


def expanded(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(str(Path(path).expanduser()) for path in paths)


def _without(env: Mapping[str, str], *tops: str) -> dict[str, str]:
    """Programs there are the session's own, and their links lead wherever it wants."""
    entries = env.get("PATH", "").split(os.pathsep)
    return {**env, "PATH": os.pathsep.join(e for e in entries if not is_in(e, *tops))}


def _interpreters(home: Home, worktree: Path) -> list[str]:
    """Whoever works there may have led these links anywhere: only what is an installation of
    Python is taken, and none of another session's."""
    programs = (worktree / name for name in INTERPRETERS)
    links = (str(program) for program in programs if program.is_symlink())
    places = [place for link in links for place in program_places(link, Path.home())]
    return [p for p in places if _is_python(Path(p)) and not is_in(p, os.fspath(home.root))]


def _is_python(place: Path) -> bool:
    return all(any(place.glob(part)) for part in ("bin/python3*", "lib/python3*/os.py")) or (
        (place / "pyvenv.cfg").is_file()
    )


def odd_places(env: Mapping[str, str]) -> list[str]:
    """What `PATH` names and no box has, as where it is the home itself or among its keys."""
    named = dict.fromkeys(filter(os.path.isabs, env.get("PATH", "").split(os.pathsep)))
    there = toolchains(Path.home(), env)
    return [
        entry
        for entry in named
        if Path(entry).is_dir() and not is_system(entry) and not is_in(entry, *there)
    ]


def make_ready(box: Box) -> None:
    """The directories that a box has for itself."""
    if box.level == "none":
        return
    for place in (box.scratch, *box.write):
        if place and not Path(place).exists():
            Path(place).mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in box.kept:
        _make_kept(Path(path))
    make_layers(box.copied)
    if box.home and not Path(box.private_home).exists():
        _make_home(box)
    if box.by == "bubblewrap":
        outline.unlink_home(box)
        for ground in Mounts.of(box).grounds:
            pave(ground)
    else:
        outline.link_home(box)
    if box.group:
        make_group(Path(box.group).parent, Path(box.group).name, box)


def _make_kept(path: Path) -> None:
    """What is not there could be made, by whoever writes beside it."""
    with contextlib.suppress(OSError):
        if os.path.lexists(path) or not path.parent.is_dir():
            return
        if path.suffix:
            with path.open("x", encoding="utf-8") as file:
                file.write(EMPTY.get(path.suffix, ""))
        else:
            path.mkdir(mode=0o700)


def _make_home(box: Box) -> None:
    """Once, and before anything ran in it: later, a link in it could lead us anywhere."""
    own = Path(box.private_home)
    own.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix="home-", dir=own.parent))
    for link, target in links_to(box.read).items():
        if Path(link).is_relative_to(box.home) and link != box.home:
            copy = fresh / os.path.relpath(link, box.home)
            copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            copy.symlink_to(target)
    for name in CLEANED:
        _bring_settings(Path(box.home, name), fresh / name)
    with contextlib.suppress(OSError):  # another was quicker
        fresh.rename(own)


def _bring_settings(theirs: Path, copy: Path) -> None:
    """Without the lines that hold keys."""
    if theirs.is_file() and theirs.stat().st_size < LARGEST_SETTINGS:
        lines = theirs.read_text("utf-8", "surrogateescape").splitlines(keepends=True)
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = "".join(line for line in lines if not _HOLDS_KEY.search(line))
        copy.write_text(kept, "utf-8", "surrogateescape")
