"""The box where user namespaces are forbidden: what a program may touch, by Landlock.

Also a stand-alone script of the standard library only, which takes the rights away from itself
and becomes the program: `landlock.py [--read P]… [--write P]… [--tcp [--connect N]… [--bind N]…]
[--cwd P] -- COMMAND…`, or `landlock.py --scoped -- COMMAND…`, which closes nothing but abstract
Unix sockets. If it cannot, nothing is run. Rules belong to files as they are at the
start, symbolic links followed; what is not there is passed over.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys

TYPE_CHECKING = False
"""As the one of `typing`, which takes as long to import as all else here."""
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import NoReturn

    from manyhands.model.box import Box

LEAST = 2
"""Before it, no file could be moved from one directory to another."""
STAYS_OPEN = (
    "Unix sockets that are known by their path",
    "UDP and what else is not TCP",
    "the permissions, times and attributes of files, where they can be seen by name",
    "the names and sizes of files, where their path is known",
    "shared memory in /dev/shm",
    "what is read-only inside of what can be written, as parts of an agent's own configuration",
)
"""What no Landlock holds, so far."""
_OPEN_BEFORE = {
    3: "the truncation of files",
    4: "TCP",
    5: "commands to devices",
    6: "signals to other programs of the user, and abstract Unix sockets",
}
FAILED = 125

CREATE, ADD, RESTRICT = 444, 445, 446
VERSION = 1
PATH_RULE, PORT_RULE = 1, 2
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
READING = EXECUTE | READ_FILE | READ_DIR
FOR_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
RIGHTS = {1: REFER - 1, 2: 2 * REFER - 1, 3: 2 * TRUNCATE - 1, 4: 2 * TRUNCATE - 1}
BIND_TCP, CONNECT_TCP = 1, 2
ABSTRACT, SIGNALS = 1, 2
SCOPES, SCOPED_SINCE = ABSTRACT | SIGNALS, 6
DEVICES_MADE = 1 << 6 | 1 << 11
"""Nobody in a box makes a device: it would be a way to all files at once."""
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
KEPT_OF_ROOT = {0, 1, 3, 4, 5, 6, 7, 8, 10, 29, 31}
"""Owners, permissions, signals, identities and low ports. The others reach around any rule: into
other processes, raw devices, files by their number, the kernel."""
LAST_CAPABILITY = 63
O_PATH = 0o10000000


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


class _PortRule(ctypes.Structure):
    _fields_ = (("allowed", ctypes.c_uint64), ("port", ctypes.c_uint64))


def abi() -> int:
    """What the kernel's Landlock can do; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    found: int = _libc().syscall(CREATE, None, ctypes.c_size_t(0), VERSION)
    return max(0, found)


def stays_open(version: int) -> tuple[str, ...]:
    """What this Landlock leaves open, for a person to know."""
    return (*STAYS_OPEN, *(what for since, what in _OPEN_BEFORE.items() if version < since))


def confined(box: Box, argv: Sequence[str], *, cwd: Path) -> list[str]:
    """The command with the rights that the box gives it."""
    return [*_rules(box), "--cwd", os.fspath(cwd), "--", *argv]


def scoped() -> list[str]:
    """The words before a command that may mount, and reaches no abstract Unix socket of others: a
    network of one's own closes them too, but not everybody has one."""
    return [sys.executable, "-IS", __file__, "--scoped", "--"] if abi() >= SCOPED_SINCE else []


def prefix(box: Box) -> list[str]:
    """The words before a command, which starts in the directory that it is started in."""
    return [*_rules(box), "--"]


def _rules(box: Box) -> list[str]:
    from manyhands.box import outline

    words = [sys.executable, "-IS", __file__]
    for path in outline.readable(box):
        words += ["--read", path]
    for path in outline.writable(box):
        words += ["--write", path]
    if box.network != "open":
        # Of an address Landlock knows the port alone, so this holds for the loopback too.
        words.append("--tcp")
        for port in (*box.inward, *box.outward):
            words += ["--connect", str(port)]
        for port in box.outward:
            words += ["--bind", str(port)]
    return words


