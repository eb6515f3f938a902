"""A box by bubblewrap: an own view of the file system, own processes, and no way up.

Nothing is there but what is named. The system is read-only, the home is the session's own with
toolchains and the agent's config in it, and git finds the twin in the place of the repository. A
path that leads over links is there under its real name, and the links are there too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from manyhands.box import copying
from manyhands.box.grounds import Ground, grounds, lies_in, views
from manyhands.box.nesting import by_depth, is_in, links_to, real
from manyhands.box.toolchains import SECRET, SYSTEM
from manyhands.model.box import Box

NAMESPACES = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--disable-userns", "--cap-drop", "ALL", "--die-with-parent"),
)
OWN_NETWORK = "--unshare-net"
FOUND_TOO = (
    *("/gnu/store", "/run/current-system", "/run/opengl-driver", "/snap"),
    *("/var/lib/ca-certificates", "/var/lib/dpkg", "/var/cache/fontconfig"),
)
"""What systems keep elsewhere and programs read."""
MASKED = ("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers")
"""Readable to root, who has a box too."""
KERNELS = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi")
"""Settings of the kernel, which belong to root with or without capabilities; bubblewrap itself
covers only those directories that could be written to as such."""
NOT_THERE = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY")
"""What they lead to is outside."""


def prefix(box: Box, extra: Sequence[str] = ()) -> list[str]:
    """The words that put a command into its box; it starts in the directory that it is started in.

    `extra` are further options, such as descriptors to wait for."""
    return [
        *copying.around(box.copied),
        box.program,
        *NAMESPACES,
        *copying.inside(box.copied),
        *([] if box.network == "open" else [OWN_NETWORK]),
        *extra,
        *_system(),
        *("--tmpfs", "/run"),
        *_resolver(),
        *_places(box),
        *("--remount-ro", "/run", "--remount-ro", "/"),
        *(word for name in NOT_THERE for word in ("--unsetenv", name)),
        "--",
    ]


@cache
def _system() -> tuple[str, ...]:
    words: list[str] = []
    for path in (*SYSTEM, *FOUND_TOO):
        if Path(path).is_symlink():
            words += ("--symlink", str(Path(path).readlink()), path)
        elif Path(path).exists():
            words += ("--ro-bind", path, path)
    masked = (path for path in MASKED if os.access(path, os.R_OK))
    keys = (str(key) for key in Path("/etc/ssh").glob("*_key") if os.access(key, os.R_OK))
    for path in (*masked, *keys):
        words += ("--ro-bind", "/dev/null", path)
    words += ("--ro-bind", "/sys", "/sys", "--proc", "/proc", "--dev", "/dev")
    for path in KERNELS:
        words += ("--ro-bind-try", path, path)
    return tuple(words)


def _resolver() -> Iterator[str]:
    """Names are resolved by a file that often is a link into what is not there."""
    real = Path("/etc/resolv.conf").resolve()
    if real.is_relative_to("/run") and real.exists():
        yield from ("--ro-bind", str(real), str(real))


def _places(box: Box) -> Iterator[str]:
    plan = Mounts.of(box)
    for ground in plan.grounds:
        yield from views(ground)
    for path in plan.reads:
        yield from ("--ro-bind-try", path, path)
    yield from copying.views(box.copied)
    for path in plan.hidden:
        yield from ("--tmpfs", path)
    for path in plan.writes:
        yield from ("--bind-try", path, path)
    for path in plan.kept:
        yield from ("--ro-bind", path, path)
    if box.link:
        yield from ("--ro-bind", box.link, os.path.realpath(f"{box.worktree}/.git"))
    named = (box.home, *box.read, *box.write, *box.objects, box.worktree)
    for link, target in links_to(named).items():
        inside = is_in(link, *plan.reads, *plan.writes, *SYSTEM)
        if not inside and not any(lies_in(ground, link) for ground in plan.grounds):
            yield from ("--symlink", target, link)


@dataclass(frozen=True)
class Mounts:
    """Everything that a box has beside the system, by its real path, outer ones first."""

    reads: list[str]
    writes: list[str]
    kept: list[str]
    hidden: list[str]
    grounds: list[Ground]

    @classmethod
    def of(cls, box: Box) -> Mounts:
        reads, kept = real(box.read), by_depth((*_unlinked(box.kept), *real(box.objects)))
        writes = real((*box.write, box.scratch, box.twin, box.worktree))
        hidden = _hidden(box, reads)
        copied = [lower for lower, _ in box.copied]
        own = grounds(box, (*reads, *copied, *writes, *kept, *hidden))
        return cls(reads, writes, kept, hidden, own)


def _unlinked(paths: Iterable[str]) -> Iterator[str]:
    """Whoever writes beside these may have made one a link, which is then led nowhere."""
    for path in paths:
        above, name = os.path.split(path)
        there = os.path.join(os.path.realpath(above), name)
        if not os.path.islink(there):
            yield there


def _hidden(box: Box, reads: list[str]) -> list[str]:
    """What must not be seen though it lies below something that is."""
    home = os.path.realpath(box.home) if box.home else ""
    secret = [f"{home}/{name}" for name in SECRET] if home else []
    return [
        path
        for path in (*secret, *map(os.path.realpath, box.hidden))
        if path not in reads and is_in(path, *reads) and Path(path).is_dir()
    ]
