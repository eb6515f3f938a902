"""Pictures of previews."""

from __future__ import annotations

from typing import Annotated

import msgspec

Side = Annotated[int, msgspec.Meta(ge=100, le=4000)]


class Shooting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    service: str = ""
    """The first one, where none is named."""
    path: str = "/"
    width: Side = 1280
    height: Side = 800
    wait: Annotated[float, msgspec.Meta(ge=0, le=30)] = 0.0
    """Seconds beyond the moment when the network is quiet; for what a timer shows."""


class PictureView(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    """The file."""
    picture: str
    service: str
    url: str
    """Where the page was in the end."""
    status: int
    width: int
    height: int
    problems: tuple[str, ...] = ()
    quiet: bool = True
    """Whether all was loaded when it was taken."""
