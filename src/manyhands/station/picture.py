"""A picture of a page, with what went wrong while it was loaded."""

from __future__ import annotations

import asyncio
import base64
import math
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from manyhands.errors import ManyhandsError
from manyhands.station.browser import BrowserFailed, open_tab

WHOLE_SECONDS = 90.0
QUIET_SECONDS = 15.0
"""So long the network may take to become quiet; what is there then is in the picture."""
MOST_PROBLEMS = 50
LONGEST_PROBLEM = 500
FAILED = 400
TOLD = ("error", "warning", "assert")


class Picture(msgspec.Struct, frozen=True):
    url: str
    """Where the page was in the end."""
    status: int
    problems: tuple[str, ...]
    quiet: bool
    """Whether all was loaded."""


class _Heard:
    """What a browser tells while it loads a page."""

    def __init__(self) -> None:
        self.quiet = asyncio.Event()
        self.status = 0
        self.problems: list[str] = []
        self.frame = ""
        self._requests: dict[str, str] = {}

    def told(self, method: str, about: Mapping[str, Any]) -> None:
        match method:
            case "Page.lifecycleEvent":
                if about["name"] == "networkIdle" and about["frameId"] == self.frame:
                    self.quiet.set()
            case "Network.requestWillBeSent":
                if len(self._requests) < 10_000:
                    self._requests[about["requestId"]] = about["request"]["url"]
            case "Network.responseReceived":
                self._answered(about)
            case "Network.loadingFailed" if not about.get("canceled"):
                url = self._requests.get(about["requestId"], "a request")
                self._note(f"{url}: {about.get('errorText', 'failed')}")
            case "Runtime.consoleAPICalled" if about["type"] in TOLD:
                words = (_word(one) for one in about.get("args", ()))
                self._note(f"console.{about['type']}: {' '.join(words)}")
            case "Runtime.exceptionThrown":
                details = about["exceptionDetails"]
                thrown = details.get("exception", {}).get("description", details.get("text", ""))
                self._note(f"uncaught: {thrown}")

    def _answered(self, about: Mapping[str, Any]) -> None:
        status = int(about["response"]["status"])
        if about.get("type") == "Document" and about.get("frameId") == self.frame:
            self.status = status
        elif status >= FAILED:
            self._note(f"{about['response']['url']}: {status}")

    def _note(self, text: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(text[:LONGEST_PROBLEM])


def _word(value: Mapping[str, Any]) -> str:
    return str(value.get("value", value.get("description", value.get("type", ""))))


async def take_picture(url: str, width: int, height: int, wait: float, target: Path) -> Picture:
    """Into `target`, once the network is quiet and `wait` seconds more."""
    try:
        async with asyncio.timeout(WHOLE_SECONDS):
            return await _take(url, width, height, wait, target)
    except TimeoutError as error:
        raise BrowserFailed(f"no picture of {url} within {WHOLE_SECONDS:g} seconds") from error
    except BaseExceptionGroup as several:
        told = (one for one in several.exceptions if isinstance(one, ManyhandsError))
        raise next(told, several) from None


async def _take(url: str, width: int, height: int, wait: float, target: Path) -> Picture:
    heard = _Heard()
    async with open_tab(heard.told) as tab:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        await tab.ask("Emulation.setDeviceMetricsOverride", **size)
        for domain in ("Page", "Network", "Runtime"):
            await tab.ask(f"{domain}.enable")
        tree = await tab.ask("Page.getFrameTree")
        heard.frame = tree["frameTree"]["frame"]["id"]
        await tab.ask("Page.setLifecycleEventsEnabled", enabled=True)
        heard.quiet.clear()
        gone = await tab.ask("Page.navigate", url=url)
        if problem := gone.get("errorText"):
            raise BrowserFailed(f"{url} cannot be shown: {problem}")
        with suppress(TimeoutError):
            await asyncio.wait_for(heard.quiet.wait(), QUIET_SECONDS)
        await asyncio.sleep(max(0.0, wait) if math.isfinite(wait) else 0.0)
        shot = await tab.ask("Page.captureScreenshot", format="png")
        tree = await tab.ask("Page.getFrameTree")
    await asyncio.to_thread(_keep, target, shot["data"])
    at = str(tree["frameTree"]["frame"]["url"])
    return Picture(at, heard.status, tuple(heard.problems), heard.quiet.is_set())


def _keep(target: Path, data: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    target.write_bytes(base64.b64decode(data))
