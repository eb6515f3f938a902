"""Pictures of previews, taken by a real Chromium."""

from __future__ import annotations

import base64
import struct
from pathlib import Path

import psutil
import pytest

from tests.api.preview.conftest import Seen
from tests.support.apps import app
from tests.support.driver import Json, Refused

BROKEN = b"""<!doctype html><title>It</title><h1>It works</h1>
<script>console.error("this is", "wrong"); fetch("/missing"); throw new Error("thrown")</script>"""


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_a_picture_is_kept_with_the_session_and_told_in_its_log(one: Seen) -> None:
    with app("app", one.port) as running:
        running.pages = {"/it": (200, BROKEN), "/missing": (404, b"no")}
        found = one.hub.act(one.session["id"], "shot", path="/it", width=640, height=480)
    content = Path(found["path"]).read_bytes()
    assert size_of(content) == (640, 480)
    assert Path(found["path"]).is_relative_to(one.hub.home.sessions / one.session["id"])
    assert (found["status"], found["url"], found["quiet"]) == (200, f"{one.url}/it", True)
    told = "\n".join(found["problems"])
    assert "console.error: this is wrong" in told
    assert "uncaught: Error: thrown" in told
    assert f"{one.url}/missing: 404" in told
    [event] = [
        e
        for e in one.hub.get(f"/api/sessions/{one.session['id']}/events")
        if e["type"] == "picture_taken" and e["path"] == "/it"
    ]
    assert (event["service"], event["width"], event["height"]) == ("web", 640, 480)
    view = one.hub.get(f"/api/sessions/{one.session['id']}/pictures/{event['picture']}")
    assert view["kind"] == "image"
    assert base64.b64decode(view["data"]) == content


def test_an_app_that_is_down_is_pictured_as_it_is_seen(one: Seen) -> None:
    found = one.hub.act(one.session["id"], "shot")
    assert found["status"] == 503


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"service": "db"}, 404),
        ({"path": "evil.example/"}, 400),
        ({"path": "@evil.example/"}, 400),
        ({"width": 5}, 400),
        ({"height": 100_000}, 400),
    ],
)
def test_what_cannot_be_pictured_is_said(one: Seen, asked: Json, status: int) -> None:
    with pytest.raises(Refused) as refused:
        one.hub.act(one.session["id"], "shot", **asked)
    assert refused.value.status == status


@pytest.mark.parametrize("name", ["..%2Ftoken", "..%2f..%2ftoken.png", "nothing.png", "a.txt"])
def test_no_other_file_is_a_picture(one: Seen, name: str) -> None:
    path = f"/api/sessions/{one.session['id']}/pictures/{name}"
    assert one.hub.request("GET", path, None, one.hub.bearer).status == 404


def test_no_browser_is_left_running(one: Seen) -> None:
    below = psutil.Process(one.hub.pid).children(recursive=True)
    running = [p for p in below if p.status() != psutil.STATUS_ZOMBIE]
    assert not [p for p in running if "chrom" in p.name()]
