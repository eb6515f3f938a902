"""What a user's config says of boxes."""

from __future__ import annotations

from typing import Annotated

import msgspec

from manyhands.model.box import BoxLevel, BoxLimits, BoxWish, Network

BoxHost = Annotated[
    str, msgspec.Meta(pattern=r"^(\*\.)?([A-Za-z0-9_-]+\.)*[A-Za-z0-9_-]+(:[0-9]{1,5})?$")
]
BoxPath = Annotated[str, msgspec.Meta(pattern=r"^(/|~/)[^\x00-\x1f]*$", max_length=4096)]


class BoxConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """In what everything runs that an agent or a repository starts, where neither the session nor
    its repository says otherwise."""

    level: BoxLevel = "full"
    """Everything is confined, only files are, or nothing is."""
    network: Network = "open"
    """What can be reached from a full box: everything, listed hosts, or nothing."""
    hosts: tuple[BoxHost, ...] = ()
    """For a listed network, beyond the model, the registries and the forge: names, or *.names."""
    read: tuple[BoxPath, ...] = ()
    """Places that can be read in the box beyond those found by themselves."""
    write: tuple[BoxPath, ...] = ()
    """Places that can be changed from within the box."""
    memory_mb: Annotated[int, msgspec.Meta(ge=0)] = 0
    """How much memory one session may use; 0: no limit."""
    processes: Annotated[int, msgspec.Meta(ge=0)] = 4096
    """How many processes one session may have; 0: no limit."""
    cores: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """How many processor cores one session may use; 0: no limit."""

    @property
    def limits(self) -> BoxLimits:
        return BoxLimits(self.memory_mb, self.processes, self.cores)

    @property
    def wish(self) -> BoxWish:
        return BoxWish(
            level=self.level,
            network=self.network,
            hosts=self.hosts,
            read=self.read,
            write=self.write,
        )
