"""The ways by which a person is told when no page is open: services by apprise, or a command.

A channel never raises: it says whether the sentence went out, and if not, why, in words that hold
no address, since an address of a chat service is a secret.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import shutil
import sys
from collections.abc import Callable, Coroutine

import msgspec

from manyhands.agents.references import resolved
from manyhands.config import NotifyConfig
from manyhands.errors import ManyhandsError
from manyhands.model.events import NoticeKind
from manyhands.station.machine import tell

DESKTOP = {"linux": "dbus://", "darwin": "macosx://", "win32": "windows://"}
TITLE = "Manyhands"


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """What a user's own command gets on its standard input, as JSON."""

    kind: NoticeKind
    text: str
    session: str
    slug: str
    item: str = ""


Send = Callable[[Notice], Coroutine[None, None, str]]
"""The problem, or "" where the sentence went out."""


class Channel(msgspec.Struct, frozen=True):
    name: str
    send: Send


def channels(config: NotifyConfig) -> list[Channel]:
    found = [
        Channel(f"channels[{number}]", functools.partial(_by_apprise, address))
        for number, address in enumerate(config.channels)
    ]
    if config.desktop:
        found.append(Channel("desktop", _on_desktop))
    if config.command:
        found.append(Channel("command", functools.partial(_by_command, config.command)))
    return found


async def _by_apprise(address: str, notice: Notice) -> str:
    return await asyncio.to_thread(_notify, address, notice.text)


def _notify(address: str, text: str) -> str:
    # Loaded by whoever is told something for the first time: it is large.
    import apprise

    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    try:
        service = apprise.Apprise()
        if not service.add(resolved(address, "[notify] channels")):
            return "the address is none that apprise can use here"
        return "" if service.notify(title=TITLE, body=text) else "the service did not take it"
    except ManyhandsError as error:
        return error.message
    except Exception as error:  # noqa: BLE001 - a hundred services fail in a hundred ways
        return f"the service failed: {type(error).__name__}"


async def _on_desktop(notice: Notice) -> str:
    problem = await _by_apprise(DESKTOP.get(sys.platform, "dbus://"), notice)
    program = shutil.which("notify-send") if problem else None
    return await _by_command((program, TITLE), notice) if program else problem


async def _by_command(command: tuple[str, ...], notice: Notice) -> str:
    """The sentence is the command's last word, the whole notice its input."""
    return await tell((*command, notice.text), msgspec.json.encode(notice) + b"\n")
