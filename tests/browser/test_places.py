"""Every place of the page, looked at: by axe, on a phone, under the policy, and by its weight."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.browser.conftest import PATIENCE
from tests.browser.looks import PHONE, require_accessible, require_good_on_a_phone
from tests.support.driver import RunningHub

# One hub serves them all.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("places")]
Furnished = tuple[RunningHub, str, str]
MOST_BYTES = 250_000
PLACES = ["/", "/inbox", "/wall", "/welcome", "/s/{asking}", "/s/{done}", "/compare?of={both}"]


def _new(page: Page) -> None:
    page.keyboard.press("n")
    page.get_by_test_id("new-session").wait_for()


def _palette(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.get_by_test_id("palette").wait_for()


def _keys(page: Page) -> None:
    page.keyboard.press("?")
    page.get_by_test_id("keys").wait_for()


def _archive(page: Page) -> None:
    page.locator(".head .actions").get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Archive…", exact=True).click()
    page.get_by_text("Can be restored").wait_for()


COVERS: list[Callable[[Page], None]] = [_new, _palette, _keys, _archive]


@pytest.fixture
def looking(browser: Browser, furnished: Furnished) -> Iterator[Page]:
    hub, _, _ = furnished
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(hub.post("/api/link")["url"])
    page.get_by_test_id("fleet").wait_for()
    # Only then has the link's code become a token; a visit elsewhere before would lose it.
    expect(page.locator("[data-connection=open]")).to_be_attached()
    yield page
    context.close()


def visit(page: Page, furnished: Furnished, place: str) -> None:
    hub, asking, done = furnished
    path = place.format(asking=asking, done=done, both=f"{asking},{done}")
    page.goto(f"{hub.url}{path}")
    expect(page.locator("[data-connection=open]")).to_be_attached()
    page.wait_for_load_state("networkidle")
    expect(page.locator("main[aria-busy=true]")).to_have_count(0)


@pytest.mark.parametrize("place", PLACES)
def test_a_place_is_accessible_fits_a_phone_and_asks_nobody_else(
    looking: Page, furnished: Furnished, place: str
) -> None:
    hub, _, _ = furnished
    said: list[str] = []
    asked: list[str] = []
    looking.on("console", lambda message: said.append(message.text))
    looking.on("pageerror", lambda error: said.append(str(error)))
    looking.on("request", lambda request: asked.append(request.url))
    visit(looking, furnished, place)
    # Before axe, whose own script is none of the page's.
    assert [text for text in said if "Content Security Policy" in text or "Error" in text] == []
    ours = (hub.url, hub.url.replace("http", "ws"), "data:")
    assert [url for url in asked if not url.startswith(ours)] == []
    require_accessible(looking, place)
    require_good_on_a_phone(looking, place)


def test_no_cover_has_an_accessibility_violation(looking: Page, furnished: Furnished) -> None:
    visit(looking, furnished, "/s/{done}")
    for cover in COVERS:
        cover(looking)
        require_accessible(looking, cover.__name__)
        looking.keyboard.press("Escape")
        expect(looking.locator(".dialog")).to_have_count(0)


def test_on_a_phone_changes_can_be_read(looking: Page, furnished: Furnished) -> None:
    looking.set_viewport_size({"width": PHONE, "height": 844})
    visit(looking, furnished, "/s/{done}")
    looking.get_by_role("button", name="Changes").click()
    expect(looking.get_by_test_id("file-head").first).to_contain_text("notes/list.md")
    expect(looking.get_by_test_id("diff-line").first).to_be_visible()
    require_good_on_a_phone(looking, "changes")


@pytest.mark.parametrize("place", ["/", "/s/{done}"], ids=["sessions", "session"])
def test_the_first_load_is_small(browser: Browser, furnished: Furnished, place: str) -> None:
    """All code, style and fonts that a browser with an empty cache asks for."""
    hub, _, done = furnished
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    loaded: set[str] = set()

    def note(request: Request) -> None:
        loaded.add(request.url.removeprefix(hub.url))

    page.on("request", note)
    code = hub.post("/api/link")["url"].partition("#")[2]
    page.goto(f"{hub.url}{place.format(done=done)}#{code}")
    page.get_by_test_id("fleet").wait_for()
    if place != "/":
        page.get_by_test_id("message").wait_for()
        page.locator("[data-testid=diff-file]").first.wait_for()
    page.wait_for_load_state("networkidle")
    context.close()
    files = [path for path in loaded if path.startswith("/assets/")]
    weight = sum(len(gzip.compress(hub.request("GET", path).body)) for path in files)
    assert 20_000 < weight <= MOST_BYTES, sorted(files)
