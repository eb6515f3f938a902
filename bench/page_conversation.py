"""Ten thousand messages on the page: loaded, scrolled from end to beginning, without a hitch.

Compared with the plainest page that holds them all at once, as bare text with no Markdown.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from bench.figures import Measured, at_most, percentile, spread
from bench.seeded import seed
from bench.world import ROOT, World, open_world
from manyhands.model import events as e
from manyhands.model.clock import now
from manyhands.model.ids import MessageId, SessionId

MESSAGES = 10_000
LONGEST_TASK_MS = 100.0
FRAME_MS = 50.0
SECONDS_TO_END = 10.0
WORDS = """\
The **limiter** must stand before routing, since `route()` may raise; see `waypost/app.py`.

1. build the window
2. read the limits

```python
def allowed(key: str) -> bool:
    return window.hit(key)  # one more
```
"""
# Long tasks are told by the browser itself: whatever kept the page from answering for over 50 ms.
WATCH = """
window.tasks = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.tasks.push(entry.duration);
}).observe({ type: "longtask", buffered: true });
"""
# A screen a frame, at the end, in the middle and at the beginning, with leaps in between.
SCROLL = """async ([selector, count]) => {
  const list = document.querySelector(selector);
  const frames = [];
  window.tasks.length = 0;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (const place of [1, 0.5, 0.02]) {
    list.scrollTop = list.scrollHeight * place;
    await frame();
    let last = performance.now();
    for (let n = 0; n < count; n++) {
      list.scrollTop -= 600;
      await frame();
      const now = performance.now();
      frames.push(now - last);
      last = now;
    }
  }
  list.scrollTop = 0;
  await frame();
  return { frames, tasks: [...window.tasks] };
}"""
BARE = """(texts) => {
  const began = performance.now();
  const list = document.createElement("div");
  list.id = "list";
  list.style.cssText = "height: 700px; overflow: auto; white-space: pre-wrap";
  for (const text of texts) {
    const row = document.createElement("div");
    row.textContent = text;
    list.append(row);
  }
  document.body.append(list);
  list.scrollTop = list.scrollHeight;
  return performance.now() - began;
}"""


def measure(*, quick: bool = False) -> Measured:
    session = SessionId("talkative")
    count = 40 if quick else 200
    with open_world() as world:
        seed(world.home, world.repository("repository", files=5), [session], ten_thousand)
        world.start_hub()
        with browser() as chromium:
            ours = _ours(world, chromium, session, count)
            bare = _bare(chromium, count)
    longest = max([*ours["load_tasks"], *ours["scroll_tasks"], 0.0])
    frames = ours["frames"]
    return Measured(
        bars=[
            at_most("longest task, load and scroll", longest, LONGEST_TASK_MS, "ms"),
            at_most("frame while scrolling, p95", percentile(frames, 0.95), FRAME_MS, "ms"),
            at_most("from address to last message", ours["seconds"], SECONDS_TO_END, "s"),
            at_most("rows on the page", ours["rows"], 100),
        ],
        notes=[
            f"{MESSAGES} messages and as many calls; {count} screens at three places, one a frame",
            f"all at once as bare text: {bare['rows']} rows in {bare['milliseconds']:.0f} ms",
            f"bare text, frames while scrolling {spread(bare['frames'])}",
            f"ours, frames while scrolling {spread(frames)}",
        ],
        samples={"ours": ours, "bare": bare},
    )


def ten_thousand(session: SessionId) -> Iterator[e.AnyEvent]:
    for n in range(MESSAGES // 2):
        at, said, reply = now(), MessageId(f"u{n}"), MessageId(f"a{n}")
        words = f"Message {n}: go on, please."
        yield e.UserMessage(session=session, at=at, message=said, text=words)
        yield e.MessageDelivered(session=session, at=at, message=said)
        for part in range(2):
            id = f"t{n}-{part}"
            given = {"command": f"pytest -q tests/test_{n}.py"}
            yield e.ToolCalled(session=session, at=at, call=id, tool="Bash", input=given)
            output = f"{n} passed in 0.1s\n"
            yield e.ToolFinished(session=session, at=at, call=id, tool="Bash", output=output)
        yield e.AgentMessage(session=session, at=at, message=reply, text=f"Reply {n}: {WORDS}")


@contextmanager
def browser() -> Iterator[Browser]:
    path = os.environ.get("MANYHANDS_BROWSER") or _installed()
    if not path:
        raise RuntimeError("no Chromium or Chrome is installed; `make test` brings one")
    flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=flags)
        try:
            yield running
        finally:
            running.close()


def _installed() -> str:
    """As the tests find it."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "find_browser.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


def _ours(world: World, chromium: Browser, session: SessionId, count: int) -> dict[str, Any]:
    page = _page(chromium)
    page.goto(world.client.link())
    page.get_by_test_id("fleet").wait_for()
    page.goto(f"{world.client.status().url}/s/{session}")
    last = f"Reply {MESSAGES // 2 - 1}:"
    page.get_by_test_id("agent-message").filter(has_text=last).wait_for(timeout=60_000)
    seconds = page.evaluate("performance.now()") / 1000
    load_tasks = page.evaluate("[...window.tasks]")
    scrolled = page.evaluate(SCROLL, [".flow", count])
    page.get_by_test_id("user-message").filter(has_text="Message 0:").wait_for()
    rows = page.locator(".entry").count()
    page.close()
    return {
        "seconds": seconds,
        "load_tasks": load_tasks,
        "scroll_tasks": scrolled["tasks"],
        "frames": scrolled["frames"],
        "rows": rows,
    }


def _bare(chromium: Browser, count: int) -> dict[str, Any]:
    page = _page(chromium)
    page.goto("about:blank")
    texts = [
        text
        for n in range(MESSAGES // 2)
        for text in (
            f"Message {n}: go on, please.",
            "pytest -q",
            "pytest -q",
            f"Reply {n}: {WORDS}",
        )
    ]
    milliseconds = page.evaluate(BARE, texts)
    scrolled = page.evaluate(SCROLL, ["#list", count])
    page.close()
    return {"milliseconds": milliseconds, "rows": len(texts), "frames": scrolled["frames"]}


def _page(chromium: Browser) -> Page:
    page = chromium.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.add_init_script(WATCH)
    return page
