"""Run as a process of its own: has a program in a box with a network, tells who is there, waits."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import psutil

sys.path[:0] = [str(Path(__file__).parents[3])]

from manyhands.box.starting import start_boxed  # noqa: E402
from tests.support.boxed_network import PATH, network_box, way_out  # noqa: E402


async def main(place: Path) -> None:
    box = network_box(place)
    async with way_out(box) as (way, _):
        argv, cwd = ["sh", "-c", "echo ready; sleep 600"], Path(box.worktree)
        child = await start_boxed(box, argv, cwd=cwd, env={"PATH": PATH}, way_out=way)
        await child.output.line()
        print(json.dumps([p.pid for p in psutil.Process(os.getpid()).children(True)]), flush=True)
        await child.wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
