"""Services on the page: a pane with start, log and stop, and a link to each port."""

from __future__ import annotations

import sys

from playwright.sync_api import Page, expect

from tests.browser.looks import require_good_on_a_phone, require_no_violation
from tests.support.driver import RunningHub

CONFIG = f"""[services.web]
command = "exec {sys.executable} -u -m http.server --bind 127.0.0.1 $PORT"
port = "web"
health = "/"
[services.broken]
command = "echo no such disk; exit 4"
"""


def test_a_service_is_started_seen_and_stopped_on_the_page(page: Page, hub: RunningHub) -> None:
    (hub.repo / ".manyhands.toml").write_text(CONFIG)
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-q", "-m", "Services", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    view = hub.new("", start=False, name="Served")
    port = view["ports"]["web"]
    page.goto(f"{hub.url}/s/{view['id']}")
    page.get_by_test_id("session").wait_for()
    page.keyboard.press("p")
    page.keyboard.press("s")
    web = page.locator('[data-testid=service][data-name="web"]')
    expect(web).to_have_attribute("data-state", "stopped")
    web.get_by_role("button", name="Start").click()
    expect(web).to_have_attribute("data-state", "healthy")
    address = view["previews"]["web"]
    for place in (page.locator(".head"), page.locator(".fleet")):
        expect(place.get_by_role("link", name=f":{port}")).to_have_attribute("href", address)
    expect(web.get_by_role("link", name=address)).to_have_attribute("href", address)
    web.get_by_role("button", name="Log").click()
    expect(page.get_by_test_id("service-log")).to_contain_text("GET / HTTP/1.1")
    page.get_by_label("Find in the log of web").fill("serving")
    expect(page.get_by_test_id("service-log")).not_to_contain_text("GET /")
    broken = page.locator('[data-testid=service][data-name="broken"]')
    broken.get_by_role("button", name="Start").click()
    expect(broken).to_have_attribute("data-state", "crashed")
    expect(broken).to_contain_text("no such disk")
    require_no_violation(page, "the services of a session")
    require_good_on_a_phone(page, "the services of a session")
    web.get_by_role("button", name="Stop").click()
    expect(web).to_have_attribute("data-state", "stopped")
    expect(page.locator(".head").get_by_role("link", name=f":{port}")).to_have_count(0)
