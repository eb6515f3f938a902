"""A service as it is to be run: what a repository's config says of it, or what was found there."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

ServiceName = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]([a-z0-9_-]{0,28}[a-z0-9])?$")]
"""It is a part of an address, and the name of a file."""
Restart = Literal["never", "on-failure", "always"]
HEALTHY_SECONDS = 60.0
"""How long a service may take until it answers, unless it says otherwise."""


class ServiceSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    command: str
    port_name: str = ""
    port: int = 0
    """The session's own, which it is told to listen on; 0 for none."""
    health: str = ""
    """A path to ask by HTTP; empty: it is well once its port takes connections, or, without one, as
    long as it runs."""
    within: float = HEALTHY_SECONDS
    autostart: bool = False
    depends_on: tuple[str, ...] = ()
    restart: Restart = "never"
    origin: str = "config"
    """Where it was found: "config", or the file that speaks of it."""

    @property
    def variables(self) -> dict[str, str]:
        """On top of the session's own, which name all of its ports."""
        return {"PORT": str(self.port)} if self.port else {}
