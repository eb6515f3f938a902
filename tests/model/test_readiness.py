"""Types that many threads read at once, in processes that a segmentation fault may take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RACE = """
import sys, threading, types
import msgspec
from manyhands.model.readiness import make_types_ready

sys.setswitchinterval(1e-6)
DEPTH, THREADS = 8, 4

def fresh(number):
    made = types.ModuleType(f"fresh{number}")
    sys.modules[made.__name__] = made
    source = "import msgspec\\n"
    for depth in range(DEPTH):
        fields = [f"f{n}: int | str | None = None" for n in range(10)]
        fields += [f"below: 'T{depth - 1} | None' = None"] if depth else []
        source += f"class T{depth}(msgspec.Struct):\\n" + "".join(f"    {f}\\n" for f in fields)
    exec(source, made.__dict__)
    return made.__name__, getattr(made, f"T{DEPTH - 1}")

value = {"f0": 1}
for _ in range(DEPTH - 1):
    value = {"f9": "x", "below": value}
for number in range(30):
    package, kind = fresh(number)
    make_types_ready(package)
    barrier = threading.Barrier(THREADS)
    def read():
        barrier.wait()
        msgspec.convert(value, kind)
    threads = [threading.Thread(target=read) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
LOOKED_AT = """
def looked_at(*kinds):
    import gc
    return [any(type(o).__name__ == "StructInfo" for o in gc.get_referents(k)) for k in kinds]
"""
HUB = f"""{LOOKED_AT}
from manyhands import config
from manyhands.api.serve import main
from manyhands.errors import BadInput
from manyhands.git.rescue.trash import TrashRecord
from manyhands.workspace.repo_config import RepoConfig

home = config.home()
home.make()
home.config.write_text("no toml")
try:
    main(home, None, None)
except* BadInput:
    pass
assert looked_at(RepoConfig, TrashRecord) == [True, True]
"""
KEEPER = f"""{LOOKED_AT}
from manyhands.keeper.birth import EVERY_KEEPERS, preload
preload(EVERY_KEEPERS)
from manyhands.git.snapshot.successor import Last
assert looked_at(Last) == [True]
"""


def require_success(program: str, **variables: str) -> None:
    argv = [sys.executable, "-c", program]
    done = subprocess.run(argv, env=variables, capture_output=True, check=False, text=True)
    assert done.returncode == 0, (done.returncode, done.stderr)


def test_threads_may_read_a_type_at_once_that_none_has_read_before() -> None:
    require_success(RACE)


def test_a_hub_has_its_types_looked_at_before_it_serves(tmp_path: Path) -> None:
    require_success(HUB, HOME=str(tmp_path), MANYHANDS_HOME=str(tmp_path / "mh"))


def test_a_keeper_has_its_types_looked_at_before_it_is_born() -> None:
    require_success(KEEPER)
