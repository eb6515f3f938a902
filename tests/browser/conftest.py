"""A real Chromium on a real hub with real agents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.hub.core.test_kills import QUESTION
from tests.support.driver import REHEARSAL, RunningHub, script, write

FEATURES_OFF = (
    # Half of what a new window costs: the pages behind its address bar, and a renderer to spare.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "SpareRendererForSitePerProcess",
    # Playwright's own, which this list replaces: what a headless window has no use for, and what
    # would ask hosts on the network.
    "AimEnabled",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
FLAGS = [
    # As root Chromium has no sandbox of its own; the pages it opens here are ours.
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=" + ",".join(FEATURES_OFF),
]


PATIENCE = 60_000
"""Milliseconds; Playwright's own are too few for a busy machine."""
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def browser(browser_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=browser_path, args=FLAGS, timeout=2 * PATIENCE
        )
        yield running
        running.close()


@pytest.fixture(scope="module")
def agent() -> str:
    """Who plays the scripts: a module whose tests do not show Claude Code has the actor instead."""
    return REHEARSAL


@pytest.fixture
def hub(tmp_path: Path, agent: str) -> Iterator[RunningHub]:
    running = RunningHub(tmp_path, working=8, agent=agent)
    running.lease_own_ports()
    with running:
        running.start_model()
        running.make_repo()
        yield running


@pytest.fixture(scope="module")
def lasting_hub(tmp_path_factory: pytest.TempPathFactory, agent: str) -> Iterator[RunningHub]:
    """One for a whole module, whose tests keep to sessions of their own."""
    running = RunningHub(tmp_path_factory.mktemp("hub"), working=8, agent=agent)
    running.ignore_conflicts()
    running.lease_own_ports()
    with running:
        running.start_model()
        running.make_repo()
        yield running


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    # What fades in has no colours yet that anybody could judge.
    made = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext, hub: RunningHub) -> Page:
    """The page as a person opens it: by the one-time link."""
    opened = context.new_page()
    opened.goto(hub.post("/api/link")["url"])
    opened.get_by_test_id("fleet").wait_for()
    # Only then has the link's code become a token; a visit elsewhere before would lose it.
    expect(opened.locator("[data-connection=open]")).to_be_attached()
    return opened


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningHub, str, str]]:
    """A hub with one session that asks and one that has finished, for tests that only look."""
    with RunningHub(tmp_path_factory.mktemp("furnished"), working=4) as running:
        running.start_model()
        running.make_repo()
        asking = running.new(QUESTION)["id"]
        steps = (write("notes/list.md", "# List\n\n- one\n"), {"text": "**Done.** See `list.md`."})
        done = running.new(script(*steps, words="Write a list."))["id"]
        running.wait_attention(asking)
        running.wait_idle(done)
        yield running, asking, done
