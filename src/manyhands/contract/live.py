"""What the page and the hub say to each other over the socket of events.

The page says which topics it follows, each from which number on; the hub tells what is new of
each. Text frames are JSON: `Wishes` go up, arrays of `Piece` come down. Topics are:

- `fleet`: the view of every session, after each change; with it the news, events of few types
  that a page minds whichever sessions it shows.
- `session/ID`: a session's events and live frames, from its first event on.
- `glance/ID`: the same, from the last events only.

What is told first of a topic `begins` it: the fleet's views are then all there are, and a
session's stored events follow, marked as `past`, until a piece that is not. Binary frames carry
the bytes of a topic: the length of its name in one byte, the name in UTF-8, the bytes.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from manyhands.contract.sessions import SessionView
from manyhands.model.ids import SessionId

# Why the hub closed the socket: the token is void, it forbids that,
# nothing is called so, the reader fell behind.
REVOKED = 4001
FORBIDDEN = 4003
UNKNOWN = 4004
TOO_SLOW = 4008
MOST_TOPICS = 200
After = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Topics = Annotated[dict[str, After], msgspec.Meta(max_length=MOST_TOPICS)]


class Wishes(msgspec.Struct, omit_defaults=True):
    """From the page, each as a whole: what is not given stays as it is."""

    look: list[str] | msgspec.UnsetType = msgspec.UNSET
    """The sessions on the screen."""
    topics: Topics | msgspec.UnsetType = msgspec.UNSET
    """With the number up to which each is known; it counts only for one not followed yet."""


class Piece(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """From the hub: a piece of a topic."""

    topic: str
    begins: bool = False
    past: bool = False
    upto: int = 0
    """Of the fleet: up to where in the log it is told."""
    views: tuple[SessionView, ...] = ()
    gone: tuple[SessionId, ...] = ()
    """Sessions that were removed for good."""
    problem: str = ""
    """Of the fleet: why nothing can be stored, and agents are held."""
    frames: tuple[msgspec.Raw, ...] = ()
    """Events and live frames, in order."""


def pack(topic: str, payload: bytes) -> bytes:
    """A binary frame."""
    name = topic.encode()
    return bytes((len(name),)) + name + payload


def unpack(frame: bytes) -> tuple[str, bytes]:
    start = 1 + frame[0]
    return frame[1:start].decode(), frame[start:]
