"""The box in the header: seen, explained, and left only by somebody who says so."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.looks import require_good_on_a_phone, require_no_violation
from tests.support.driver import RunningHub, of_type


def visit(page: Page, hub: RunningHub, session: str) -> None:
    page.goto(f"{hub.url}/s/{session}")
    page.get_by_test_id("session").wait_for()


def test_a_box_is_left_and_entered_again_by_the_header(page: Page, hub: RunningHub) -> None:
    session = hub.new("Nothing yet", start=False, name="Boxed", box="full")["id"]
    visit(page, hub, session)
    chip = page.get_by_test_id("box")
    label = {"full": "box full", "files": "box files", "none": "no box"}
    expect(chip).to_have_text(label[hub.show(session)["box"]])
    chip.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Choose")).to_be_disabled()
    dialog.get_by_role("group", name="Level").get_by_label("None").check()
    dialog.get_by_role("button", name="Choose").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Nothing would confine its agent")
    require_no_violation(page, "leaving the box")
    assert hub.show(session)["box_detail"]["own"] == "full"
    dialog.get_by_role("button", name="Leave the box").click()
    expect(dialog).to_be_hidden()
    expect(chip).to_have_text("no box")
    expect(page.get_by_test_id("session")).to_contain_text("You chose no box")
    [left] = of_type(hub.events(session), "box_changed")
    assert (left["level"], left["asked_by"]["via"]) == ("none", "page")
    require_good_on_a_phone(page, "a session without a box")
    chip.click()
    expect(dialog).to_contain_text("it was chosen")
    dialog.get_by_role("group", name="Level").get_by_label("As configured").check()
    dialog.get_by_role("group", name="Network").get_by_label("Listed").check()
    require_good_on_a_phone(page, "the choice of a box")
    dialog.get_by_role("button", name="Choose").click()
    expect(dialog).to_be_hidden()
    own = hub.show(session)["box_detail"]
    assert (own["own"], own["own_network"]) == (None, "listed")


def test_the_palette_and_a_new_session_offer_it(page: Page, hub: RunningHub) -> None:
    session = hub.new("Nothing yet", start=False, name="Boxed")["id"]
    visit(page, hub, session)
    page.keyboard.press("Control+k")
    page.get_by_test_id("palette").fill("box")
    page.get_by_role("option", name="Box…").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("Box of “Boxed”")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    form = page.get_by_test_id("new-session")
    form.get_by_label("Task").fill("Nothing")
    form.get_by_text("Box: as configured").click()
    form.get_by_role("combobox", name="Box").select_option("none")
    expect(form.get_by_role("combobox", name="Network")).to_be_disabled()
    require_no_violation(page, "a new session with a box")
    form.get_by_role("button", name="Start").click()
    expect(form).to_be_hidden()
    newest = hub.get("/api/sessions")[0]
    assert newest["box_detail"]["own"] == "none"
    # What was chosen for one is no default for the next.
    page.keyboard.press("n")
    expect(page.get_by_text("Box: as configured")).to_be_visible()
