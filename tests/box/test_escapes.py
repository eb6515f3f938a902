"""Every attempt to leave a box fails, whatever is done outside afterwards: real boxes, real git."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, suppress
from functools import cache
from pathlib import Path

import pytest

from manyhands.box import landlock
from manyhands.box.twins import sync_twin
from manyhands.errors import ManyhandsError
from manyhands.git.snapshot.snapshot import make_snapshot
from manyhands.model.box import Box, BoxMeans, Network
from tests.box.attempts.attempt import Attempt
from tests.box.escapes import ATTEMPTS
from tests.box.laid import Laid, lay_out
from tests.box.rig import CANARY, Rig
from tests.support.boxed_network import Names, Ran, listed, run_in, way_out

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "security.md"
SECONDS = 45
BY_LANDLOCK = [attempt for attempt in ATTEMPTS if 0 < attempt.by_landlock <= landlock.abi()]


Rigs = Callable[[BoxMeans, Network], Laid]


@pytest.fixture(scope="module")
def rigs() -> Iterator[Rigs]:
    """One of each kind; each attempt finds it as it was before the first."""
    with ExitStack() as stack:
        yield cache(lambda by, network: stack.enter_context(lay_out(by, network)))


async def run(rig: Rig, box: Box, script: str) -> Ran:
    """Both outputs as one, by whichever network the box has."""
    argv = ["timeout", "-k", "1", str(SECONDS), "/bin/sh", "-c", f"exec 2>&1\n{script}"]
    names = Names({"listed.test": rig.listeners.tcp, "unlisted.test": rig.listeners.tcp})
    async with AsyncExitStack() as stack:
        way = None
        if box.network != "open" and box.by == "bubblewrap":
            way, _ = await stack.enter_async_context(way_out(box, listed("listed.test"), names))
        return await run_in(box, way, argv, env=rig.variables)


def require_nothing_happened(rig: Rig, before: dict[str, str], said: str) -> None:
    after = rig.digests()
    assert {p: (v, after.get(p)) for p, v in before.items() if after.get(p) != v} == {}
    assert sorted(set(after) - set(before)) == []
    assert CANARY not in said
    assert rig.victim.poll() is None
    assert not list(rig.ran.iterdir()), "it was run outside"


def work_outside(rig: Rig, box: Box) -> str:
    """What the user and the hub do in that worktree next; what it said."""
    said = run_gits(rig, "status", "log -3 -p", "diff", "diff HEAD", "status -s", "branch -av")
    for everything in (False, True):
        try:
            said += repr(sync_twin(box, rig.own, "s1", "mh/otter", everything=everything))
        except ManyhandsError as error:
            said += error.message
    with suppress(ManyhandsError):
        make_snapshot(rig.worktree, base=None)
    return said + run_gits(rig, "status", "log -3", "diff", "diff --cached", "diff HEAD")


def run_gits(rig: Rig, *commands: str) -> str:
    """The user's own, with all that their config and the repository's say."""
    said = b""
    for words in commands:
        done = subprocess.run(
            ["git", *words.split()],
            cwd=rig.worktree,
            env=rig.env,
            timeout=60,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        said += done.stdout
    return said.decode("utf-8", "replace")


async def try_to_leave(rig: Rig, attempt: Attempt) -> None:
    box = rig.make_box()
    secret = os.open(rig.host / ".ssh" / "id", os.O_RDONLY)
    os.set_inheritable(secret, True)
    before, refs, settings = rig.digests(), rig.refs_of_user(), rig.settings_of_user()
    try:
        ran = await run(rig, box, attempt.script)
    finally:
        os.close(secret)
    assert attempt.worked in ran.out, (ran.out, ran.err)
    assert [text for text in attempt.unsaid if text in ran.out] == [], ran.out
    left = rig.left() if rig.by == "bubblewrap" else []
    assert left == []
    require_nothing_happened(rig, before, ran.out + ran.err)
    said = work_outside(rig, box)
    assert "\x1b" not in said
    assert not list(rig.ran.iterdir()), "the user's own git has run it"
    assert CANARY not in said
    again = ""
    with suppress(ManyhandsError):
        look = f"grep -rs {CANARY[:9]} $HOST $HUB $REPO /tmp | head -5; cat $HUB/token $REPO/.env;"
        next_box = rig.make_box()
        ran = await run(rig, next_box, f"{look} cat $HOST/.ssh/id $HOST/private/run; true")
        again = ran.out
        assert "tool works" not in again
    same = {p: v for p, v in before.items() if not p.startswith(f"{rig.repo}/.git")}
    after = rig.digests()
    assert {
        p: (v, after.get(p)) for p, v in same.items() if after.get(p) != v and _own(rig, p)
    } == {}
    assert not any(Path(f"{rig.host}-target").iterdir())
    assert (refs, settings) == (rig.refs_of_user(), rig.settings_of_user())
    assert CANARY not in again
    assert not list(rig.ran.iterdir())
    may_be_reached = {"tcp", "udp"} if attempt.network == "open" else set()
    if rig.by == "bubblewrap":
        assert rig.listeners.reached - may_be_reached == set()


def _own(rig: Rig, path: str) -> bool:
    """Notes about the session's twin follow what happens in it."""
    return not path.startswith(f"{rig.own}/")


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: f"{attempt.kind}-{attempt.name}")
async def test_an_attempt_to_leave_a_box_fails(attempt: Attempt, rigs: Rigs) -> None:
    with rigs("bubblewrap", attempt.network).opened() as rig:
        await try_to_leave(rig, attempt)


@pytest.mark.parametrize(
    "attempt", BY_LANDLOCK, ids=lambda attempt: f"{attempt.kind}-{attempt.name}"
)
async def test_what_landlock_promises_holds_without_namespaces(
    attempt: Attempt, rigs: Rigs
) -> None:
    with rigs("landlock", attempt.network).opened() as rig:
        await try_to_leave(rig, attempt)


def test_there_are_many_attempts_of_every_kind_and_no_two_of_one_name() -> None:
    assert len({attempt.name for attempt in ATTEMPTS}) == len(ATTEMPTS) >= 34


def guide_row(attempt: Attempt) -> str:
    holds = "`full`, `files`" if attempt.by_landlock else "`full`"
    return f"| {attempt.kind} | `{attempt.name}` | {attempt.tries} | {holds} |"


def test_the_guide_lists_every_attempt() -> None:
    lines = GUIDE.read_text("utf-8").splitlines()
    assert [row for row in map(guide_row, ATTEMPTS) if row not in lines] == []
    names = re.findall(r"^\| [a-z]+ \| `([a-z-]+)` \|", "\n".join(lines), re.MULTILINE)
    assert names == [attempt.name for attempt in ATTEMPTS]
