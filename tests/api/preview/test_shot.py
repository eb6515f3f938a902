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

SHOP = b"""<!doctype html><style>body { margin: 0; height: 100vh }
body * { position: absolute; margin: 0; border: 0 }</style>
<div id=apples style="left: 20px; top: 40px; width: 160px; height: 120px">
<button style="left: 20px; top: 10px; width: 100px; height: 40px">Buy
  apples</button>
<button style="left: 20px; top: 60px; width: 100px; height: 40px"><svg width=9 height=9><g><path
d="M0 0h9v9"></path></g></svg></button></div>
<form style="left: 200px; top: 170px; width: 90px; height: 90px"><input name=id
style="width: 50px; height: 20px"></form>
<p style="left: 250px; top: 50px; width: 20px; height: 20px">Hidden</p>
<div class="x1234 over" style="left: 200px; top: 40px; width: 160px; height: 120px">Over</div>"""
BARE = b"<script>document.documentElement.remove()</script>"
LYING = b"""<!doctype html><body style="height: 100vh; margin: 0"><script>
document.body.append("Words ".repeat(9999));
for (const name of ["getBoundingClientRect", "getAttribute", "contains"])
  Element.prototype[name] = () => { throw new Error("no") };
document.elementFromPoint = document.querySelectorAll = () => ({ length: 7 });
</script>"""


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


def test_an_element_is_told_by_its_selector_and_pictured_by_itself(one: Seen) -> None:
    with app("app", one.port) as running:
        running.pages = {"/shop": (200, SHOP)}
        found = one.hub.act(
            one.session["id"], "shot", path="/shop", width=400, height=300, at=[60, 60]
        )
        above = one.hub.act(
            one.session["id"], "shot", path="/shop", width=400, height=300, at=[260, 60]
        )
    element = found["element"]
    assert element == {
        "selector": "#apples > button:nth-of-type(1)",
        "text": "Buy apples",
        "x": 40,
        "y": 50,
        "width": 100,
        "height": 40,
    }
    assert size_of(Path(found["element_path"]).read_bytes()) == (132, 72)
    assert size_of(Path(found["path"]).read_bytes()) == (400, 300)
    # What is covered is not seen, and a field called `id` is not taken for its form's id.
    assert above["element"]["selector"] == "div.over"
    kept = one.hub.get(f"/api/sessions/{one.session['id']}/pictures/{found['picture']}/elements")
    selectors = [seen["selector"] for seen in kept["elements"]]
    assert selectors == [
        *("body", "#apples", "#apples > button:nth-of-type(1)"),
        *("#apples > button:nth-of-type(2)", "svg", "form", 'input[name="id"]', "div.over"),
    ]


def test_a_page_that_lies_about_its_elements_is_pictured(one: Seen) -> None:
    with app("app", one.port) as running:
        running.pages = {"/lies": (200, LYING), "/bare": (200, BARE)}
        lied = one.hub.act(one.session["id"], "shot", path="/lies", at=[20, 20])
        bare = one.hub.act(one.session["id"], "shot", path="/bare", at=[20, 20])
    assert lied["element"]["selector"] == "body"
    assert lied["element"]["text"] == "Words " * 49 + "Words"
    assert bare["element"] is None
    assert (bare["element_path"], bare["status"]) == ("", 200)


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
        ({"at": [-1, 5]}, 400),
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
