"""Where a home's hub listens, and the token that opens it.

Both lie in the home. Where one of them is missing or wrong while the hub runs, the hub is asked to
put it back, by a signal: whoever may send one is the user whose hub it is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

from manyhands.client.agent import own_session, session_that_runs
from manyhands.config import Home, variable
from manyhands.contract.hub import HubAddress
from manyhands.errors import HubDown, NotTrusted
from manyhands.model.clock import monotonic
from manyhands.process.holder import holds, load_holder
from manyhands.process.identity import Identity, alive, nudge

PUT_BACK_SECONDS = 10.0
_PAUSE = 0.02
T = TypeVar("T")


def require_address(home: Home) -> HubAddress:
    """Of that very process: who has taken its port since must not get our token."""
    found = _load_address(home) or put_back(home, lambda: _load_address(home))
    if found is None:
        raise hub_down(home)
    if session := session_that_runs(home.root, home.run, found.pid):
        raise NotTrusted(
            f"the hub that answers, process {found.pid}, was started by the agent of {session}",
            hint=f"end it and start your own: kill {found.pid}, then manyhands up",
        )
    return found


def _load_address(home: Home) -> HubAddress | None:
    try:
        address = msgspec.json.decode(home.hub_file.read_bytes(), type=HubAddress)
    except (OSError, msgspec.DecodeError):
        return None
    return address if alive(Identity(address.pid, address.started)) else None


def credentials(home: Home) -> dict[str, str]:
    """The headers that say who asks; an agent's process says so, and needs no person's token."""
    session = own_session(home)
    token = (variable("MANYHANDS_TOKEN") if session else "") or require_token(home)
    named = {"Manyhands-Session": session} if session else {}
    return {"Authorization": f"Bearer {token}", "Manyhands-Client": str(os.getpid()), **named}


def require_token(home: Home) -> str:
    found = _load_token(home) or put_back(home, lambda: _load_token(home))
    if found is None:
        raise NotTrusted(
            f"the token {home.token} is missing or cannot be read, and the hub did not put it back",
            hint=f"make {home.root} writable for yourself, then try again; see {home.logs}/hub.log",
        )
    return found


def _load_token(home: Home) -> str | None:
    try:
        return home.token.read_text("ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def renewed_token(home: Home, refused: Mapping[str, str]) -> bool:
    """The hub refused what the file held: whether it holds another one now."""
    old = refused["Authorization"].removeprefix("Bearer ")
    return bool(put_back(home, lambda: _load_token(home) not in (None, old) or None))


def put_back(home: Home, look: Callable[[], T | None]) -> T | None:
    """Have the running hub, if there is one, write what it should; what then is there."""
    hub = load_holder(home.hub_lock)
    if hub is None or not holds(hub.pid, home.hub_lock):
        return None
    nudge(hub)
    deadline = monotonic() + PUT_BACK_SECONDS
    while (found := look()) is None and monotonic() < deadline and alive(hub):
        time.sleep(_PAUSE)
    return found


def hub_down(home: Home, why: str = "") -> HubDown:
    detail = f": {why}" if why else ""
    return HubDown(f"no hub answers for {home.root}{detail}", hint="start it: manyhands up")
