"""The box in plain values: what is wished for, what a machine can do, and one session's own."""

from __future__ import annotations

from typing import Literal

import msgspec

BoxLevel = Literal["full", "files", "none"]
Network = Literal["open", "listed", "none"]
BoxMeans = Literal["bubblewrap", "landlock", "seatbelt", ""]
LimitMeans = Literal["cgroup", "rlimit", ""]


class BoxWish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a config, a repository or a person asks for; what is None is left to the next in line:
    the session's own comes before the repository's, that before the user's."""

    level: BoxLevel | None = None
    network: Network | None = None
    hosts: tuple[str, ...] = ()
    """Beyond the model, the registries and the forge, for a `listed` network."""
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    """Paths that are there beyond what is found by itself; `~` is the user's home."""

    def over(self, other: BoxWish) -> BoxWish:
        """This one's word first; what is listed adds up."""
        return BoxWish(
            level=self.level or other.level,
            network=self.network or other.network,
            hosts=tuple(dict.fromkeys((*self.hosts, *other.hosts))),
            read=tuple(dict.fromkeys((*self.read, *other.read))),
            write=tuple(dict.fromkeys((*self.write, *other.write))),
        )


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """What a machine can do, as tried."""

    level: BoxLevel = "none"
    by: BoxMeans = ""
    program: str = ""
    reason: str = ""
    """Why it is not more."""
    fix: str = ""
    """What would make it so."""
    limits: LimitMeans = ""


class BoxLimits(msgspec.Struct, frozen=True):
    """What one session may use up; 0 is no limit."""

    memory_mb: int = 0
    processes: int = 0
    cores: float = 0.0


class BoxTerms(msgspec.Struct, frozen=True):
    """What is wished for, and what the machine can do; without either there is no box."""

    wish: BoxWish = BoxWish(level="none")
    means: Means = Means()
    limits: BoxLimits = BoxLimits()
    remotes: tuple[str, ...] = ()
    """Addresses of the repository's, which can be reached in it."""


class Box(msgspec.Struct, frozen=True, kw_only=True):
    """One session's box, whole. Without a level there is none, and everything runs as it is."""

    level: BoxLevel = "none"
    by: BoxMeans = ""
    program: str = ""
    reason: str = ""
    """Why it is not more than it is."""
    worktree: str = ""
    scratch: str = ""
    """Seen as /tmp."""
    home: str = ""
    """The user's own, whose place the private one takes."""
    private_home: str = ""
    twin: str = ""
    """The git directory that everything in the box works with."""
    link: str = ""
    """The file that is seen as the worktree's `.git`, and leads to the twin."""
    mirror: str = ""
    """What answers for the remotes, whom nobody in the box could ask."""
    objects: tuple[str, ...] = ()
    """Where the twin borrows from."""
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    copied: tuple[tuple[str, str], ...] = ()
    """Caches, and where a box keeps what it writes to each."""
    kept: tuple[str, ...] = ()
    """Of what can be written, what can only be read."""
    hidden: tuple[str, ...] = ()
    """What is not there even below what is: the hub's own, other worktrees."""
    network: Network = "open"
    hosts: tuple[str, ...] = ()
    inward: tuple[int, ...] = ()
    """Ports of the host's loopback that are carried in: a model, a database."""
    outward: tuple[int, ...] = ()
    """The session's own ports, carried out."""
    memory_mb: int = 0
    processes: int = 0
    cores: float = 0.0
    """No limit where they are 0."""
    group: str = ""
    """The control group that holds them, where the machine lets us have some."""


NO_BOX = Box()
