"""Previews as a person sees them: framed in the page, logged in, side by side, hot and pictured."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import build_ui
import pytest
from playwright.sync_api import BrowserContext, FloatRect, Locator, Page, expect

from tests.browser.looks import require_no_violation
from tests.support.apps import app
from tests.support.driver import ACTOR, Json, RunningHub

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("preview")]
VITE = Path(__file__).parents[2] / "web/node_modules/vite/bin/vite.js"
LOGIN = b"""<!doctype html><h1>App</h1><p id=who></p><script>
document.cookie = "login=ann; path=/; SameSite=Strict";
localStorage.setItem("seen", "yes");
fetch("/whoami").then(a => a.text()).then(t => { who.textContent = t });
</script>"""
SHOP = b"""<!doctype html><style>* { margin: 0; border: 0 } body { height: 100vh }</style>
<div class=card style="padding: 30px 40px; width: 200px"><button id=buy
style="width: 80px; height: 30px; display: block">Buy</button></div>"""
MAIN = """import { word } from "./word.js";
const show = (w) => { document.querySelector("#word").textContent = w };
show(word);
window.loads = (window.loads ?? 0) + 1;
import.meta.hot.accept("./word.js", (fresh) => show(fresh.word));
"""


@pytest.fixture(scope="module")
def agent() -> str:
    return ACTOR


@pytest.fixture
def named(context: BrowserContext, lasting_hub: RunningHub) -> Page:
    """The page under the name that is of one site with the previews."""
    opened = context.new_page()
    opened.goto(lasting_hub.post("/api/link")["named"])
    opened.get_by_test_id("fleet").wait_for()
    expect(opened.locator("[data-connection=open]")).to_be_attached()
    return opened


def new(hub: RunningHub, title: str) -> Json:
    return hub.new("Show it", start=False, name=title)


def open_preview(page: Page, hub: RunningHub, session: Json) -> None:
    show(page, hub, session, "w")
    page.get_by_test_id("preview").wait_for()


def open_conversation(page: Page, hub: RunningHub, session: Json) -> None:
    show(page, hub, session, "c")
    page.get_by_test_id("message").wait_for()


def show(page: Page, hub: RunningHub, session: Json, pane: str) -> None:
    page.goto(f"http://manyhands.localhost:{hub.port}/s/{session['id']}")
    expect(page.locator("[data-connection=open]")).to_be_attached()
    page.get_by_test_id("session").wait_for()
    page.keyboard.press("p")
    page.keyboard.press(pane)


def test_a_login_in_a_preview_works_and_the_policy_holds(
    named: Page, lasting_hub: RunningHub
) -> None:
    session = new(lasting_hub, "Login")
    refused: list[str] = []
    named.on("console", lambda said: refused.append(said.text) if "policy" in said.text else None)
    with app("app", session["ports"]["web"]) as running:
        running.pages = {"/": (200, LOGIN)}
        open_preview(named, lasting_hub, session)
        frame = named.frame_locator("iframe[title='Preview of Login']")
        expect(frame.locator("#who")).to_have_text("app /whoami")
        cookies = [dict(h).get("Cookie") for _, path, h in running.asked if path == "/whoami"]
        assert cookies == ["login=ann"]
        assert not refused


def test_an_app_that_comes_up_is_shown_by_itself(named: Page, lasting_hub: RunningHub) -> None:
    session = new(lasting_hub, "Later")
    open_preview(named, lasting_hub, session)
    frame = named.frame_locator("iframe[title='Preview of Later']")
    expect(frame.get_by_text("web of later is not up yet")).to_be_visible()
    with app("app", session["ports"]["web"]):
        expect(frame.locator("body")).to_have_text("app /")


def test_two_sessions_stand_side_by_side(named: Page, lasting_hub: RunningHub) -> None:
    left, right = new(lasting_hub, "Left"), new(lasting_hub, "Right")
    with app("one", left["ports"]["web"]), app("two", right["ports"]["web"]):
        open_preview(named, lasting_hub, left)
        named.get_by_label("Beside it").select_option(label="beside Right")
        address = named.get_by_label("Address")
        address.fill("/same")
        address.press("Enter")
        for title, words in (("Left", "one /same"), ("Right", "two /same")):
            frame = named.frame_locator(f"iframe[title='Preview of {title}']")
            expect(frame.locator("body")).to_have_text(words)


def test_a_picture_stands_in_the_conversation_and_goes_with_a_message(
    named: Page, lasting_hub: RunningHub
) -> None:
    session = new(lasting_hub, "Pictured")
    with app("app", session["ports"]["web"]):
        open_preview(named, lasting_hub, session)
        with named.expect_response("**/shot"):
            named.get_by_role("button", name="Take a picture").click()
    named.keyboard.press("p")
    named.keyboard.press("c")
    shot = named.get_by_test_id("shot")
    expect(shot.locator("img")).to_be_visible()
    shot.get_by_role("button", name="Attach to a message").click()
    expect(named.get_by_label("To be sent along")).to_contain_text(".png")


def test_a_picture_is_drawn_upon_and_goes_with_a_word(named: Page, lasting_hub: RunningHub) -> None:
    session = new(lasting_hub, "Drawn upon")
    refused: list[str] = []
    named.on("console", lambda said: refused.append(said.text) if "policy" in said.text else None)
    with app("app", session["ports"]["web"]):
        lasting_hub.act(session["id"], "shot", width=400, height=300)
    open_conversation(named, lasting_hub, session)
    named.get_by_test_id("shot").get_by_role("button", name="Draw upon it").click()
    stage = named.get_by_role("application")
    box = require_box(stage)
    for tool, (x, y) in (("d", (20, 20)), ("b", (120, 40)), ("a", (220, 200))):
        named.keyboard.press(tool)
        named.mouse.move(box["x"] + x, box["y"] + y)
        named.mouse.down()
        named.mouse.move(box["x"] + x + 30, box["y"] + y + 40, steps=4)
        named.mouse.up()
    assert red(stage) == [True, True, True, False]
    require_no_violation(named, "drawing")
    named.keyboard.press("u")
    expect(stage).to_be_focused()
    assert red(stage) == [True, True, False, False]
    # By keys alone: an arrow from the middle to the right.
    named.keyboard.press("Enter")
    for _ in range(10):
        named.keyboard.press("ArrowRight")
    named.keyboard.press("Enter")
    assert red(stage) == [True, True, False, True]
    named.get_by_label("A word about it").fill("this is too close")
    named.keyboard.press("Enter")
    expect(named.get_by_label("To be sent along")).to_contain_text("marked-")
    expect(named.get_by_test_id("message")).to_have_value("this is too close")
    # What was drawn upon is drawn upon again, and stays one picture.
    named.get_by_test_id("attachment").get_by_role("button", name="Draw upon").click()
    assert red(stage) == [True, True, False, True]
    named.get_by_role("button", name="Attach to the message").click()
    expect(named.get_by_test_id("attachment")).to_have_count(1)
    assert not refused


def red(stage: Locator) -> list[bool]:
    """Whether the pen was where the test draws with it, with each tool, and with the keys."""
    places = [[30, 33], [120, 60], [235, 220], [205, 150]]
    seen: list[bool] = stage.evaluate(
        """(canvas, places) => places.map(([x, y]) => {
            const { data } = canvas.getContext("2d").getImageData(x - 6, y - 6, 12, 12);
            for (let n = 0; n < data.length; n += 4)
                if (data[n] > 200 && data[n + 1] < 80 && data[n + 2] < 100) return true;
            return false;
        })""",
        places,
    )
    return seen


def require_box(seen: Locator) -> FloatRect:
    box = seen.bounding_box()
    assert box is not None
    return box


def test_an_element_is_pointed_at_and_goes_with_a_message(
    named: Page, lasting_hub: RunningHub
) -> None:
    session = new(lasting_hub, "Pointed at")
    with app("app", session["ports"]["web"]) as running:
        running.pages = {"/shop": (200, SHOP)}
        open_preview(named, lasting_hub, session)
        address = named.get_by_label("Address")
        address.fill("/shop")
        address.press("Enter")
        named.get_by_role("button", name="Point at an element").click()
        stage = named.get_by_role("application")
        box = require_box(stage)
        window = stage.evaluate("one => [one.width, one.height]")
    frame = require_box(named.locator("iframe[title='Preview of Pointed at']"))
    assert window == [round(frame["width"]), round(frame["height"])]
    scale = box["width"] / window[0]
    named.mouse.move(box["x"] + 60 * scale, box["y"] + 40 * scale)
    expect(named.get_by_role("status")).to_have_text("#buy (“Buy”)")
    named.mouse.click(box["x"] + 60 * scale, box["y"] + 40 * scale)
    require_no_violation(named, "pointing")
    named.keyboard.press("w")
    expect(named.get_by_role("status")).to_have_text("div.card (“Buy”)")
    # By keys alone: the cross begins in the middle.
    stage.press("Enter")
    expect(named.get_by_role("status")).to_contain_text("body")
    named.mouse.click(box["x"] + 60 * scale, box["y"] + 40 * scale)
    named.get_by_label("A word about it").fill("too close")
    named.keyboard.press("Enter")
    expect(named.get_by_label("To be sent along")).to_contain_text("element-")
    told = f"#buy (“Buy”), 80 × 30 at 40, 30 of /shop (web, {window[0]} × {window[1]})"
    expect(named.get_by_test_id("message")).to_have_value(f"too close\n{told}")
    size = (
        named.get_by_test_id("attachment")
        .locator("img")
        .evaluate("one => [one.naturalWidth, one.naturalHeight]")
    )
    assert size == [112, 62]


def test_hot_reload_reaches_two_sessions_at_once(
    context: BrowserContext, lasting_hub: RunningHub, tmp_path: Path
) -> None:
    sessions = [new(lasting_hub, "Hot one"), new(lasting_hub, "Hot two")]
    with ExitStack() as stack:
        pages = []
        for number, session in enumerate(sessions):
            root = tmp_path / str(number)
            stack.enter_context(vite(root, session["ports"]["web"]))
            page = context.new_page()
            page.goto(session["previews"]["web"])
            expect(page.locator("#word")).to_have_text("before")
            pages.append((root, page))
        for number, (root, page) in enumerate(pages):
            with page.expect_console_message(lambda said: "hot updated" in said.text):
                (root / "word.js").write_text(f'export const word = "after {number}";\n')
            expect(page.locator("#word")).to_have_text(f"after {number}")
            assert page.evaluate("window.loads") == 1


@contextmanager
def vite(root: Path, port: int) -> Iterator[None]:
    root.mkdir()
    (root / "index.html").write_text(
        "<!doctype html><p id=word></p><script type=module src=/main.js></script>"
    )
    (root / "main.js").write_text(MAIN)
    (root / "word.js").write_text('export const word = "before";\n')
    found = build_ui.find_node()
    assert found is not None, "vite needs Node"
    words = [str(found.directory / "node"), str(VITE), str(root)]
    words += ["--port", str(port), "--strictPort"]
    with subprocess.Popen(words, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if "Local" in line:
                    break
            yield
        finally:
            process.terminate()
