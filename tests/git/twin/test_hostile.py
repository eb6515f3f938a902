"""Whoever owns the twin puts anything there: one clear sentence, and the repository as it was."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from manyhands.errors import GitFailed, ManyhandsError, NotPossible, TwinBroken
from manyhands.git.runner import Git
from manyhands.git.twin import bringing, fetching
from manyhands.git.twin.making import remake_twin
from manyhands.git.twin.state import operation
from manyhands.git.twin.syncing import bring_in, sync
from tests.git.conftest import Place
from tests.git.twin.conftest import Boxed, boxed, users_own
from tests.git.twin.test_bringing import same_index
from tests.support.samples import commit_all, git, write

TWIN = '"$(git rev-parse --absolute-git-dir)"'
RUINED = {
    "nothing is left": f'd={TWIN}; rm -rf "$d"/* 2>/dev/null || true',
    "HEAD is gone": f"rm {TWIN}/HEAD",
    "HEAD is a link": f'd={TWIN}; rm "$d"/HEAD; ln -s /etc/passwd "$d"/HEAD',
    "HEAD is a pipe": f'd={TWIN}; rm "$d"/HEAD; mkfifo "$d"/HEAD',
    "HEAD is a folder": f'd={TWIN}; rm "$d"/HEAD; mkdir "$d"/HEAD',
    "HEAD is huge": f"truncate -s 1G {TWIN}/HEAD",
    "HEAD is nonsense": f"echo 'ref: ../../../etc/passwd' >{TWIN}/HEAD",
    "heads lead elsewhere": f'd={TWIN}; rm -r "$d"/refs/heads; ln -s /etc "$d"/refs/heads',
    "refs lead elsewhere": f'd={TWIN}; rm -r "$d"/refs; ln -s /etc "$d"/refs',
    "refs are a file": f'd={TWIN}; rm -r "$d"/refs; touch "$d"/refs',
    "a ref is a pipe": f"mkfifo {TWIN}/refs/heads/pipe",
    "packed refs are huge": f"truncate -s 1G {TWIN}/packed-refs",
    "packed refs are a pipe": f'd={TWIN}; rm "$d"/packed-refs; mkfifo "$d"/packed-refs',
    "refs without end": f"mkdir -p {TWIN}/refs/heads" + "/d" * 60,
}


@pytest.mark.parametrize("script", RUINED.values(), ids=RUINED)
def test_a_ruined_twin_is_told_and_made_anew(agent: Boxed, script: str) -> None:
    made = agent.commit({"x.txt": "x"})
    sync(agent.place, agent.prefix)
    before = users_own(agent.repo)
    agent.sh(script, check=False)
    with pytest.raises(TwinBroken, match=r"private git directory .* cannot be used") as told:
        sync(agent.place, agent.prefix)
    assert "\n" not in told.value.message
    assert users_own(agent.repo) == before
    binds, aside = remake_twin(agent.place)
    assert binds == agent.binds
    assert aside is not None
    assert aside.is_dir()
    assert agent.git("rev-parse", "HEAD") == made
    assert sync(agent.place, agent.prefix).way == "same"
    same_index(agent)


LYING = {
    "a tree with .git in it": "t=$(printf '100644 blob %s\\t.git\\0' $(git hash-object -w a.txt) "
    "| git mktree -z); c=$(git commit-tree -p HEAD -m x $t); git update-ref HEAD $c",
    "a .gitmodules that names a program": "printf '[submodule \"x\"]\\n path=x\\n url=-upload\\n' "
    ">.gitmodules; git add .gitmodules; git commit -qm x",
    "a blob that is gone": "echo gone >gone; git add gone; git commit -qm x; "
    f"o=$(git rev-parse :gone | sed 's,..,&/,'); rm -f {TWIN}/objects/$o",
    "an object that is another": "echo gone >gone; git add gone; git commit -qm x; "
    f"d={TWIN}; a=$(git rev-parse :gone | sed 's,..,&/,'); "
    "b=$(echo other | git hash-object -w --stdin | sed 's,..,&/,'); "
    'cp -f "$d"/objects/$b "$d"/objects/$a',
    "an object that is nonsense": "echo gone >gone; git add gone; git commit -qm x; "
    f'f={TWIN}/objects/$(git rev-parse :gone | sed \'s,..,&/,\'); chmod u+w "$f"; echo no >"$f"',
    "a ref to nothing": f"mkdir {TWIN}/refs/heads/mh; echo {'1' * 40} >{TWIN}/refs/heads/mh/one",
    "a commit that is malformed": "c=$(git cat-file commit HEAD | sed 's/^author.*/author/' | "
    "git hash-object -w -t commit --literally --stdin); git update-ref HEAD $c",
}


@pytest.mark.parametrize("script", LYING.values(), ids=LYING)
def test_objects_that_are_not_right_do_not_come_over(agent: Boxed, script: str) -> None:
    before, objects = users_own(agent.repo), all_objects(agent.repo)
    agent.sh(script)
    tip = agent.git("rev-parse", "HEAD")
    with pytest.raises(TwinBroken, match="does not come over"):
        fetching.fetch_objects(agent.place, agent.prefix, [tip], [agent.base])
    with pytest.raises(TwinBroken, match="cannot be used") as told:
        sync(agent.place, agent.prefix)
    assert "\n" not in told.value.message
    assert users_own(agent.repo) == before
    assert all_objects(agent.repo) == objects
    git(agent.repo, "fsck", "--strict")


def all_objects(repo: Path) -> set[str]:
    return {str(path) for path in (repo / ".git/objects").rglob("*") if path.is_file()}


def test_programs_that_its_config_names_run_in_the_box_or_not_at_all(agent: Boxed) -> None:
    made = agent.commit({"x.txt": "x"})
    write(agent.worktree, {"evil": "#!/bin/sh\ntouch /var/tmp/manyhands-evil\nexit 1\n"})
    (agent.worktree / "evil").chmod(0o755)
    evil = str(agent.worktree / "evil")
    names = ("core.fsmonitor", "uploadpack.packObjectsHook", "core.alternateRefsCommand")
    for name in (*names, "core.sshCommand", "core.pager", "diff.external"):
        agent.git("config", name, evil)
    agent.git("config", "core.hooksPath", str(agent.worktree))
    (agent.worktree / "reference-transaction").symlink_to("evil")
    (agent.worktree / "post-index-change").symlink_to("evil")
    sync(agent.place, agent.prefix)
    assert agent.tip == made
    assert not Path("/var/tmp/manyhands-evil").exists()


def test_alternates_that_lead_elsewhere_give_nothing(place: Place, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    git(tmp_path, "init", "-q", secret)
    write(secret, {"s.txt": "secret"})
    hidden = commit_all(secret)
    agent = boxed(place.repo, place.worktree)
    agent.sh(f"echo {secret}/.git/objects >>{TWIN}/objects/info/alternates")
    agent.sh(f"echo {hidden} >{TWIN}/refs/heads/stolen")
    with pytest.raises(TwinBroken):
        sync(agent.place, agent.prefix)


def test_odd_names_are_passed_by(agent: Boxed) -> None:
    head = agent.git("rev-parse", "HEAD")
    made = agent.commit({"x.txt": "x"})
    lines = "".join(
        f"{made} {name}\\n"
        for name in (
            "refs/heads/../../../x",
            "refs/heads/a..b",
            "refs/heads/-x",
            "refs/heads/x.lock",
            "refs/heads/" + "y" * 240,
            "refs/heads/d",
            "refs/heads/d-e",
            "refs/heads/d/f",
            "refs/heads/ünï",
        )
    )
    agent.sh(f"printf '{lines}' >>{TWIN}/packed-refs; echo {head} >{TWIN}/refs/heads/spa\\ ce")
    done = sync(agent.place, agent.prefix)
    kept = {name.removeprefix(f"{agent.place.under}/heads/") for name in done.kept}
    assert kept == {"-x", "d", "d-e", "ünï"}
    assert done.note == "5 refs in the box have names that git does not allow"
    assert agent.tip == made


def test_an_index_that_is_nonsense_is_told(agent: Boxed) -> None:
    made = agent.commit({"x.txt": "x"})
    sync(agent.place, agent.prefix)
    agent.sh(f"echo nonsense >{TWIN}/index")
    with pytest.raises(TwinBroken, match="what is staged there cannot be read"):
        sync(agent.place, agent.prefix)
    assert agent.tip == made
    agent.sh(f"rm {TWIN}/index; git reset -q")
    sync(agent.place, agent.prefix)
    same_index(agent)


def test_an_index_with_a_forbidden_path_does_not_come_over(agent: Boxed) -> None:
    """Git refuses to stage it: the bytes are put there by hand."""
    agent.sh("echo x >xgit; git add -f xgit")
    index = agent.place.twin / "index"
    raw = index.read_bytes().replace(b"xgit", b".git")
    agent.run("sh", "-c", f"cat >{TWIN}/index", stdin=raw)
    agent.git("config", "index.skipHash", "true")
    before = git(agent.worktree, "ls-files", "--stage")
    with pytest.raises(ManyhandsError):
        sync(agent.place, agent.prefix)
    assert git(agent.worktree, "ls-files", "--stage") == before


def test_operations_are_read_without_following_links(agent: Boxed) -> None:
    agent.sh(f"ln -s /nonexistent {TWIN}/rebase-merge")
    assert operation(agent.place.twin) == "rebase"


def killing(after: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    """The process dies right after that."""

    def died(*given: object, **named: object) -> None:
        after(*given, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(bringing, after.__name__, died)


@pytest.mark.parametrize("step", ["fetch_objects", "keep", "move_branch"])
def test_a_kill_in_between_is_made_good_by_the_next_sync(
    agent: Boxed, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = agent.commit({"x.txt": "x"})
    agent.git("branch", "side")
    write(agent.worktree, {"a.txt": "staged\n"})
    agent.git("add", "a.txt")
    with monkeypatch.context() as patch:
        killing(getattr(bringing, step), patch)
        with pytest.raises(KeyboardInterrupt):
            sync(agent.place, agent.prefix)
    git(agent.repo, "gc", "-q", "--prune=now")
    sync(agent.place, agent.prefix)
    assert agent.tip == made
    same_index(agent)
    git(agent.repo, "fsck", "--strict")
    assert git(agent.repo, "rev-parse", f"{agent.place.under}/heads/side") == made


def test_a_fetch_that_is_killed_leaves_nothing(agent: Boxed) -> None:
    made = agent.commit({"x.txt": "x" * 1000})
    agent.git("gc", "-q")  # what is packed cannot be had without the other end
    before = all_objects(agent.repo)
    # The other end hangs: what is started for it ends with the limit.
    prefix = (*agent.prefix, "sh", "-c", "sleep 60", "sh")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fetching, "TIMEOUT", 0.5)
        with pytest.raises(ManyhandsError):
            fetching.fetch_objects(agent.place, prefix, [made], [agent.base])
    assert all_objects(agent.repo) == before


def test_a_full_disk_is_told_and_nothing_is_half_moved(agent: Boxed) -> None:
    agent.commit({"x.txt": "".join(map(str, range(100_000)))})
    before, objects = users_own(agent.repo), all_objects(agent.repo)
    # No file may become larger than that, as on a disk with no space left.
    script = (
        "import resource, signal, sys, pathlib\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
        "from manyhands.git.twin import fetching\n"
        "from manyhands.git.twin.place import Twin\n"
        "from manyhands.errors import ManyhandsError\n"
        "w, t, l, oid, base, *prefix = sys.argv[1:]\n"
        "place = Twin(pathlib.Path(w), pathlib.Path(t), pathlib.Path(l), 's1', 'mh/one')\n"
        "try:\n    fetching.fetch_objects(place, prefix, [oid], [base])\n"
        "except ManyhandsError as error:\n    print(type(error).__name__, error.message)\n"
    )
    place = agent.place
    tip = agent.git("rev-parse", "HEAD")
    words = [*map(str, (place.worktree, place.twin, place.link)), tip, agent.base, *agent.prefix]
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "does not come over" in done.stdout or "GitFailed" in done.stdout
    assert users_own(agent.repo) == before
    assert all_objects(agent.repo) == objects
    sync(agent.place, agent.prefix)
    assert agent.tip == tip


def test_a_collector_at_any_time_takes_nothing(agent: Boxed) -> None:
    over = threading.Event()

    def collect() -> None:
        while not over.is_set():
            Git(agent.repo, hardened=False).run("gc", "-q", "--prune=now", check=False)

    collector = threading.Thread(target=collect)
    collector.start()
    try:
        for n in range(8):
            made = agent.commit({f"f{n}.txt": f"{n}", "a.txt": f"{n}\n"})
            write(agent.worktree, {"a.txt": f"staged {n}\n"})
            agent.git("add", "a.txt")
            sync(agent.place, agent.prefix)
            assert agent.tip == made
    finally:
        over.set()
        collector.join()
    git(agent.repo, "fsck", "--strict")
    git(agent.repo, "gc", "-q", "--prune=now")
    same_index(agent)
    assert agent.git("show", ":a.txt") == "staged 7"


def test_the_branch_moving_under_a_sync_is_left_alone(
    agent: Boxed, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = agent.commit({"x.txt": "x"})
    real = fetching.fetch_objects
    tree = git(agent.repo, "rev-parse", "HEAD^{tree}")
    other = git(agent.repo, "commit-tree", "-p", agent.base, "-m", "meanwhile", tree)

    def meanwhile(*given: object) -> None:
        real(*given)  # type: ignore[arg-type]
        git(agent.worktree, "update-ref", "HEAD", other)

    monkeypatch.setattr(bringing, "fetch_objects", meanwhile)
    with pytest.raises(NotPossible, match="moved meanwhile"):
        sync(agent.place, agent.prefix)
    assert agent.tip == other
    monkeypatch.undo()
    assert sync(agent.place, agent.prefix).way == "diverged"
    assert git(agent.repo, "rev-parse", f"{agent.place.under}/tip") == made


def test_a_box_that_does_not_start_is_told(agent: Boxed) -> None:
    agent.commit({"x.txt": "x"})
    agent.git("gc", "-q")
    with pytest.raises(GitFailed, match="nonexistent/box"):
        bring_in(agent.place, ("/nonexistent/box",))
    assert agent.tip == agent.base
