"""A diff of 5,000 files and 100,000 lines on the page, in a real Chromium on a real hub.

Measured from the click that opens the session for the first time, with nothing read yet by the
hub or the page: the first line painted, then the longest task while the whole list is flung
through from end to end and read on line by line. Beside it the bare alternative: the same lines
put into one document at once, without any of ours.
"""

from __future__ import annotations

import html
import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench.figures import Measured, at_most
from bench.world import ROOT, World, open_world

FILES, LINES = 5000, 20
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
STEPS, READS = 60, 120
WATCH = """
window.tasks = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.tasks.push(entry.duration);
}).observe({ entryTypes: ["longtask"] });
"""
WATCHED = """
async () => {
  const toil = () => {
    const until = performance.now() + 150;
    while (performance.now() < until);
  };
  // What runs by evaluation alone is no task of the page's.
  window.tasks = [];
  setTimeout(toil);
  const isTold = () => Math.max(0, ...window.tasks) >= 100;
  for (let n = 0; n < 100 && !isTold(); n++) await new Promise((done) => setTimeout(done, 20));
  const told = isTold();
  window.tasks = [];
  return told;
}
"""
SCROLL = """
async ([steps, reads, selector]) => {
  const list = selector ? document.querySelector(selector) : document.scrollingElement;
  const seen = new Set();
  let [frame, last] = [0, performance.now()];
  const drawn = async () => {
    await new Promise((done) => requestAnimationFrame(done));
    const now = performance.now();
    [frame, last] = [Math.max(frame, now - last), now];
    for (const { dataset } of list.querySelectorAll("[data-testid=file-head]"))
      seen.add(dataset.path);
  };
  window.tasks = [];
  for (let step = 1; step <= steps; step++) {
    list.scrollTop = (list.scrollHeight - list.clientHeight) * step / steps;
    await drawn();
    await drawn();
  }
  list.scrollTop = list.scrollHeight / 2;
  for (let read = 0; read < reads; read++) {
    list.scrollTop += 60;
    await drawn();
  }
  // The browser tells of a long task some time after it.
  await new Promise((done) => setTimeout(done, 500));
  return { task: Math.max(0, ...window.tasks), frame, files: seen.size };
}
"""
LISTED = "[data-testid=diff][aria-busy=false] [data-testid=hunks]"
PAINTED = """
(selector) => new Promise((done) => {
  const look = () => document.querySelector(selector)
    ? requestAnimationFrame(() => done(performance.now()))
    : requestAnimationFrame(look);
  look();
})
"""


def measure(*, quick: bool = False) -> Measured:
    files = FILES // 10 if quick else FILES
    browser_path = _browser_path()
    with open_world() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
        ours = _ours(place, browser.new_page(), files)
        bare = _bare(browser.new_page(), files)
        browser.close()
    return Measured(
        bars=[
            at_most(
                f"first line of {files} files painted after the click", ours["paint"], 1.0, "s"
            ),
            at_most("longest task while scrolling from end to end", ours["task"], 100, "ms"),
            at_most("longest task while opening", ours["opening_task"], 200, "ms"),
            at_most("first paint, of the unvirtualised page's", ours["paint"] / bare["paint"], 1.0),
            at_most(
                "longest task while scrolling, of the unvirtualised page's longest",
                ours["task"] / max(bare["opening_task"], 1.0),
                1.0,
            ),
        ],
        notes=[
            f"longest frame {ours['frame']:.0f} ms, {ours['files']:.0f} files came into sight",
            f"the whole list after {ours['listed']:.2f} s, opened again in {ours['again']:.2f} s",
            f"unvirtualised: {bare['paint']:.2f} s to paint, {bare['nodes']:.0f} elements",
        ],
        samples={"ours": ours, "bare": bare},
    )


def _browser_path() -> str:
    sys.path.insert(0, str(ROOT / "scripts"))
    found = importlib.import_module("find_browser").find_installed()
    assert found is not None, "no Chromium or Chrome is installed"
    return str(found)


def _ours(place: World, page: Page, files: int) -> dict[str, float]:
    place.start_hub()
    repo = place.repository("repo")
    made = place.client.new({"text": "x", "repo": str(repo), "agent": "rehearsal", "start": False})
    place.client.wait([made.id], "idle", 60)
    _write_changes(Path(place.client.session(made.id).worktree), files)
    page.add_init_script(WATCH)
    page.goto(place.client.link())
    card = page.locator(f"[href$='{made.id}']").first
    card.wait_for()
    assert page.evaluate(WATCHED), "the browser does not tell of long tasks"
    began: float = page.evaluate("performance.now()")
    paint = _open(page, card)
    page.locator(LISTED).wait_for(timeout=60_000)
    listed = (page.evaluate("performance.now()") - began) / 1000
    opening = page.evaluate("Math.max(0, ...window.tasks)")
    scrolled: dict[str, float] = page.evaluate(SCROLL, [STEPS, READS, "[data-testid=hunks]"])
    page.go_back()
    page.locator("[data-testid=hunks]").wait_for(state="detached")
    again = _open(page, card)
    times = {"paint": paint, "listed": listed, "again": again}
    return times | scrolled | {"opening_task": opening}


def _open(page: Page, card: Any) -> float:
    """Seconds from the click to the first line."""
    began: float = page.evaluate("performance.now()")
    card.click()
    painted: float = page.evaluate(PAINTED, "[data-testid=diff-line]")
    return (painted - began) / 1000


def _write_changes(worktree: Path, files: int) -> None:
    for n in range(files):
        file = worktree / f"made/part{n // 100:02}/file{n:04}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = "".join(f"def name_{line}(value): return value + {n}\n" for line in range(LINES))
        file.write_text(lines, encoding="utf-8")


def _bare(page: Page, files: int) -> dict[str, float]:
    """Every line an element, as a page without virtualisation would draw them."""
    with tempfile.TemporaryDirectory() as place:
        document = Path(place, "all.html")
        line = html.escape("def name(value): return value + 1")
        rows = f"<div><i>1</i><span>+</span><code>{line}</code></div>\n" * LINES
        text = f"<script>{WATCH}</script>" + f"<h3>f</h3>{rows}" * files
        document.write_text(text, encoding="utf-8")
        page.goto(document.as_uri())
        painted = page.evaluate("performance.getEntriesByType('navigation')[0].duration") / 1000
        opening = page.evaluate("Math.max(0, ...window.tasks)")
        task = page.evaluate(SCROLL, [STEPS, READS, ""])["task"]
        nodes = page.evaluate("document.querySelectorAll('*').length")
    return {"paint": painted, "opening_task": opening, "task": task, "nodes": nodes}
