"""A checkpoint of a big worktree in which little changed, against the plain way in the same run.

The plain way is a private index, `git add -A`, a tree and a commit, flushed to disk. It is not
byte-exact; ours is, and the first round proves that it equals a whole look at everything.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from bench.figures import Measured, at_most, spread
from bench.repository import git, make_repository, name_of
from manyhands.git.snapshot.parts import load_snapshot
from manyhands.git.snapshot.snapshot import make_snapshot
from manyhands.model.ids import Oid

FILES, CHANGED = 50_000, 5
MOST_MS, SHARE = 200.0, 0.5
DURABLE = ("-c", "core.fsync=committed", "-c", "core.fsyncMethod=batch")


def measure(*, quick: bool = False) -> Measured:
    with tempfile.TemporaryDirectory(prefix="manyhands-bench-") as place:
        return _judge(_samples(Path(place), rounds=5 if quick else 15))


def _samples(place: Path, rounds: int) -> dict[str, list[float]]:
    environment = dict(os.environ) | {
        f"GIT_{role}_{what}": "bench@example.invalid"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    repo, tree, kept = place / "repo", place / "tree", place / "kept"
    make_repository(repo, environment, FILES)
    git(repo, environment, "worktree", "add", "-q", "-b", "work", str(tree))
    kept.mkdir()
    base = Oid(git(tree, environment, "rev-parse", "HEAD"))
    make_snapshot(tree, base=base, kept=kept)
    samples: dict[str, list[float]] = {"ours": [], "plain": [], "whole": []}
    for number in range(rounds):
        changed = _change(tree, number)
        began = time.perf_counter()
        made = make_snapshot(tree, base=base, kept=kept, changed=changed)
        samples["ours"].append((time.perf_counter() - began) * 1000)
        samples["plain"].append(_plain(tree, place, environment))
        if number == 0:
            began = time.perf_counter()
            whole = make_snapshot(tree, base=base)
            samples["whole"].append((time.perf_counter() - began) * 1000)
            _require_equal(repo, made, whole)
    return samples


def _change(tree: Path, number: int) -> list[bytes]:
    """Two edits, a new file, a deletion and a mode, somewhere else in every round."""
    names = [name_of((number * CHANGED + n) * 997 % FILES) for n in range(CHANGED)]
    for name in names[:2]:
        (tree / name).write_text(f"changed in round {number}\n")
    (tree / names[2]).with_suffix(".new").write_text("new\n")
    (tree / names[3]).unlink()
    (tree / names[4]).chmod(0o600)
    return [os.fsencode(n) for n in (*names[:2], names[2][:-3] + ".new", *names[3:])]


def _plain(tree: Path, place: Path, environment: dict[str, str]) -> float:
    index = place / "index"
    private = environment | {"GIT_INDEX_FILE": str(index)}
    began = time.perf_counter()
    shutil.copy2(git(tree, environment, "rev-parse", "--git-path", "index"), index)
    git(tree, private, *DURABLE, "add", "-A")
    made = git(tree, private, *DURABLE, "write-tree")
    git(tree, private, *DURABLE, "commit-tree", "-p", "HEAD", "-m", "snapshot", made)
    return (time.perf_counter() - began) * 1000


def _require_equal(repo: Path, made: Oid, whole: Oid) -> None:
    ours, theirs = load_snapshot(repo, made), load_snapshot(repo, whole)
    if (ours.parts, ours.manifest) != (theirs.parts, theirs.manifest):
        raise RuntimeError("the quick checkpoint is not what a whole look finds")


def _judge(samples: dict[str, list[float]]) -> Measured:
    ours, plain = (statistics.median(samples[name]) for name in ("ours", "plain"))
    return Measured(
        bars=[
            at_most(f"checkpoint, {FILES} files, {CHANGED} changed, median", ours, MOST_MS, "ms"),
            at_most("÷ a full private-index snapshot", ours / plain, SHARE, "×"),
        ],
        notes=[
            f"ours {spread(samples['ours'])} ms, byte-exact and flushed",
            f"`add -A` in a private index {spread(samples['plain'])} ms",
            f"our own whole look, once: {samples['whole'][0]:.0f} ms",
        ],
        samples={name: [round(value, 1) for value in values] for name, values in samples.items()},
    )
