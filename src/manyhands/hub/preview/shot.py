"""`shot`: a picture of a session's preview, kept with the session and told in its log."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from manyhands.contract.files import FileView
from manyhands.contract.preview import ElementView, PictureElements, PictureView, Shooting
from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.hub.core import Hub, require_living, require_session
from manyhands.hub.core.previews import Previews
from manyhands.model import events as e
from manyhands.model.ids import SessionId, fresh_id
from manyhands.model.session.session import Session
from manyhands.station.elements import Element
from manyhands.station.files import load_picture
from manyhands.station.picture import Exposure, Picture, take_picture

PICTURES = "pictures"
ELEMENTS = ".json"
AT_ONCE = 2
"""A browser needs as much memory as an agent."""
_PATH = re.compile(r"/[\x21-\x7e]*")
_NAME = re.compile(r"[a-z0-9]+\.png")


class Cameras:
    """There are few."""

    def __init__(self, hub: Hub) -> None:
        self.free = asyncio.Semaphore(AT_ONCE)


async def shot(hub: Hub, ref: str, shooting: Shooting) -> PictureView:
    s = require_session(hub.state, ref)
    require_living(s)
    urls = hub.part(Previews).urls(s)
    service = _require_service(s, urls, shooting.service)
    if not _PATH.fullmatch(shooting.path):
        raise BadInput(f"{shooting.path!r} is no path of a page; it begins with /")
    name = f"{fresh_id(12)}.png"
    exposure = _exposure(shooting, _place(hub, s.id, name))
    async with hub.part(Cameras).free:
        found = await take_picture(urls[service] + shooting.path, exposure)
    await asyncio.to_thread(_keep_elements, exposure.target, found)
    taken = e.PictureTaken(
        session=s.id,
        turn=s.main.turn,
        picture=name,
        service=service,
        path=shooting.path,
        width=exposure.width,
        height=exposure.height,
        status=found.status,
        problems=found.problems,
    )
    await hub.record(taken)
    return PictureView(
        path=str(exposure.target),
        picture=name,
        service=service,
        url=found.url,
        status=found.status,
        width=exposure.width,
        height=exposure.height,
        problems=found.problems,
        quiet=found.quiet,
        element=None if found.element is None else _seen(found.element),
        element_path=str(exposure.crop) if found.element else "",
    )


async def elements(hub: Hub, ref: str, name: str) -> PictureElements:
    """What was to be seen when it was taken."""
    s = require_session(hub.state, ref)
    if not _NAME.fullmatch(name):
        raise NotFound(f"{s.slug} has no picture {name!r}")
    return await asyncio.to_thread(_load_elements, _place(hub, s.id, name))


async def picture(hub: Hub, ref: str, name: str) -> FileView:
    s = require_session(hub.state, ref)
    if not _NAME.fullmatch(name):
        raise NotFound(f"{s.slug} has no picture {name!r}")
    return await load_picture(_place(hub, s.id, name))


def _exposure(shooting: Shooting, target: Path) -> Exposure:
    size = {"width": shooting.width, "height": shooting.height}
    return Exposure(**size, wait=shooting.wait, target=target, at=shooting.at)


def _keep_elements(target: Path, found: Picture) -> None:
    told = PictureElements(elements=tuple(map(_seen, found.elements)))
    target.with_suffix(ELEMENTS).write_bytes(msgspec.json.encode(told))


def _load_elements(target: Path) -> PictureElements:
    try:
        told = target.with_suffix(ELEMENTS).read_bytes()
    except FileNotFoundError:
        return PictureElements()
    return msgspec.json.decode(told, type=PictureElements)


def _seen(element: Element) -> ElementView:
    return ElementView(**msgspec.structs.asdict(element))


def _place(hub: Hub, session: SessionId, name: str) -> Path:
    return hub.home.sessions / session / PICTURES / name


def _require_service(s: Session, known: Mapping[str, str], name: str) -> str:
    if s.workspace.ports and not known:
        raise NotPossible("the hub serves no previews")
    if not known:
        raise NotPossible(f"{s.slug} has no port of its own yet")
    if name and name not in known:
        raise NotFound(f"{s.slug} has no service {name!r}", hint=f"it has {', '.join(known)}")
    return name or next(iter(known))
