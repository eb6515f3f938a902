"""Where a home's hub listens, and the token that opens it."""

from __future__ import annotations

import msgspec

from manyhands.config import Home
from manyhands.contract.hub import HubAddress
from manyhands.errors import HubDown, NotTrusted
from manyhands.process.identity import Identity, alive


def require_address(home: Home) -> HubAddress:
    """Of that very process: who has taken its port since must not get our token."""
    try:
        address = msgspec.json.decode(home.hub_file.read_bytes(), type=HubAddress)
    except (OSError, msgspec.DecodeError):
        raise hub_down(home) from None
    if not alive(Identity(address.pid, address.started)):
        raise hub_down(home)
    return address


def require_token(home: Home) -> str:
    try:
        return home.token.read_text("ascii").strip()
    except FileNotFoundError:
        raise hub_down(home) from None
    except (OSError, UnicodeDecodeError) as error:
        raise NotTrusted(
            f"the token {home.token} cannot be read: {error}",
            hint="it belongs to the user who started the hub",
        ) from error


def hub_down(home: Home, why: str = "") -> HubDown:
    detail = f": {why}" if why else ""
    return HubDown(f"no hub answers for {home.root}{detail}", hint="start it: manyhands up")
