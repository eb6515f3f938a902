"""A whole session's box without namespaces: made, linked, and worked in with its twin."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from manyhands.box.making import make_box, make_ready
from manyhands.box.twins import with_twin
from manyhands.box.wrapping import box_variables, wrapped
from manyhands.config import Home
from manyhands.model.box import Box, BoxTerms, BoxWish, Means

BY_LANDLOCK = BoxTerms(wish=BoxWish(), means=Means(level="files", by="landlock"))


@dataclass(frozen=True)
class Lodged:
    box: Box
    repo: Path
    env: dict[str, str]

    def run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            wrapped(self.box, argv),
            cwd=self.box.worktree,
            env={**self.env, **box_variables(self.box, self.env)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture
def lodged(tmp_path: Path) -> Lodged:
    home = tmp_path / "person"
    for folder in (".ssh", ".local/bin"):
        (home / folder).mkdir(parents=True)
    (home / ".ssh" / "id").write_text("secret", encoding="utf-8")
    (home / ".gitconfig").write_text("[user]\n name = A\n email = a@b.invalid\n", encoding="utf-8")
    tool = home / ".local" / "bin" / "tool"
    tool.write_text("#!/bin/sh\necho tool works\n", encoding="utf-8")
    tool.chmod(0o755)
    path = f"{home}/.local/bin:/usr/local/bin:/usr/bin:/bin"
    env = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8"}
    repo, hub = home / "repo", Home(tmp_path / "hub")
    hub.make()
    worktree = hub.worktrees / "otter"
    for command in (
        ("init", "-q", "-b", "main", repo),
        ("-C", repo, "commit", "-q", "--allow-empty", "-m", "first"),
        ("-C", repo, "worktree", "add", "-q", "-b", "mh/otter", worktree),
    ):
        subprocess.run(["git", *map(str, command)], env=env, check=True, timeout=60)
    own = hub.sessions / "s1"
    made = make_box(hub, own, worktree, terms=BY_LANDLOCK, env=env)
    box = with_twin(made, own, "s1", "mh/otter")
    make_ready(box)
    return Lodged(box, repo, env)


def files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_the_agent_works_and_the_persons_files_stay(lodged: Lodged) -> None:
    before = files(Path(lodged.box.home))
    script = "tool > made && git add made && git commit -qm second && git log --format=%s"
    done = lodged.run("sh", "-c", script)
    assert done.stdout == "second\nfirst\n", done.stderr
    assert Path(lodged.box.worktree, "made").read_text() == "tool works\n"
    assert lodged.run("sh", "-c", "echo x > ~/.bashrc").returncode == 0
    assert lodged.run("git", "config", "--global", "a.b", "c").returncode != 0
    assert files(Path(lodged.box.home)) == before


@pytest.mark.parametrize(
    "script", ["cat {home}/.ssh/id", "ls {home}", "ls {repo}", "cat {hub}/token"]
)
def test_what_is_the_persons_or_the_hubs_is_not_read(lodged: Lodged, script: str) -> None:
    hub = Path(lodged.box.worktree).parent.parent
    (hub / "token").write_text("secret", encoding="utf-8")
    line = script.format(home=lodged.box.home, repo=lodged.repo, hub=hub)
    done = lodged.run("sh", "-c", line)
    assert done.returncode != 0
    assert "Permission denied" in done.stderr
    assert done.stdout == ""


def test_its_home_and_scratch_are_its_own(lodged: Lodged) -> None:
    done = lodged.run("sh", "-c", "cd && pwd && dirname $(mktemp)")
    home, scratch = done.stdout.splitlines()
    assert (home, scratch) == (lodged.box.private_home, lodged.box.scratch)
    assert list(Path(lodged.box.scratch).iterdir())
