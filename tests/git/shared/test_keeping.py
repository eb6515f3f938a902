"""What is kept of branches, tags, stash and config: found again, for little, and for a time."""

from __future__ import annotations

from pathlib import Path

from manyhands.git.shared.changes import Settled, find_changes
from manyhands.git.shared.keeping import Keep, forget_before, keep, latest, load_kept
from manyhands.git.shared.state import load_shared
from tests.support.samples import git

MANY = 2000


def keep_in(repo: Path, tmp_path: Path) -> Keep:
    return Keep(repo, "home", tmp_path / "kept")


def objects(repo: Path) -> int:
    said = dict(line.split(": ") for line in git(repo, "count-objects", "-v").splitlines())
    return int(said["count"]) + int(said["in-pack"])


def test_of_thousands_of_refs_only_what_is_new_costs(repo: Path, tmp_path: Path) -> None:
    place = keep_in(repo, tmp_path)
    lines = []
    for n in range(MANY):
        who = f"committer A <a@b> {n + 1} +0000\ndata 1\nx\n"
        lines.append(f"commit refs/heads/b/{n}\n{who}from refs/heads/{branch(repo)}^0\n\n")
    stream = tmp_path / "stream"
    stream.write_text("".join(lines))
    git(repo, "-c", f"alias.in=!git fast-import --quiet < '{stream}'", "in")
    first = load_shared(repo, place.under)
    assert len(first.refs) == MANY + 1
    before = keep(place, first, "2026-01-01", None)
    known = objects(repo)
    tip = git(repo, "rev-parse", "b/7")
    git(repo, "branch", "-D", "b/7")
    now = load_shared(repo, place.under)
    (lost,) = find_changes(repo, first, now, Settled())
    assert (lost.kind, lost.name, lost.before, lost.now) == ("branch", "b/7", tip, "")
    keep(place, now, "2026-01-01", before)
    assert objects(repo) - known < 10
    git(repo, "reflog", "expire", "--expire=now", "--all")
    git(repo, "gc", "-q", "--prune=now")
    assert git(repo, "cat-file", "-t", tip) == "commit"
    then = load_kept(place, before)
    assert then is not None
    assert (then.refs, then.stash, then.config) == (first.refs, first.stash, first.config)
    assert git(repo, "fsck", "--no-dangling", "--no-progress") == ""


def branch(repo: Path) -> str:
    return git(repo, "branch", "--show-current")


def test_what_is_old_is_let_go_and_the_last_state_stays(repo: Path, tmp_path: Path) -> None:
    place = keep_in(repo, tmp_path)
    commits = []
    for day in ("2026-01-01", "2026-02-01", "2026-02-02"):
        now = load_shared(repo, place.under)
        commits.append(keep(place, now, day, latest(now)))
    forget_before(place, "2026-02-01")
    kept = load_shared(repo, place.under).kept
    assert sorted(ref.rpartition("/")[2] for ref in kept) == ["2026-02-01", "2026-02-02"]
    forget_before(place, "2027-01-01")
    assert list(load_shared(repo, place.under).kept.values()) == [commits[-1]]
    assert load_kept(place, commits[-1]) is not None
    # Nothing of a day holds another one.
    assert git(repo, "rev-list", "--count", commits[-1]) == "2"


def test_a_state_whose_ref_was_deleted_is_kept_with_the_next(repo: Path, tmp_path: Path) -> None:
    place = keep_in(repo, tmp_path)
    git(repo, "branch", "mine")
    first = keep(place, load_shared(repo, place.under), "2026-01-01", None)
    git(repo, "update-ref", "-d", f"{place.under}/2026-01-01")
    second = keep(place, load_shared(repo, place.under), "2026-01-02", first)
    assert git(repo, "rev-parse", f"{second}^1") == first


def test_a_repository_without_commits_and_a_detached_head_are_kept_too(
    repo: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q")
    place = keep_in(empty, tmp_path)
    assert load_kept(place, keep(place, load_shared(empty, place.under), "2026-01-01", None))
    git(repo, "checkout", "-q", "--detach")
    git(repo, "commit", "-q", "--allow-empty", "-m", "loose")
    place = keep_in(repo, tmp_path)
    made = keep(place, load_shared(repo, place.under), "2026-01-01", None)
    assert git(repo, "rev-parse", "HEAD") in git(repo, "rev-parse", f"{made}^@").split()
