"""Where a session starts: the remote's newest commit in bounded time, or what is known here."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.driver import Refused
from tests.support.pool_hub import MakeHub, PoolHub

HELD_UP = "#!/bin/sh\necho x >> '{log}'\n{then}\n"


@pytest.fixture
def remote(make_hub: MakeHub, tmp_path: Path) -> tuple[PoolHub, Path]:
    """A hub whose repository is a clone, and a second clone that pushes to the same remote."""
    hub = make_hub("pool = 0\nfetch_every_seconds = 0\nfetch_seconds = 60")
    bare = tmp_path / "remote.git"
    hub.git("clone", "-q", "--bare", str(hub.repo), str(bare), cwd=tmp_path)
    shutil.rmtree(hub.repo)
    hub.git("clone", "-q", str(bare), str(hub.repo), cwd=tmp_path)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    other = tmp_path / "other"
    hub.git("clone", "-q", str(bare), str(other), cwd=tmp_path)
    return hub, other


def push(hub: PoolHub, other: Path, files: dict[str, str], branch: str = "main") -> str:
    newest = hub.commit(files, cwd=other)
    hub.git("push", "-q", "origin", f"HEAD:{branch}", cwd=other)
    return newest


def slow_remote(hub: PoolHub, tmp_path: Path, then: str = "exit 1") -> Path:
    """The remote's end becomes a script: it notes each call, and does as told. It is the user's own
    config that says so: the repository's would not be heeded."""
    program, log = tmp_path / "upload-pack", tmp_path / "asked"
    program.write_text(HELD_UP.format(log=log, then=then))
    program.chmod(0o755)
    log.touch()
    hub.git("config", "--global", "remote.origin.uploadpack", str(program), cwd=hub.repo)
    return log


def test_the_remotes_newest_commit_is_the_base(remote: tuple[PoolHub, Path]) -> None:
    hub, other = remote
    newest = push(hub, other, {"pushed.txt": "1\n"})
    before = (hub.repo / ".git/config").read_bytes()
    session = hub.plain("Fresh")
    assert (session["base"], session["base_commit"]) == ("origin/main", newest)
    assert hub.head(session) == newest
    assert hub.notes(session["id"]) == []
    assert (hub.repo / ".git/config").read_bytes() == before
    assert not (hub.repo / ".git/FETCH_HEAD").exists()
    types = hub.types(session["id"])
    assert types.index("base_resolved") < types.index("worktree_ready")


def test_a_remote_that_is_away_is_said_so_and_the_known_one_is_used(
    remote: tuple[PoolHub, Path], tmp_path: Path
) -> None:
    hub, _ = remote
    known = hub.git("rev-parse", "origin/main", cwd=hub.repo).strip()
    (tmp_path / "remote.git").rename(tmp_path / "gone.git")
    session = hub.plain("Offline")
    assert (session["status"], session["base_commit"]) == ("idle", known)
    assert "could not be asked" in hub.notes(session["id"])[0]
    assert known[:12] in hub.notes(session["id"])[0]


def test_a_remote_that_never_answers_costs_a_bounded_time(
    remote: tuple[PoolHub, Path], tmp_path: Path
) -> None:
    hub, _ = remote
    hub.set_workspaces("pool = 0\nfetch_seconds = 3\nfetch_every_seconds = 600")
    log = slow_remote(hub, tmp_path, "sleep 600")
    first = hub.plain("Waits")
    assert "no end after" in hub.notes(first["id"])[0]
    asked = log.read_text()
    second = hub.plain("Waits no more")
    assert hub.notes(second["id"]), "what is older than it could be must be said each time"
    assert log.read_text() == asked


def test_sessions_at_once_share_one_fetch(remote: tuple[PoolHub, Path], tmp_path: Path) -> None:
    hub, other = remote
    newest = push(hub, other, {"pushed.txt": "1\n"})
    hub.set_workspaces("pool = 0\nfetch_seconds = 60\nfetch_every_seconds = 600")
    log = slow_remote(hub, tmp_path, 'sleep 0.5; exec git upload-pack "$@"')
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(hub.plain, [f"Number {n}" for n in range(8)]))
    assert {s["base_commit"] for s in made} == {newest}
    assert log.read_text().count("x") == 1
    hub.plain("Soon after")
    assert log.read_text().count("x") == 1


