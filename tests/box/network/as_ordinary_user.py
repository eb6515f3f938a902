"""Run by an ordinary user: goes out of a box by name."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[3])]

from tests.support.boxed_network import (  # noqa: E402
    Names,
    http_host,
    listed,
    network_box,
    run_in,
    way_out,
)


async def main(place: Path) -> None:
    with http_host(lambda request: b"reached") as port:
        box, names = network_box(place), Names({"a.test": port})
        async with way_out(box, listed("a.test"), names) as (way, _):
            ran = await run_in(box, way, ["curl", "-sS", "http://a.test/"])
            print(ran.out or ran.err)
            ran = await run_in(box, way, ["curl", "-sS", "-o", "/dev/null", f"127.0.0.1:{port}"])
            print("refused" if ran.code == 7 else ran)


if __name__ == "__main__":
    assert os.getuid() != 0
    with tempfile.TemporaryDirectory() as place:
        asyncio.run(main(Path(place)))
