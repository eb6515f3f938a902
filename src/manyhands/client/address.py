"""Where a home's hub listens, and the token that opens it."""

from __future__ import annotations

import msgspec

from manyhands.config import Home
from manyhands.errors import HubDown, NotTrusted
from manyhands.process.identity import Identity, alive


class HubAddress(msgspec.Struct, frozen=True):
    """What the hub wrote about itself when it was ready; a crash leaves it behind."""

    url: str
    port: int
    pid: int
    started: int
    version: str = ""

    @property
    def is_running(self) -> bool:
        """Whether that very process lives; who has taken its port since must not get our token."""
        return alive(Identity(self.pid, self.started))


def known_address(home: Home) -> HubAddress | None:
    """The last hub's address, running or not."""
    try:
        return msgspec.json.decode(home.hub_file.read_bytes(), type=HubAddress)
    except (OSError, msgspec.DecodeError):
        return None


def require_address(home: Home) -> HubAddress:
    address = known_address(home)
    if address is None or not address.is_running:
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
