"""A repository that tries to run its own code whenever someone looks at it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from manyhands.git import contents, refs, worktrees
from manyhands.git.diff.diff import diff_trees, diff_worktree
from manyhands.git.diff.pathdiff import PathDiffer
from manyhands.git.rescue import keeping, survey
from manyhands.git.snapshot.restore import restore_snapshot
from manyhands.git.snapshot.snapshot import make_snapshot
from manyhands.model.ids import Oid
from tests.git.conftest import Place
from tests.support.samples import SESSION, commit_all, git, write


def private_of(worktree: Path) -> Path:
    return worktree.with_name(f"{worktree.name}-private")


HOOKS = ["post-checkout", "post-commit", "post-index-change", "pre-auto-gc", "pre-commit"]
HOOKS += ["reference-transaction", "fsmonitor-watchman", "post-rewrite", "update"]


@pytest.fixture
def canary(place: Place) -> Path:
    return place.repo.parent / "canary"


@pytest.fixture
def evil(place: Place, canary: Path) -> Path:
    script = place.repo.parent / "evil.sh"
    script.write_text(f"#!/bin/sh\necho \"$@\" >> '{canary}'\n[ $1 = lazy ] || cat\n")
    script.chmod(0o755)
    return script


@pytest.fixture
def hostile(place: Place, evil: Path) -> Place:
    inner = place.worktree / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    write(inner, {"f": "inner"})
    commit_all(inner)
    git(place.worktree, "-c", "advice.addEmbeddedRepo=false", "add", "inner")
    base = commit_all(place.worktree, "with a gitlink")
    write(place.worktree, {"a.txt": "changed\n", "new.txt": "new\n", "inner/f": "dirty"})
    write(place.repo, {".git/info/attributes": "* filter=e.v=il diff=evil merge=evil\n"})
    for hook in HOOKS:
        (place.repo / ".git/hooks" / hook).symlink_to(evil)
    remote = {"url": f"ext::{evil} lazy", "promisor": "true", "uploadpack": f"{evil} pack"}
    config = {
        "core.fsmonitor": f"{evil} fsmonitor",
        "core.sshCommand": f"{evil} ssh",
        "core.pager": f"{evil} pager",
        "core.editor": f"{evil} editor",
        "core.askPass": f"{evil} askpass",
        "core.alternateRefsCommand": f"{evil} alternates",
        "credential.helper": f"!{evil} credential",
        "diff.external": f"{evil} external",
        "diff.evil.command": f"{evil} command",
        "diff.evil.textconv": f"{evil} textconv",
        "merge.evil.driver": f"{evil} merge",
        "gpg.program": f"{evil} gpg",
        "log.showSignature": "true",
        "protocol.ext.allow": "always",
        **{f"remote.evil.{key}": value for key, value in remote.items()},
    }
    with (place.repo / ".git/config").open("a") as stream:
        stream.write("".join(map(config_entry, config, config.values())))
        stream.write(f'[filter "e.v=il"]\nclean = {evil} clean\nsmudge = {evil} smudge\n')
        stream.write("required = true\n")
    write(inner, {".git/info/attributes": "* filter=inner\n"})
    git(inner, "config", "filter.inner.clean", f"{evil} inner-clean")
    return Place(place.repo, place.worktree, base, place.locks)


def config_entry(key: str, value: str) -> str:
    section, *middle, name = key.split(".")
    head = f'{section} "{middle[0]}"' if middle else section
    return f'[{head}]\n{name} = "{value}"\n'


def touch(place: Place) -> None:
    """Make everything look changed, so that git must read it."""
    for name in ("a.txt", "src/b.py", "old.txt", "inner/f"):
        file = place.worktree / name
        file.write_bytes(file.read_bytes())


READS: dict[str, Callable[[Place], object]] = {
    "find": lambda p: refs.find_repository(p.worktree),
    "resolve": lambda p: refs.resolve(p.worktree, "HEAD"),
    "resolve a missing object": lambda p: refs.resolve(p.worktree, "1" * 40),
    "default base": lambda p: refs.default_base(p.worktree),
    "all branches": lambda p: refs.load_ref_table(p.repo),
    "list": lambda p: worktrees.list_worktrees(p.repo),
    "diff": lambda p: diff_worktree(p.worktree, p.base),
    "diff of trees": lambda p: diff_trees(p.repo, Oid("HEAD"), p.base),
    "one path": lambda p: PathDiffer(p.worktree, p.base).change("a.txt"),
    "one patch": lambda p: PathDiffer(p.worktree, p.base).draw("a.txt")[1],
    "the gitlink": lambda p: PathDiffer(p.worktree, p.base).change("inner"),
    "ignored": lambda p: contents.ignored_paths(p.worktree, [b"a.txt"]),
    "snapshot": lambda p: make_snapshot(
        p.worktree, private=private_of(p.worktree), base=p.base, ignored=True
    ),
    "survey": lambda p: survey.survey(p.worktree, p.base, "mh/one"),
    "keep": lambda p: keeping.keep(p.worktree, SESSION, private=private_of(p.worktree)),
    "set a ref": lambda p: refs.set_ref(p.repo, "refs/manyhands/x", p.base, None),
    "add a worktree": lambda p: worktrees.add_worktree(
        p.repo, p.worktree.parent / "x", "x", p.base, session=SESSION, lock_dir=p.locks
    ),
}


@pytest.mark.parametrize("name", READS)
def test_looking_at_a_hostile_repository_runs_nothing(
    hostile: Place, canary: Path, name: str
) -> None:
    canary.unlink(missing_ok=True)
    touch(hostile)
    READS[name](hostile)
    assert not canary.exists(), canary.read_text()


def test_a_restore_in_a_hostile_repository_runs_nothing(hostile: Place, canary: Path) -> None:
    canary.unlink(missing_ok=True)
    oid = make_snapshot(hostile.worktree, private=private_of(hostile.worktree), base=hostile.base)
    write(hostile.worktree, {"a.txt": "later\n", "more": "more"})
    restore_snapshot(
        hostile.repo,
        hostile.worktree,
        oid,
        private=private_of(hostile.worktree),
        undo_ref="refs/manyhands/undo",
    )
    assert (hostile.worktree / "a.txt").read_text() == "changed\n"
    assert not canary.exists(), canary.read_text()


@pytest.mark.parametrize(
    ("argv", "trap"),
    [
        (("status",), "fsmonitor"),
        (("diff", "HEAD"), "command"),
        (("diff", "--no-ext-diff", "HEAD"), "textconv"),
        (("add", "-A"), "clean"),
        (("status", "--ignore-submodules=none"), "inner-clean"),
        (("rev-parse", "--verify", "1" * 40 + "^{commit}"), "lazy"),
        (("update-ref", "refs/x", "HEAD"), "prepared"),
    ],
)
def test_the_traps_do_work_on_a_git_that_is_not_careful(
    hostile: Place, canary: Path, argv: tuple[str, ...], trap: str
) -> None:
    touch(hostile)
    git(hostile.worktree, *argv, check=False)
    assert trap in canary.read_text()


def test_the_users_own_filters_still_work(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "home/.gitconfig"
    write(tmp_path, {"home/.gitconfig": '[filter "up"]\nclean = tr a-z A-Z\n'})
    assert config.exists()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write(place.worktree, {".gitattributes": "*.up filter=up\n", "x.up": "loud\n"})
    assert "+LOUD\n" in diff_worktree(place.worktree, place.base).patch
    assert "+LOUD\n" in PathDiffer(place.worktree, place.base).draw("x.up")[1]
