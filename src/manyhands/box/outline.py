"""A box's files where nothing can be bound: what is readable and writable, and a home of links.

A box of bubblewrap sees its scratch as /tmp and its private home as the user's. Elsewhere paths
are what they are, so variables lead there, and links in the private home lead back to what is
shared of the user's: toolchains to read, the agent's own configuration to write.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

from manyhands.box import bubblewrap
from manyhands.box.toolchains import SECRET, SYSTEM
from manyhands.model.box import Box

FOUND_TOO = (
    *("/proc", "/sys", "/dev", "/run/wrappers"),
    # Where the names of hosts are looked up.
    *("/run/systemd/resolve", "/run/NetworkManager", "/run/resolvconf", "/run/nscd"),
)
DEVICES = (
    *("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"),
    *("/dev/ptmx", "/dev/pts", "/dev/shm"),
)
LEADING_OUT = {"DBUS_SESSION_BUS_ADDRESS": "disabled:", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
"""What leads to sockets outside, and what it says instead."""
BELOW_HOME = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
GIT_SETTINGS = (".gitconfig", "config")
INCLUDED = re.compile(r'^\s*path\s*=\s*"?([^"\n]+?)"?\s*$', re.MULTILINE | re.IGNORECASE)
MOST_INCLUDES = 50
JAVA = ("MAVEN_OPTS", "GRADLE_OPTS")


def readable(box: Box) -> list[str]:
    hidden = _hidden(box)
    system = (*SYSTEM, *bubblewrap.FOUND_TOO, *FOUND_TOO)
    own = (*box.read, *git_includes(box), *box.objects, bin_directory(box))
    found = [p for root in system for p in _around(root, hidden | {os.path.realpath(box.home)})]
    return list(dict.fromkeys((*found, *(p for root in _real(own) for p in _around(root, hidden)))))


def writable(box: Box) -> list[str]:
    own = (box.worktree, box.scratch, box.private_home, box.twin, *box.write)
    return [*_real(own), *DEVICES]


def bin_directory(box: Box) -> str:
    """Where the session's own programs are, which come first on its PATH."""
    return os.fspath(Path(box.twin).parent / "bin") if box.twin else ""


def git_includes(box: Box) -> list[str]:
    """What the user's git settings include: git ends where it sees such a file and cannot read it,
    as it would here."""
    found: list[str] = []
    left = [Path(path) for path in box.read if Path(path).name in GIT_SETTINGS]
    while left and len(found) < MOST_INCLUDES:
        file = left.pop()
        with contextlib.suppress(OSError, ValueError):
            for name in INCLUDED.findall(file.read_text("utf-8")):
                path = Path(name.replace("~", box.home, 1) if name.startswith("~/") else name)
                path = file.parent / path
                if path.is_file() and str(path) not in found:
                    found.append(str(path))
                    left.append(path)
    return found


def environment(box: Box, env: Mapping[str, str]) -> dict[str, str]:
    """The environment, leading to the scratch, the private home and the session's programs."""
    return {**env, **variables(box, env)}


def variables(box: Box, env: Mapping[str, str]) -> dict[str, str]:
    """What it takes for that, on top of the environment."""
    found = {name: value for name, value in LEADING_OUT.items() if name in env}
    if box.scratch:
        # Claude Code has its own word for it, and uses /tmp without.
        names = ("TMPDIR", "TMP", "TEMP", "XDG_RUNTIME_DIR", "CLAUDE_CODE_TMPDIR")
        found.update(dict.fromkeys(names, box.scratch))
    if programs := bin_directory(box):
        others = (p for p in env.get("PATH", os.defpath).split(os.pathsep) if p != programs)
        found["PATH"] = os.pathsep.join((programs, *others))
    if not box.private_home or not box.home:
        return found
    found["HOME"] = box.private_home
    for name in BELOW_HOME:
        given = Path(env.get(name, ""))
        if given.is_relative_to(box.home):
            found[name] = str(Path(box.private_home, given.relative_to(box.home)))
    for name in JAVA:
        # Java asks the table of users for its home, not the environment.
        word = f"-Duser.home={box.private_home}"
        found[name] = (
            env[name] if word in env.get(name, "") else f"{env.get(name, '')} {word}".strip()
        )
    return found


def link_home(box: Box) -> None:
    """Lead from the private home to what is shared of the user's; what is there already stays."""
    linked: list[Path] = []
    for path in _below_home(box):
        if any(path.is_relative_to(other) for other in linked):
            continue
        linked.append(path)
        with contextlib.suppress(OSError), _private_place(box, path) as place:
            _clear_mount_point(path.name, place)
            os.symlink(path, path.name, dir_fd=place)


def unlink_home(box: Box) -> None:
    """Take the links away: where they are, nothing can be bound."""
    for path in _below_home(box):
        with contextlib.suppress(OSError), _private_place(box, path) as place:
            if os.readlink(path.name, dir_fd=place) == os.fspath(path):
                os.unlink(path.name, dir_fd=place)


def _below_home(box: Box) -> list[Path]:
    if not box.private_home or not box.home:
        return []
    home = Path(box.home)
    listed = {Path(path) for path in (*box.read, *box.write, *git_includes(box))} - {home}
    return sorted(p for p in listed if p.is_relative_to(home) and os.path.lexists(p))


@contextlib.contextmanager
def _private_place(box: Box, path: Path) -> Iterator[int]:
    """The directory in the private home that stands for the one of the path, open.

    The agent may have put links into its home, so each step is taken without following any.
    """
    Path(box.private_home).mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    opened = os.open(box.private_home, flags)
    try:
        for name in path.parent.relative_to(box.home).parts:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=opened)
            inner = os.open(name, flags, dir_fd=opened)
            os.close(opened)
            opened = inner
        yield opened
    finally:
        os.close(opened)


def _clear_mount_point(name: str, place: int) -> None:
    """What a box of the other kind left there is empty, and in the way."""
    with contextlib.suppress(OSError):
        found = os.stat(name, dir_fd=place, follow_symlinks=False)
        if stat.S_ISDIR(found.st_mode):
            os.rmdir(name, dir_fd=place)
        elif stat.S_ISREG(found.st_mode) and found.st_size == 0:
            os.unlink(name, dir_fd=place)


def _real(paths: Iterable[str]) -> list[str]:
    return [os.path.realpath(path) for path in dict.fromkeys(paths) if path]


def _hidden(box: Box) -> set[str]:
    """What must not be seen though it lies below something that is."""
    keys = map(str, Path("/etc/ssh").glob("*_key"))
    masked = {path for path in (*bubblewrap.MASKED, *keys) if os.access(path, os.R_OK)}
    secret = (str(Path(box.home, name)) for name in SECRET) if box.home else ()
    return {*_real((*box.hidden, *secret)), *masked}


def _around(root: str, hidden: Set[str]) -> Iterator[str]:
    """The path, or what covers it but for what is hidden: rights cannot be taken away below where
    they were given. Links are left out, as a right to one is a right to where it leads."""
    if not any(path.startswith(f"{root.rstrip('/')}/") for path in hidden):
        yield root
        return
    with contextlib.suppress(OSError), os.scandir(root) as entries:
        for entry in entries:
            if entry.path not in hidden and not entry.is_symlink():
                yield from _around(entry.path, hidden)
