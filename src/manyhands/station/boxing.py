"""Boxes where a repository lies: what code of a session's, or on a bench, runs in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from manyhands.agents.places import agent_places
from manyhands.box.leading import led_out
from manyhands.box.making import Places, make_box, make_ready, mirror_of
from manyhands.box.twins import mend_twin, sync_twin, with_twin
from manyhands.box.wrapping import surroundings
from manyhands.config import Home
from manyhands.contract.hub import Finding
from manyhands.errors import AgentFailed, ManyhandsError, TwinBroken
from manyhands.git.recovery import remove_files
from manyhands.git.refs import require_worktree
from manyhands.git.twin.place import Synced
from manyhands.keeper.claim import is_claimed
from manyhands.model.box import Box, BoxTerms
from manyhands.model.surroundings import Surroundings
from manyhands.model.wire import AgentSpec
from manyhands.station import twins
from manyhands.station.doctor import Oddity
from manyhands.station.threads import in_thread
from manyhands.station.twins import find_twin, forget_twin
from manyhands.station.worktree import Worktree


def session_box(
    home: Home,
    at: Worktree,
    env: Mapping[str, str],
    terms: BoxTerms,
    *,
    places: Places = Places(),
    use: str = "commands",
) -> Box:
    """The session's own, with nothing made yet."""
    made = make_box(
        home,
        Path(at.kept),
        at.root,
        terms=terms,
        env=env,
        places=places,
        use=use,
        in_place=at.in_place,
    )
    return replace(made, mirror=str(mirror_of(home, at.repository)))


@in_thread
def load_surroundings(
    home: Home, at: Worktree, env: Mapping[str, str], terms: BoxTerms
) -> Surroundings:
    """For hooks and filters in the session's worktree, which need no network."""
    return surroundings(_ready_box(home, at, env, terms), env)


def _ready_box(home: Home, at: Worktree, env: Mapping[str, str], terms: BoxTerms) -> Box:
    box = session_box(home, at, env, terms)
    if not at.in_place:
        box = with_twin(box, Path(at.kept), at.session, at.branch)
    make_ready(box)
    return box


@asynccontextmanager
async def session_surroundings(
    home: Home, at: Worktree, env: Mapping[str, str], terms: BoxTerms
) -> AsyncIterator[Surroundings]:
    """For commands of the repository in the session's worktree, beside its agent."""
    box = await asyncio.to_thread(_ready_box, home, at, env, terms)
    async with led_out(box, env, terms.remotes) as within:
        yield within


@asynccontextmanager
async def bench_surroundings(
    home: Home, place: Path, env: Mapping[str, str], terms: BoxTerms
) -> AsyncIterator[Surroundings]:
    """For commands in a private worktree of ours: a box that is thrown away with it."""
    box = await asyncio.to_thread(_bench_box, home, place, env, terms)
    async with led_out(box, env, terms.remotes) as within:
        yield within


def _bench_box(home: Home, place: Path, env: Mapping[str, str], terms: BoxTerms) -> Box:
    own = _own(home, place)
    box = make_box(home, own, place, terms=terms, env=env)
    box = with_twin(box, own, place.name, "")
    make_ready(box)
    return box


@in_thread
def load_agent_box(
    home: Home, at: Worktree, spec: AgentSpec, terms: BoxTerms, conversation: str
) -> Box:
    """What the agent is started in; its keeper makes what must be there."""
    try:
        places = agent_places(spec)
    except AgentFailed:
        places = Places()  # its keeper says it, as its start fails
    return session_box(home, at, spec.env, terms, places=places, use=conversation)


async def has_twin(at: Worktree) -> bool:
    # One look at a name is quicker than the way to a thread.
    return find_twin(at) is not None


@in_thread
def settle(
    home: Home,
    at: Worktree,
    env: Mapping[str, str],
    terms: BoxTerms,
    *,
    everything: bool = False,
) -> Synced:
    """What was done in the session's box and what was done here come together; nothing where
    nothing ever ran in one."""
    own = Path(at.kept)
    if find_twin(at) is None or not _is_whole(at):
        return Synced()
    wish = replace(terms.wish, level=None)  # whatever is wished by now, there is a twin
    box = session_box(home, at, env, BoxTerms(wish, terms.means))
    box = with_twin(box, own, at.session, at.branch)
    make_ready(box)
    try:
        return sync_twin(box, own, at.session, at.branch, everything=everything)
    except TwinBroken:
        mended = "" if is_claimed(Path(at.lock)) else mend_twin(box, own, at.session, at.branch)
        if not mended:
            raise
        return Synced(note=mended)


TWIN_FIX = "`manyhands doctor --fix` makes it anew from the branch, and keeps the old one"


async def check_twin(
    home: Home, at: Worktree, env: Mapping[str, str], terms: BoxTerms
) -> Finding | Oddity | None:
    """A git directory in a box that does not come together with the branch here, where nobody works
    in it now."""
    if find_twin(at) is None or is_claimed(Path(at.lock)):
        return None
    try:
        done = await settle(home, at, env, terms)
    except TwinBroken as error:
        found = Finding("box", False, f"{at.root}: {error.message}", TWIN_FIX)
        return Oddity(found, twin=at)
    except ManyhandsError as error:
        return Finding("box", False, f"{at.root}: {error.message}", error.hint or "")
    if done.way != "diverged":
        return None
    return Finding("box", False, f"{at.root}: {done.note}", ways_out(done))


def ways_out(done: Synced) -> str:
    return " or ".join(f"`{way}`" for way in done.commands)


def _is_whole(at: Worktree) -> bool:
    """What has lost its repository is told of and mended elsewhere."""
    try:
        require_worktree(at.root)
    except ManyhandsError:
        return False
    return True


set_at_rest = in_thread(twins.set_at_rest)


def clear_bench(home: Home, repo: Path, place: Path) -> None:
    """Nothing in it was anybody's."""
    if (own := _own(home, place)).is_dir():
        forget_twin(repo, place.name)
        remove_files(own)


def _own(home: Home, place: Path) -> Path:
    return home.boxes / place.name