def test_a_default_branch_that_no_clone_knows_yet_is_found(
    remote: tuple[PoolHub, Path], tmp_path: Path
) -> None:
    hub, other = remote
    newest = push(hub, other, {"trunk.txt": "1\n"}, branch="trunk")
    hub.git("symbolic-ref", "HEAD", "refs/heads/trunk", cwd=tmp_path / "remote.git")
    for ref in ("refs/remotes/origin/HEAD", "refs/remotes/origin/main"):
        hub.git("update-ref", "--no-deref", "-d", ref, cwd=hub.repo)
    session = hub.plain("On trunk")
    assert (session["base"], session["base_commit"]) == ("origin/trunk", newest)


@pytest.mark.parametrize("form", ["{short}", "v1", "main~1", "origin/side", "HEAD^{{tree}}"])
def test_any_ref_can_be_the_base(remote: tuple[PoolHub, Path], form: str) -> None:
    hub, other = remote
    first = hub.git("rev-parse", "HEAD", cwd=hub.repo).strip()
    hub.git("tag", "-a", "-m", "One", "v1", cwd=hub.repo)
    side = push(hub, other, {"side.txt": "1\n"}, branch="side")
    hub.git("fetch", "-q", cwd=hub.repo)
    hub.commit({"local.txt": "1\n"})
    base = form.format(short=first[:9])
    if "tree" in base:
        with pytest.raises(Refused, match="names no commit"):
            hub.plain("No commit", base=base)
        return
    session = hub.plain("From a ref", base=base)
    assert session["base_commit"] == (side if "side" in base else first)
    assert hub.head(session) == session["base_commit"]


def test_a_named_local_branch_is_never_replaced_by_the_remotes(
    remote: tuple[PoolHub, Path],
) -> None:
    hub, other = remote
    push(hub, other, {"pushed.txt": "1\n"})
    local = hub.commit({"local.txt": "1\n"})
    session = hub.plain("Local", base="main")
    assert (session["base"], session["base_commit"]) == ("main", local)


def test_no_remote_and_no_network_is_fine(hub: PoolHub) -> None:
    session = hub.plain("Alone")
    assert (session["base"], session["status"]) == ("main", "idle")
    assert hub.notes(session["id"]) == []
    assert "base" not in [e.get("step") for e in hub.events(session["id"])]


@pytest.mark.parametrize(
    ("template", "title", "branch"),
    [
        ("team/{slug}/x", "Tidy up", "team/tidy-up/x"),
        ("{slug}", "Clear up", "clear-up"),
        ("wip-{slug}", "Clean up", "wip-clean-up"),
    ],
)
def test_the_branch_is_named_by_the_repositorys_template(
    hub: PoolHub, template: str, title: str, branch: str
) -> None:
    hub.commit({".manyhands.toml": f'[worktree]\nbranch = "{template}"\n'})
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    session = hub.plain(title)
    assert (session["branch"], hub.branch(session)) == (branch, branch)


@pytest.mark.parametrize(
    "template", ["fixed", "{slug}..x", "{slug}/{other}", "-{slug}", "{slug} x"]
)
def test_a_template_that_names_no_branch_is_refused(hub: PoolHub, template: str) -> None:
    hub.commit({".manyhands.toml": f'[worktree]\nbranch = "{template}"\n'})
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    with pytest.raises(Refused):
        hub.plain("Tidy up")


HOSTILE = [
    "x" * 10_000,
    "🚀🔥 только эмодзи",
    "$(rm -rf ~); `id` && ../../etc/passwd",
    "--force",
    "refs/heads/main",
    "a..b~1^:?*[\\ x.lock",
    "CON",
]


@pytest.mark.parametrize("title", HOSTILE, ids=range(len(HOSTILE)))
def test_every_title_gives_a_branch_and_equal_ones_differ(hub: PoolHub, title: str) -> None:
    with ThreadPoolExecutor(3) as threads:
        made = list(threads.map(hub.plain, [title] * 3))
    assert len({s["branch"] for s in made}) == len({s["slug"] for s in made}) == 3
    for session in made:
        assert (session["status"], hub.branch(session)) == ("idle", session["branch"])


def test_a_branch_called_mh_is_no_obstacle(hub: PoolHub) -> None:
    hub.git("branch", "MH", cwd=hub.repo)
    session = hub.plain("Beside it")
    assert (session["branch"], session["status"]) == ("mh-beside-it", "idle")