def main(words: Sequence[str]) -> NoReturn:
    options, command = _read(words)
    os.get_exec_path()  # imports what it needs, which may not be readable any more later
    if cwd := options.get("--cwd"):
        os.chdir(cwd[-1])
    try:
        restrict_sockets() if "--scoped" in options else restrict(
            read=options.get("--read", []),
            write=options.get("--write", []),
            connect=[int(port) for port in options.get("--connect", [])],
            bind=[int(port) for port in options.get("--bind", [])],
            tcp="--tcp" in options,
        )
    except OSError as error:
        _fail(f"the box cannot be closed by Landlock, so nothing was run: {error}")
    try:
        os.execvp(command[0], command)
    except OSError as error:
        _fail(f"cannot run {command[0]}: {error.strerror}")


def restrict(
    *,
    read: Sequence[str],
    write: Sequence[str],
    connect: Sequence[int] = (),
    bind: Sequence[int] = (),
    tcp: bool = False,
) -> None:
    """Take all else away from this process and what it starts, for ever."""
    version = abi()
    if version < LEAST:
        raise OSError(f"this kernel has version {version} of it, and {LEAST} is the least")
    libc, files = _libc(), RIGHTS.get(version, 2 * IOCTL_DEV - 1)
    net = BIND_TCP | CONNECT_TCP if tcp and version >= 4 else 0
    asked = _Ruleset(files, net, SCOPES if version >= SCOPED_SINCE else 0)
    # Older ones take a shorter description, and a longer one only where the rest is zero.
    size = ctypes.c_size_t(8 if version < 4 else 16 if version < 6 else 24)
    ruleset = _checked(libc.syscall(CREATE, ctypes.byref(asked), size, 0), "create")
    for path, rights in [
        *((p, READING) for p in read),
        *((p, files & ~DEVICES_MADE) for p in write),
    ]:
        _allow(ruleset, path, rights & files)
    for right, ports in ((CONNECT_TCP, connect), (BIND_TCP, bind)):
        for port in ports if net else ():
            rule = _PortRule(right, port)
            done = libc.syscall(ADD, ruleset, PORT_RULE, ctypes.byref(rule), 0)
            _checked(done, f"allow port {port}")
    if os.geteuid() == 0:
        _give_up_capabilities(libc)
    _checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "give up privileges")
    _checked(libc.syscall(RESTRICT, ruleset, 0), "restrict")
    os.close(ruleset)


def restrict_sockets() -> None:
    """With no rule about files, mounting is still allowed, as bubblewrap must."""
    libc, asked = _libc(), _Ruleset(0, 0, ABSTRACT)
    made = libc.syscall(CREATE, ctypes.byref(asked), ctypes.c_size_t(24), 0)
    ruleset = _checked(made, "create")
    _checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "give up privileges")
    _checked(libc.syscall(RESTRICT, ruleset, 0), "restrict")
    os.close(ruleset)


def _give_up_capabilities(libc: ctypes.CDLL) -> None:
    """What root is at most after the next program was started."""
    for number in range(LAST_CAPABILITY + 1):
        if number not in KEPT_OF_ROOT:
            libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)  # the kernel has fewer than these


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        opened = os.open(path, O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # not there, or not to be reached in any case
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= FOR_FILES
        rule = _PathRule(rights, opened)
        done = _libc().syscall(ADD, ruleset, PATH_RULE, ctypes.byref(rule), 0)
        _checked(done, f"allow {path}")
    finally:
        os.close(opened)


def _read(words: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    options: dict[str, list[str]] = {}
    rest: Iterator[str] = iter(words)
    for word in rest:
        if word == "--":
            break
        found = options.setdefault(word, [])
        if word not in ("--tcp", "--scoped"):
            found.append(next(rest))
    command = list(rest)
    if not command:
        _fail("no command was given")
    return options, command


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _fail(reason: str) -> NoReturn:
    sys.stderr.write(reason + "\n")
    sys.exit(FAILED)


if __name__ == "__main__":
    main(sys.argv[1:])
