"""A picture of a page, with what is to be seen on it, and what went wrong while it was loaded."""

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
from manyhands.station.browser import BrowserFailed, Tab, open_tab
from manyhands.station.elements import MARGIN, Element, element_at, load_elements

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
    elements: tuple[Element, ...] = ()
    element: Element | None = None
    """Which was asked for, pictured apart."""


class Exposure(msgspec.Struct, frozen=True, kw_only=True):
    """How a page is looked at, and where its picture goes."""

    width: int
    height: int
    wait: float
    """Seconds more, once the network is quiet."""
    target: Path
    at: tuple[int, int] | None = None
    """Where an element is wanted by itself."""

    @property
    def crop(self) -> Path:
        return self.target.with_name(f"{self.target.stem}-element.png")


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


async def take_picture(url: str, exposure: Exposure) -> Picture:
    try:
        async with asyncio.timeout(WHOLE_SECONDS):
            return await _take(url, exposure)
    except TimeoutError as error:
        raise BrowserFailed(f"no picture of {url} within {WHOLE_SECONDS:g} seconds") from error
    except BaseExceptionGroup as several:
        told = (one for one in several.exceptions if isinstance(one, ManyhandsError))
        raise next(told, several) from None


async def _take(url: str, exposure: Exposure) -> Picture:
    heard = _Heard()
    async with open_tab(heard.told) as tab:
        size = {"width": exposure.width, "height": exposure.height}
        await tab.ask(
            "Emulation.setDeviceMetricsOverride", **size, deviceScaleFactor=1, mobile=False
        )
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
        await asyncio.sleep(max(0.0, exposure.wait) if math.isfinite(exposure.wait) else 0.0)
        shot = await tab.ask("Page.captureScreenshot", format="png")
        elements = await load_elements(tab, heard.frame)
        element = element_at(elements, *exposure.at) if exposure.at is not None else None
        if element is not None:
            await _take_element(tab, element, exposure)
        tree = await tab.ask("Page.getFrameTree")
    await asyncio.to_thread(_keep, exposure.target, shot["data"])
    at = str(tree["frameTree"]["frame"]["url"])
    problems = tuple(heard.problems)
    return Picture(at, heard.status, problems, heard.quiet.is_set(), elements, element)


async def _take_element(tab: Tab, element: Element, exposure: Exposure) -> None:
    left, top = max(0, element.x - MARGIN), max(0, element.y - MARGIN)
    right = min(exposure.width, element.x + element.width + MARGIN)
    bottom = min(exposure.height, element.y + element.height + MARGIN)
    clip = {"x": left, "y": top, "width": right - left, "height": bottom - top, "scale": 1}
    shot = await tab.ask("Page.captureScreenshot", format="png", clip=clip)
    await asyncio.to_thread(_keep, exposure.crop, shot["data"])


def _keep(target: Path, data: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    target.write_bytes(base64.b64decode(data))
