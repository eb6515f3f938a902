"""An installed Chromium that shows one page, driven over its debugging protocol, and its end.

It has a profile of its own that lasts as long as it does, and exactly the environment that it
needs: no login of the person's, no extension, nothing kept.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from manyhands.config import child_environment
from manyhands.errors import NotPossible
from manyhands.process.spawn import Child, spawn
from manyhands.process.stop import Patience, stop_child

NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "brave-browser", "chrome-headless-shell"),
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/snap/bin/chromium",
)
FLAGS = (
    *("--headless=new", "--remote-debugging-port=0", "--no-first-run", "--mute-audio"),
    *("--no-default-browser-check", "--disable-background-networking", "--disable-sync"),
    *("--disable-extensions", "--disable-component-update", "--hide-scrollbars"),
    *("--disable-dev-shm-usage", "--disable-gpu", "--password-store=basic"),
)
LARGEST_MESSAGE = 64 * 1024 * 1024
_LISTENS = re.compile(rb"DevTools listening on (ws://127\.0\.0\.1:[0-9]+/\S+)")
_MERGED = ("/bin/sh", "-c", 'exec "$@" 2>&1', "sh")

Told = Callable[[str, Mapping[str, Any]], None]


class BrowserFailed(NotPossible):
    """The browser did not start, or did not do what it was asked."""


def require_browser() -> str:
    """The program."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    found = found or next((place for place in PLACES if Path(place).is_file()), None)
    if found is None:
        raise NotPossible(
            "no Chromium is installed, so no picture can be taken",
            hint="install Chromium or Chrome, so that it is found on the hub's PATH",
        )
    return found


class Tab:
    """A page, and the words that its browser says of it."""

    def __init__(self, wire: ClientConnection, told: Told) -> None:
        self._wire = wire
        self._told = told
        self._last = 0
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._session = ""

    async def read(self) -> None:
        try:
            async for message in self._wire:
                said = msgspec.json.decode(message)
                if waiting := self._asked.pop(said.get("id", 0), None):
                    if not waiting.done():
                        waiting.set_result(said)
                elif "method" in said:
                    self._told(said["method"], said.get("params", {}))
        except ConnectionClosed:
            pass
        finally:
            for waiting in self._asked.values():
                if not waiting.done():
                    waiting.set_exception(BrowserFailed("the browser ended"))

    async def open(self) -> None:
        made = await self.ask("Target.createTarget", url="about:blank")
        target = {"targetId": made["targetId"], "flatten": True}
        self._session = (await self.ask("Target.attachToTarget", **target))["sessionId"]

    async def ask(self, method: str, **given: Any) -> Any:
        self._last += 1
        number = self._last
        about = {"sessionId": self._session} if self._session else {}
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        asked = {"id": number, "method": method, "params": given, **about}
        await self._wire.send(msgspec.json.encode(asked).decode())
        said = await answer
        if "error" in said:
            raise BrowserFailed(f"the browser refused {method}: {said['error'].get('message')}")
        return said["result"]


@asynccontextmanager
async def open_tab(told: Told) -> AsyncIterator[Tab]:
    """A browser with one empty page; both end with the block."""
    program = require_browser()
    with TemporaryDirectory(prefix="mh-browser-", ignore_cleanup_errors=True) as profile:
        # Its own sandbox needs another user than root.
        unconfined = ["--no-sandbox"] if os.geteuid() == 0 else []
        argv = [*_MERGED, program, *FLAGS, *unconfined, f"--user-data-dir={profile}"]
        environment = {**child_environment(), "HOME": profile}
        child = await spawn(argv, cwd=Path(profile), env=environment, tethered=True)
        try:
            address = await _address(child)
            async with (
                connect(address, max_size=LARGEST_MESSAGE, proxy=None) as wire,
                asyncio.TaskGroup() as tasks,
            ):
                tab = Tab(wire, told)
                reading = tasks.create_task(tab.read())
                hearing = tasks.create_task(_drain(child))
                try:
                    await tab.open()
                    yield tab
                finally:
                    reading.cancel()
                    hearing.cancel()
        finally:
            await stop_child(child, patience=Patience(term=2.0))


async def _address(child: Child) -> str:
    heard = b""
    while piece := await child.output.chunk():
        heard = (heard + piece)[-64 * 1024 :]
        if found := _LISTENS.search(heard):
            return found[1].decode()
    last = heard.decode("utf-8", "replace").strip().splitlines()[-1:]
    raise BrowserFailed(f"the browser did not start: {''.join(last) or 'it said nothing'}")


async def _drain(child: Child) -> None:
    """What it says besides is nobody's, and must not stop it."""
    while await child.output.chunk():
        pass
