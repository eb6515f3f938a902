"""Pictures of previews, and what is to be seen on them."""

from __future__ import annotations

from typing import Annotated

import msgspec

Edge = Annotated[int, msgspec.Meta(ge=0, le=4000)]
Side = Annotated[int, msgspec.Meta(ge=100, le=4000)]


class Shooting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    service: str = ""
    """The first one, where none is named."""
    path: str = "/"
    width: Side = 1280
    height: Side = 800
    wait: Annotated[float, msgspec.Meta(ge=0, le=30)] = 0.0
    """Seconds beyond the moment when the network is quiet; for what a timer shows."""
    at: tuple[Edge, Edge] | None = None
    """Where in the picture an element is wanted by itself, from the left and from the top."""


class ElementView(msgspec.Struct, frozen=True, kw_only=True):
    """Its box is what is seen of it, in pixels of the picture."""

    selector: str
    text: str
    """Its words, in short."""
    x: int
    y: int
    width: int
    height: int


class PictureElements(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be seen on a picture; nothing where the page did not tell."""

    elements: tuple[ElementView, ...] = ()


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
    element: ElementView | None = None
    """The one that was asked for, if there is one."""
    element_path: str = ""
    """A picture of it."""
