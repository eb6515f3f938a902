"""How soon the command line answers: `manyhands --version` against a bare `import click`."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from bench.figures import Measured, at_most
from bench.world import BIN, World, open_world

BAR = 1.5


def measure(*, quick: bool = False) -> Measured:
    with open_world() as world:
        samples = interleaved(
            world,
            {
                "version": [str(BIN / "manyhands"), "--version"],
                "click": [str(BIN / "python"), "-c", "import click"],
            },
            runs=11 if quick else 31,
        )
    version, click = (statistics.median(samples[name]) for name in ("version", "click"))
    bar = at_most("`manyhands --version` ÷ `python -c 'import click'`", version / click, BAR, "×")
    note = f"medians: --version {version * 1000:.0f} ms, import click {click * 1000:.0f} ms"
    return Measured(bars=[bar], notes=[note], samples=samples)


def interleaved(world: World, commands: dict[str, list[str]], runs: int) -> dict[str, list[float]]:
    """Seconds of each command, taken in turns; the first round warms the caches."""
    # An editable install finds the package by itself; a search path would favour one side.
    environment = {k: v for k, v in world.environment.items() if k != "PYTHONPATH"}
    samples: dict[str, list[float]] = {name: [] for name in commands}
    for round_number in range(runs + 1):
        for name, argv in commands.items():
            began = time.perf_counter()
            subprocess.run(argv, env=environment, stdout=subprocess.DEVNULL, check=True, timeout=60)
            if round_number:
                samples[name].append(time.perf_counter() - began)
    return samples


if __name__ == "__main__":
    print(measure(), file=sys.stderr)
