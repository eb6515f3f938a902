"""A session's box, and a machine's, as the outside sees it; and how a person chooses it."""

from __future__ import annotations

import msgspec

from manyhands.model.box import BoxLevel, BoxMeans, Network


class BoxDetail(msgspec.Struct, frozen=True, kw_only=True):
    """What holds around the agent that runs or ran last; before the first, what would."""

    level: BoxLevel
    by: BoxMeans
    network: Network
    wanted: BoxLevel
    wanted_network: Network
    """As the session, its repository or the user asks for it."""
    own: BoxLevel | None = None
    own_network: Network | None = None
    """The session's own choice; None: as the repository or the user has it."""
    reason: str = ""
    """Why it is not full, or not all that is wanted."""
    fix: str = ""
    """What would make it so."""
    promise: str = ""
    """What nothing in it can do, in words."""
    pending: bool = False
    """Something else was chosen, and holds from the next turn."""


NO_DETAIL = BoxDetail(level="none", by="", network="open", wanted="none", wanted_network="open")


class BoxChoice(msgspec.Struct, forbid_unknown_fields=True):
    """None: as the repository or the user has it; what is left out stays as it is."""

    level: BoxLevel | msgspec.UnsetType | None = msgspec.UNSET
    network: Network | msgspec.UnsetType | None = msgspec.UNSET


def box_words(box: BoxDetail) -> str:
    """One line: ``full (bubblewrap), network open``, or ``none: reason; what to do``."""
    level = f"{box.level} ({box.by})" if box.by else box.level
    network = f", network {box.network}" if box.level != "none" else ""
    why = "; ".join(filter(None, (box.reason, box.fix)))
    later = "; another was chosen, from the next turn" if box.pending else ""
    return f"{level}{network}{f': {why}' if why else ''}{later}"
