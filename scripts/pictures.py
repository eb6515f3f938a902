"""Takes the pictures in `docs/images` anew: the demo's agents on a stage, seen by a browser.

`.venv/bin/python scripts/pictures.py [--to DIRECTORY] [NAME...]`; without names, all of them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import find_browser
from playwright.sync_api import Browser, Page, expect, sync_playwright

from manyhands.client.connection import session_path
from manyhands.rehearsal.stage import Stage, open_stage

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"small": (1280, 800), "large": (1920, 1080), "phone": (390, 844)}
SETTLE_MS = 400


@dataclass(frozen=True)
class Picture:
    name: str
    path: str
    size: str = "small"
    theme: str = "light"
    contrast: str = "normal"
    prepare: Callable[[Page], None] = lambda page: None
    part: str = ""
    """Only this, by its selector."""


def _open_new(page: Page) -> None:
    page.keyboard.press("n")
    task = page.get_by_test_id("new-session").get_by_label("Task")
    task.fill("Add rate limiting to the API\nWrite integration tests for search")


def _open_palette(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.get_by_test_id("palette").fill("s")


def _open_keys(page: Page) -> None:
    page.keyboard.press("?")
    page.get_by_test_id("keys").wait_for()


def _choose_two(page: Page) -> None:
    for row in page.get_by_test_id("session-row").all()[:2]:
        row.click(modifiers=["Control"])


def _open_files(page: Page) -> None:
    page.keyboard.press("p")
    page.keyboard.press("f")
    page.locator("[data-testid=tree-row][data-path='tests']").click()
    page.locator("[data-testid=tree-row]").filter(has_text="test_search_api.py").click()


def _open_every_step(page: Page) -> None:
    page.get_by_role("button", name="full", exact=True).click()


def _show_changes(page: Page) -> None:
    page.get_by_role("button", name="Changes").click()


CONVERSATION = "[data-testid=pane-conversation]"
PICTURES = (
    Picture("conversation-light", "/s/{done}", part=CONVERSATION),
    Picture(
        "conversation-dark", "/s/{done}", theme="dark", prepare=_open_every_step, part=CONVERSATION
    ),
    Picture("session-light", "/s/{done}", "large"),
    Picture("session-small", "/s/{done}"),
    Picture("plan-dark", "/s/{plan}", "small", "dark"),
    Picture("wall-light", "/wall", "large"),
    Picture("wall-dark", "/wall", "small", "dark"),
    Picture("inbox-light", "/inbox"),
    Picture("inbox-contrast", "/inbox", contrast="more"),
    Picture("new-light", "/", prepare=_open_new),
    Picture("palette-light", "/s/{done}", prepare=_open_palette),
    Picture("keys-dark", "/s/{plan}", theme="dark", prepare=_open_keys),
    Picture("chosen-light", "/s/{done}", prepare=_choose_two),
    Picture("compare-light", "/compare?of={also},{done}"),
    Picture("welcome-light", "/welcome"),
    Picture("usage-light", "/usage"),
    Picture("settings-light", "/settings"),
    Picture("archive-dark", "/archive", theme="dark"),
    Picture("commands-light", "/commands"),
    Picture("files-light", "/s/{done}", prepare=_open_files),
    Picture("phone-list", "/", "phone"),
    Picture("phone-inbox", "/inbox", "phone"),
    Picture("phone-dark", "/s/{plan}", "phone", "dark"),
    Picture("phone-changes", "/s/{done}", "phone", prepare=_show_changes),
)


@contextmanager
def stage_with_agents() -> Iterator[tuple[Stage, dict[str, str]]]:
    """The demo's four, brought to where each has something to show."""
    with open_stage(4) as stage:
        stage.raise_curtain(0.0)
        waiting = [act.session for act in stage.acts if act.scenario.answers]
        others = [act.session for act in stage.acts if not act.scenario.answers]
        stage.client.wait(others, "idle", 120)
        stage.client.wait(waiting, "attention", 120)
        views = stage.views()
        done = [view.id for view in views if not view.attention]
        command = "until [ -e delivered ]; do sleep 0.2; done"
        running = {"tool": "Bash", "input": {"command": command, "description": "Run the tests"}}
        content = "def delays(first: float, most: int) -> list[float]:\n"
        content += '    """How long to wait before each try."""\n'
        content += "    return [first * 2**n for n in range(most)]\n"
        written = {"tool": "Write", "input": {"file_path": "waypost/retry.py", "content": content}}
        steps = [{"text": "Each try waits twice as long as the last.", **written}, running]
        text = f"Retry failed webhooks with a back-off. <<SCRIPT {json.dumps(steps)} SCRIPT>>"
        about = {"repo": str(stage.repo), "name": "Webhook retries", "mode": "auto"}
        busy = stage.client.new({**about, "text": text, "agent": "rehearsal"}).id
        while not stage.client.session(busy).added:
            time.sleep(0.2)
        archive_one(stage, about)
        plan = next(
            view.id for view in stage.views() if any(i.kind == "plan" for i in view.attention)
        )
        yield stage, {"plan": plan, "done": done[0], "also": done[-1]}


def archive_one(stage: Stage, about: dict[str, str]) -> None:
    """So that the archive has something to show."""
    steps = [{"text": "Old links are redirected."}]
    text = f"Redirect old links. <<SCRIPT {json.dumps(steps)} SCRIPT>>"
    asked = {**about, "name": "Redirect old links", "text": text, "agent": "rehearsal"}
    made = stage.client.new(asked).id
    stage.client.wait([made], "idle", 120)
    stage.client.send(session_path(made, "archive"), {"dry_run": False})


def take(browser: Browser, stage: Stage, ids: dict[str, str], picture: Picture, to: Path) -> None:
    width, height = SIZES[picture.size]
    context = browser.new_context(viewport={"width": width, "height": height})
    look = {"theme": picture.theme, "contrast": picture.contrast, "motion": "still"}
    context.add_init_script(f"localStorage['manyhands.look'] = {json.dumps(json.dumps(look))}")
    page = context.new_page()
    link = stage.client.link()
    page.goto(link)
    page.get_by_test_id("fleet").wait_for(state="attached")
    page.goto(link.partition("/#")[0] + picture.path.format(**ids))
    expect(page.locator("[data-connection=open]")).to_be_attached()
    page.wait_for_load_state("networkidle")
    picture.prepare(page)
    page.wait_for_timeout(SETTLE_MS)
    seen = page.locator(picture.part).first if picture.part else page
    seen.screenshot(path=to / f"{picture.name}.png")
    context.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "images")
    asked = parser.parse_args()
    wanted = [p for p in PICTURES if not asked.names or p.name in asked.names]
    asked.to.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with stage_with_agents() as (stage, ids), sync_playwright() as playwright:
        path = find_browser.find_installed()
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for picture in wanted:
            take(browser, stage, ids, picture, asked.to)
            print(picture.name, file=sys.stderr)
        browser.close()
    print(f"{len(wanted)} pictures in {time.monotonic() - started:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
