"""The box on macOS: a profile for `sandbox-exec`, by the same policy.

Of several rules that fit the last one holds, so what is hidden is denied after what is readable,
and what is the session's own is allowed after that. Paths are named as they really are. Seatbelt
knows addresses only as `localhost` and `*`: whoever may reach listed hosts asks a proxy for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from manyhands.box import outline
from manyhands.box.toolchains import SECRET
from manyhands.model.box import Box

PROGRAM = "/usr/bin/sandbox-exec"
SYSTEM = (
    *("/System", "/Library", "/Applications", "/usr", "/bin", "/sbin", "/opt", "/nix", "/dev"),
    *("/private/etc", "/private/var/db", "/private/var/select"),
)
RESOLVER = ("/private/var/run/mDNSResponder", "/private/var/run/resolv.conf")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx")
SERVICES = (
    "com.apple.SecurityServer",
    "com.apple.bsd.dirhelper",
    "com.apple.coreservices.launchservicesd",
    "com.apple.distributed_notifications@Uv3",
    "com.apple.fonts",
    "com.apple.logd",
    "com.apple.lsd.mapdb",
    "com.apple.securityd.xpc",
    "com.apple.system.logger",
    "com.apple.system.notification_center",
    "com.apple.system.opendirectoryd.libinfo",
    "com.apple.system.opendirectoryd.membership",
    "com.apple.trustd.agent",
)
"""What programs ask of the system to start, to know users and to trust certificates."""
PLAIN = (
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork)",
    "(allow process-info* signal mach-priv-task-port (target same-sandbox))",
    "(allow sysctl-read user-preference-read iokit-get-properties)",
    "(allow ipc-posix-shm ipc-posix-sem)",
    "(allow pseudo-tty)",
    "(allow system-socket)",
    # Without it no path could be followed, nor a program be mapped.
    "(allow file-read-metadata file-map-executable)",
    '(allow file-read* (literal "/"))',
)
TERMINALS = r'(regex #"^/dev/ttys[0-9]+$")'


def confined(box: Box, argv: Sequence[str], *, cwd: Path) -> list[str]:
    """The command in its box. It starts in the directory that it is started in, as a profile has
    no word for that: `cwd` must be it."""
    del cwd
    return [*prefix(box), *argv]


def prefix(box: Box) -> list[str]:
    """The words before a command."""
    return [box.program or PROGRAM, "-p", profile(box)]


def profile(box: Box) -> str:
    return "\n".join((*PLAIN, *_services(), *_files(box), *_network(box))) + "\n"


def quoted(text: str) -> str:
    """A string of the profile's language, which nothing in the text can end."""
    return '"' + "".join(_CHARACTERS.get(character, character) for character in text) + '"'


_CHARACTERS = {
    **{chr(number): f"\\x{number:02x}" for number in (*range(32), 127)},
    '"': '\\"',
    "\\": "\\\\",
}


def _services() -> Iterator[str]:
    yield _rule("allow mach-lookup", (f"(global-name {quoted(name)})" for name in SERVICES))


def _files(box: Box) -> Iterator[str]:
    hidden = [os.path.realpath(path) for path in (*box.hidden, *_secrets(box))]
    reads = _real((*box.read, *outline.git_includes(box), *box.objects, outline.bin_directory(box)))
    own = _real((box.worktree, box.scratch, box.private_home, box.twin, *box.write))
    yield _rule("allow file-read*", _below((*SYSTEM, *reads)))
    yield _rule("allow file-read*", _exactly(RESOLVER))
    if hidden:
        yield _rule("deny file-read*", _below(hidden))
        inside = [path for path in reads if any(_is_below(path, other) for other in hidden)]
        if inside:
            yield _rule("allow file-read*", _below(inside))
    yield _rule("allow file-read* file-write*", _below(own))
    yield _rule("allow file-read* file-write-data file-ioctl", (*_exactly(DEVICES), TERMINALS))
    yield from _kept(box, own)


def _kept(box: Box, own: Sequence[str]) -> Iterator[str]:
    """What is read-only inside of what can be written; nor can the way to it be moved."""
    link = [str(Path(box.worktree, ".git"))] if box.worktree and box.twin else []
    kept = _real((*box.kept, *box.objects, *link))
    if not kept:
        return
    yield _rule("deny file-write*", _below(kept))
    above = {str(parent) for path in kept for parent in Path(path).parents}
    way = [path for path in above if any(_is_below(path, place) for place in own)]
    if way:
        yield _rule("deny file-write-unlink", _exactly(sorted(way)))


def _network(box: Box) -> Iterator[str]:
    if box.network == "open":
        yield "(allow network*)"
        # A socket in the file system may be anybody's: Docker's, an agent's with keys.
        yield "(deny network-outbound (remote unix-socket))"
    else:
        yield from (
            _port("network-outbound", "remote", port) for port in (*box.inward, *box.outward)
        )
        yield from (_port("network-bind", "local", port) for port in box.outward)
        yield from (_port("network-inbound", "local", port) for port in box.outward)
    places = _real((box.worktree, box.scratch, box.private_home, *box.write))
    sockets = [f"(remote unix-socket (subpath {quoted(path)}))" for path in places]
    if box.network == "open":
        sockets.append(f"(remote unix-socket (path-literal {quoted(RESOLVER[0])}))")
    yield _rule("allow network-outbound", sockets)
    listening = (f"(local unix-socket (subpath {quoted(path)}))" for path in places)
    yield _rule("allow network-bind network-inbound", listening)


def _port(operation: str, side: str, port: int) -> str:
    return f'(allow {operation} ({side} ip "localhost:{port}"))'


def _rule(head: str, filters: Iterable[str]) -> str:
    """Without a filter it would hold for everything, so there is none then."""
    lines = [f"  {line}" for line in filters]
    return "\n".join((f"({head}", *lines)) + ")" if lines else f"; nothing to {head}"


def _below(paths: Iterable[str]) -> Iterator[str]:
    return (f"(subpath {quoted(path)})" for path in paths)


def _exactly(paths: Iterable[str]) -> Iterator[str]:
    return (f"(literal {quoted(path)})" for path in paths)


def _real(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(os.path.realpath(path) for path in paths if path))


def _is_below(path: str, other: str) -> bool:
    return Path(path).is_relative_to(other)


def _secrets(box: Box) -> list[str]:
    return [str(Path(box.home, name)) for name in SECRET] if box.home else []
