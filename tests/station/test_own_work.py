"""Whatever a branch has been through, a merge brings in what is its own and nothing else."""

from __future__ import annotations

import asyncio
import tempfile
from itertools import product
from pathlib import Path
from typing import get_args

import pygit2
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.model.ids import Oid, SessionId
from manyhands.model.landing.merge_events import MergeMethod
from manyhands.model.landing.merges import Merge
from manyhands.station.landing.merge import count_absorbed, load_others, prepare
from manyhands.station.landing.merge_message import MergeWords
from manyhands.station.worktree import Worktree
from tests.support.sides import git

Deed = str
"""Whose commit comes next (`theirs` at the remote, `mine` here, `own` in the session), or that the
session takes in what is there (`takes`), or goes on top of it (`tops`)."""
DEEDS = st.lists(st.sampled_from(["theirs", "mine", "own", "own", "takes", "tops"]), max_size=7)


FILES = frozenset[str]


class History:
    """A branch here, the same at a remote, an older one, and a session's that began there; nobody
    writes another's files, so that a tree is the list of those that are there."""

    def __init__(self, place: Path, deeds: list[Deed]) -> None:
        self.repo = pygit2.init_repository(str(place), initial_head="main")
        self.place = place
        self._blob = self.repo.create_blob(b"x\n")
        self._trees: dict[pygit2.Oid, FILES] = {}
        first = self._commit("first", FILES(), [])
        self._tips = dict.fromkeys(("theirs", "mine", "own", "older"), first)
        for deed in (*deeds, "own"):
            self._do(deed)
        named = {"theirs": "refs/remotes/origin/main", "mine": "refs/heads/main"}
        for who, tip in self._tips.items():
            self.repo.create_reference(named.get(who, f"refs/heads/{who}"), tip)

    def _do(self, deed: Deed) -> None:
        own, theirs = self._tips["own"], self._tips["theirs"]
        if deed == "takes" and not self._is_in(theirs, own):
            both = self._trees[own] | self._trees[theirs]
            self._tips["own"] = self._commit("takes", both, [own, theirs])
        elif deed == "tops":
            mine = sorted(f for f in self._trees[own] if f.startswith("own"))
            self._tips["own"] = theirs
            for file in mine:
                self._write("own", file)
        elif deed in self._tips:
            self._write(deed, f"{deed} {len(self._trees):02}")

    def _is_in(self, one: pygit2.Oid, other: pygit2.Oid) -> bool:
        return one == other or self.repo.descendant_of(other, one)

    def _write(self, who: str, file: str) -> None:
        tip = self._tips[who]
        self._tips[who] = self._commit(file, self._trees[tip] | {file}, [tip])

    def _commit(self, message: str, files: FILES, parents: list[pygit2.Oid]) -> pygit2.Oid:
        tree = self.repo.TreeBuilder()
        for file in files:
            tree.insert(file, self._blob, pygit2.enums.FileMode.BLOB)
        who = pygit2.Signature("Test Person", "person@example.invalid", len(self._trees), 0)
        made = self.repo.create_commit(None, who, who, message, tree.write(), parents)
        self._trees[made] = files
        return made

    def oid(self, name: str) -> Oid:
        return Oid(str(self.repo.revparse_single(name).id))

    def files(self, commit: str) -> FILES:
        return FILES(entry.name or "" for entry in self.repo[commit].peel(pygit2.Tree))


@settings(max_examples=6)
@given(deeds=DEEDS)
def test_what_lands_is_the_sessions_own_by_every_method_and_wherever(deeds: list[Deed]) -> None:
    with tempfile.TemporaryDirectory() as made:
        history = History(Path(made), deeds)
        for into, method in product(("main", "origin/main", "older"), get_args(MergeMethod)):
            asyncio.run(check(history, into, method))


async def check(history: History, into: str, method: MergeMethod) -> None:
    target, tip = history.oid(into), history.oid("own")
    tips = [history.oid(name) for name in ("main", "origin/main")]
    at = Worktree(
        session=SessionId("s"),
        repo=str(history.place),
        path=str(history.place),
        base=history.oid("older"),
        kept="",
        branch="own",
    )
    others = await load_others(at, tip, (target, *tips))
    plan = Merge(
        id="m",
        into=into,
        method=method,
        tip=tip,
        target=target,
        at="2026-01-01T00:00:00.000Z",
        others=others,
    )
    brought = ("log", "--format=%s", "--not", target, "--not")
    if method == "merge" and await count_absorbed(at, plan):
        assert strangers(git(history.place, *brought, tip))
        return
    done = await prepare(at, plan, MergeWords("Title", ""))
    own = {file for file in history.files(tip) if file.startswith("own")}
    assert history.files(done.commit) == history.files(target) | own
    assert not strangers(git(history.place, *brought, done.commit))


def strangers(subjects: str) -> list[str]:
    return [line for line in subjects.splitlines() if line.startswith(("theirs", "mine"))]
