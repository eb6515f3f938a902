"""Fifty agents talk at once, twenty pieces a second each: how soon does a typed key show?

The keepers are played on real sockets, the hub and the browser are real. A key's latency runs
from the browser's own time stamp of the press to the frame after it was painted. The page is told
what it shows: of one session, or of the wall's tiles.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench.figures import Measured, at_least, at_most, percentile, spread
from bench.seeded import living_keeper, seed
from bench.world import World, open_world, tell, told
from manyhands.model.ids import SessionId, fresh_id

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
import find_browser

SESSIONS = 50
RATE = 20.0
TILES = 16
WARM_SECONDS = 2
P95_MS = 50.0
KEYS = 120
KEY_EVERY_MS = 60
WATCH = """
  window.latencies = []; window.longTasks = []; window.deltas = 0;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.longTasks.push(task.duration);
  }).observe({ type: "longtask" });
  addEventListener("keydown", (event) => requestAnimationFrame(() => {
    const painted = new MessageChannel();
    painted.port1.onmessage = () =>
      window.latencies.push(performance.now() - event.timeStamp);
    painted.port2.postMessage(null);
  }), true);
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...words) {
      super(...words);
      this.addEventListener("message", ({ data }) => {
        window.deltas += data.split('"text_delta"').length - 1;
      });
    }
  };
"""


def measure(*, quick: bool = False) -> Measured:
    keys = KEYS // 3 if quick else KEYS
    sessions = [SessionId(fresh_id()) for _ in range(SESSIONS)]
    with open_world() as world:
        seed(world.home, world.place / "repository", sessions, living_keeper)
        keepers = world.module("bench.page_keepers")
        tell(keepers, sessions=sessions, rate=RATE)
        told(keepers)
        world.start_hub()
        told(keepers)
        tell(keepers, seconds=600.0)
        places = {
            "session": (f"/s/{sessions[0]}", "[data-testid=message]", 1),
            "wall": ("/wall", "[data-testid=filter]", TILES),
        }
        found = _type_in(world, places, keys)
    return _judge(found)


def _type_in(world: World, places: dict[str, tuple[str, str, int]], keys: int) -> dict[str, Any]:
    path = find_browser.find_installed()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_init_script(WATCH)
        page = context.new_page()
        link = world.client.link()
        page.goto(link)
        page.get_by_test_id("fleet").wait_for()
        origin = link.partition("/#")[0]
        found = {}
        for name, (address, box, shown) in places.items():
            page.goto(origin + address)
            found[name] = _type(page, box, keys, shown * RATE)
        browser.close()
    return found


def _type(page: Page, box: str, keys: int, rate: float) -> dict[str, Any]:
    page.wait_for_selector(box)
    page.wait_for_function("some => window.deltas > some", arg=rate * WARM_SECONDS)
    page.click(box)
    page.evaluate("() => { window.latencies = []; window.longTasks = []; window.deltas = 0; }")
    began = page.evaluate("() => performance.now()")
    # Letters that no session's row has would empty the list of the wall; these all have.
    page.locator(box).press_sequentially("seeded " * (keys // 7), delay=KEY_EVERY_MS)
    page.wait_for_timeout(200)
    seconds = (page.evaluate("() => performance.now()") - began) / 1000
    return {
        "latencies": page.evaluate("() => window.latencies"),
        "long_tasks": page.evaluate("() => window.longTasks"),
        "heard": page.evaluate("() => window.deltas") / seconds / rate,
    }


def _judge(found: dict[str, Any]) -> Measured:
    session, wall = found["session"], found["wall"]
    heard = min(session["heard"], wall["heard"])
    return Measured(
        bars=[
            at_least("pieces of text that came in time, of those it shows", heard, 0.95, "×"),
            at_most("key to paint in a session, p95", _p95(session), P95_MS, "ms"),
            at_most("key to paint beside 16 live tiles, p95", _p95(wall), P95_MS, "ms"),
        ],
        notes=[
            f"{name}: ms {spread(one['latencies'])}, {len(one['latencies'])} keys, "
            f"long tasks ms {spread(one['long_tasks'] or [0.0])}"
            for name, one in found.items()
        ],
        samples=found,
    )


def _p95(one: dict[str, Any]) -> float:
    return percentile(one["latencies"], 0.95)
