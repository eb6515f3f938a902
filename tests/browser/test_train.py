"""The train in a real browser: cars board, are seen tested, change places, land and leave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Position, expect

from tests.browser.looks import require_accessible, require_good_on_a_phone
from tests.hub.train.cars import board, session, subjects, with_checks
from tests.support.driver import Json, RunningHub

# One hub serves them all, each test in a repository of its own.
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("train")]
TRAIN = """
[train]
window = 2
warm_minutes = 0
[radar]
enabled = false
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    hub = RunningHub(tmp_path_factory.mktemp("hub"), working=4)
    hub.configure(hub.home.config.read_text() + TRAIN)
    with hub:
        yield hub


@pytest.fixture
def hub(running: RunningHub) -> RunningHub:
    running.change_repo()
    return running


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """Checks wait until it is there."""
    return tmp_path / "gate"


def waiting_for(gate: Path) -> str:
    return f"until [ -e {gate} ]; do sleep 0.05; done"


def lane(page: Page, hub: RunningHub) -> Locator:
    page.goto(f"{hub.url}/train")
    return page.get_by_label(f"Train to main of {hub.repo.name}", exact=True)


def names(cars: Locator) -> Locator:
    return cars.get_by_test_id("car").locator(".name")


def three(hub: RunningHub) -> list[Json]:
    return [session(hub, name, {f"{name.lower()}.txt": "x\n"}) for name in ("Ant", "Bee", "Cat")]


def test_cars_are_seen_tested_on_what_is_ahead_and_land_in_their_order(
    page: Page, hub: RunningHub, gate: Path
) -> None:
    with_checks(hub, waiting_for(gate))
    board(hub, *three(hub))
    cars = lane(page, hub)
    expect(names(cars)).to_have_text(["Ant", "Bee", "Cat"])
    first, second, third = (cars.get_by_test_id("car").nth(at) for at in range(3))
    expect(first).to_contain_text("on main")
    expect(first).to_contain_text("testing")
    expect(second).to_contain_text("on main + Ant")
    expect(second).to_have_attribute("data-state", "testing")
    expect(third).to_have_attribute("data-state", "waiting")
    require_accessible(page, "train")
    gate.touch()
    landed = cars.get_by_test_id("landed-car")
    expect(landed.locator(".name")).to_have_text(["Cat", "Bee", "Ant"])
    expect(cars.locator(".target")).to_contain_text("by Cat")
    assert [one.split("'")[1] for one in subjects(hub, "main")[-3:]] == [
        "mh/ant",
        "mh/bee",
        "mh/cat",
    ]
    require_good_on_a_phone(page, "train")


def test_cars_change_places_by_mouse_keys_and_buttons_and_are_taken_off(
    page: Page, hub: RunningHub, gate: Path
) -> None:
    with_checks(hub, waiting_for(gate))
    board(hub, *three(hub))
    cars = lane(page, hub)
    cars.get_by_role("button", name="Pause").click()
    expect(cars.get_by_role("status")).to_contain_text("Paused")
    expect(names(cars)).to_have_text(["Ant", "Bee", "Cat"])
    cars.get_by_role("button", name="Move Cat ahead").click()
    expect(names(cars)).to_have_text(["Ant", "Cat", "Bee"])
    cars.get_by_role("link", name="Bee").focus()
    page.keyboard.press("Alt+ArrowLeft")
    expect(names(cars)).to_have_text(["Ant", "Bee", "Cat"])
    card = cars.get_by_test_id("car")
    corner: Position = {"x": 5, "y": 5}
    card.nth(2).drag_to(card.nth(0), source_position=corner, target_position=corner)
    expect(names(cars)).to_have_text(["Cat", "Ant", "Bee"])
    cars.get_by_role("button", name="Take Ant off the train").click()
    expect(names(cars)).to_have_text(["Cat", "Bee"])
    gone = cars.get_by_test_id("car-left")
    expect(gone).to_contain_text("taken off")
    gone.get_by_role("button", name="Add again").click()
    expect(names(cars)).to_have_text(["Cat", "Bee", "Ant"])
    gate.touch()
    cars.get_by_role("button", name="Resume").click()
    landed = cars.get_by_test_id("landed-car").locator(".name")
    expect(landed).to_have_text(["Ant", "Bee", "Cat"])


def test_a_car_that_fails_leaves_with_its_log(page: Page, hub: RunningHub) -> None:
    with_checks(hub, "echo no such luck; test ! -e bad.txt")
    board(hub, session(hub, "Bad", {"bad.txt": "x\n"}), session(hub, "Good", {"good.txt": "x\n"}))
    cars = lane(page, hub)
    bad = cars.get_by_test_id("car-left").filter(has_text="Bad")
    expect(bad).to_have_attribute("data-state", "failed")
    bad.get_by_text("What its checks said").click()
    expect(bad.locator("pre")).to_contain_text("no such luck")
    expect(cars.get_by_test_id("landed-car")).to_contain_text("Good")
    assert "bad.txt" not in hub.git("ls-tree", "--name-only", "main", cwd=hub.repo)


def test_a_session_boards_beside_approve_and_without_checks_only_if_a_person_says_so(
    page: Page, hub: RunningHub
) -> None:
    made = session(hub, "Ant", {"ant.txt": "x\n"})
    page.goto(f"{hub.url}/s/{made['id']}")
    page.get_by_test_id("review-bar").get_by_role("button", name="Add to train").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("check")
    require_accessible(page, "boarding")
    dialog.get_by_label("although no checks are configured").check()
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog).to_have_count(0)
    page.keyboard.press("g")
    page.keyboard.press("t")
    ant = page.get_by_label(f"Train to main of {hub.repo.name}").get_by_test_id("landed-car")
    expect(ant).to_contain_text("untested")
    assert "ant.txt" in hub.git("ls-tree", "--name-only", "main", cwd=hub.repo)
