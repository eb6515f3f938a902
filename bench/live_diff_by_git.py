"""The plain way to a live diff: watch, and run `git diff` for every file that was written.

``whole`` learns what a `diff_changed` carries, the session's totals included; ``path`` only how
the one file differs.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

from watchfiles import awatch

from manyhands.keeper.watch.notices import DEBOUNCE_MS, STEP_MS

AT_ONCE = 8
PATIENCE = 10.0


class Watching:
    def __init__(self) -> None:
        self.came: list[tuple[int, str, float]] = []
        self.whole = True
        self.phase = 0
        self._slots = asyncio.Semaphore(AT_ONCE)
        self.more = asyncio.Event()

    async def watch(self, number: int, tree: Path, tasks: asyncio.TaskGroup) -> None:
        async for changes in awatch(tree, step=STEP_MS, debounce=DEBOUNCE_MS):
            for _, full in changes:
                path = str(Path(full).relative_to(tree))
                if not path.startswith(".git"):
                    tasks.create_task(self._diff(number, tree, path, self.phase))

    async def _diff(self, number: int, tree: Path, path: str, phase: int) -> None:
        async with self._slots:
            if phase != self.phase:
                return  # left over from a phase in which it fell behind
            words = ("diff", "--numstat", "HEAD", *(() if self.whole else ("--", path)))
            git = await asyncio.create_subprocess_exec(
                "git", "-C", str(tree), *words, stdout=subprocess.PIPE
            )
            told, _ = await git.communicate()
        if told and phase == self.phase:
            self.came.append((number, path, time.monotonic()))
            self.more.set()

    async def until(self, count: int) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                while len({(n, path) for n, path, _ in self.came}) < count:
                    self.more.clear()
                    await self.more.wait()
        except TimeoutError:
            pass  # falling behind is a finding, not a failure of the benchmark


async def main(trees: list[Path]) -> None:
    watching = Watching()
    async with asyncio.TaskGroup() as tasks:
        for number, tree in enumerate(trees):
            tasks.create_task(watching.watch(number, tree, tasks))
        print(json.dumps({"watching": len(trees)}), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            order = json.loads(line)
            if "whole" in order:
                watching.whole = order["whole"]
                watching.phase += 1
                continue
            await watching.until(order["expect"])
            print(json.dumps({"came": watching.came}), flush=True)
            watching.came = []
            watching.phase += 1


if __name__ == "__main__":
    asyncio.run(main([Path(word) for word in sys.argv[1:]]))
