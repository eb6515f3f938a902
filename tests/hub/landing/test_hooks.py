"""What an agent wrote runs only once it is approved, and never with the person's credentials."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.driver import Json
from tests.support.forge.github_server import TOKEN, GitHubServer
from tests.support.forge.hub import AGENT, ForgeHub

DUMP = """\
#!{python} -S
import os, sys
said = [" ".join(sys.argv), *map("=".join, os.environ.items())]
for number in range(3, 100):
    try:
        said.append(os.pread(number, 65536, 0).decode("latin-1"))
    except OSError:
        pass
with open({dump!r}, "a") as file:
    print(*said, sep="\\n", file=file)
    {then}
"""
"""Tells all that it was given: its words, its environment, and what it can read by descriptors."""

COPY = "sys.stdout.write(sys.stdin.read().upper())"


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    return tmp_path / "dump"


def write_program(path: Path, dump: Path, then: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = DUMP.format(python=sys.executable, dump=str(dump), then=then or "pass")
    path.write_text(text)
    path.chmod(0o755)
    return path


def told(dump: Path) -> str:
    """What was dumped; whoever ran, it must not have been given anything of the person's."""
    said = dump.read_text()
    assert AGENT not in said
    assert TOKEN not in said
    assert "SSH_AUTH_SOCK" not in said
    return said


def approve(hub: ForgeHub, id: str) -> Json:
    [item] = [i for i in hub.show(id)["attention"] if i["kind"] == "trust"]
    hub.answer(id, "trust", item=item["id"])
    return item


def with_filter(hub: ForgeHub, session: Json, program: Path) -> None:
    hub.git("config", "filter.evil.clean", str(program), cwd=Path(session["worktree"]))
    (Path(session["worktree"]) / ".gitattributes").write_text("*.txt filter=evil\n")


def test_looking_at_what_would_be_committed_runs_nothing_of_the_agents(
    hub: ForgeHub, dump: Path, tmp_path: Path
) -> None:
    session = hub.work(committed=False)
    worktree = Path(session["worktree"])
    program = write_program(tmp_path / "clean", dump, COPY)
    with_filter(hub, session, program)
    for key in ("core.fsmonitor", "diff.evil.textconv", "diff.external"):
        hub.git("config", key, str(program), cwd=worktree)
    hooks = worktree / ".husky"
    for name in ("post-index-change", "pre-commit"):
        write_program(hooks / name, dump)
    hub.git("config", "core.hooksPath", ".husky", cwd=worktree)
    seen = hub.get(f"/api/sessions/{session['id']}/commit")
    assert "add-a-greeting.txt" in seen["files"]
    hub.act(session["id"], "commit/message")
    hub.get(f"/api/sessions/{session['id']}/commit?path=add-a-greeting.txt")
    assert not dump.exists()


def test_a_filter_of_the_repositorys_config_is_asked_about_and_sees_no_credentials(
    hub: ForgeHub, dump: Path, tmp_path: Path
) -> None:
    session = hub.work(committed=False)
    id = session["id"]
    with_filter(hub, session, write_program(tmp_path / "clean", dump, COPY))
    refused = hub.refusal(id, "commit", message="Greet")
    assert (refused.code, dump.exists()) == ("not_trusted", False)
    assert "filter.evil.clean" in refused.message
    assert f"manyhands answer {session['slug']} --option trust" in refused.hint
    assert str(tmp_path / "clean") in approve(hub, id)["detail"]["difference"]
    made = hub.act(id, "commit", message="Greet")
    assert hub.git("show", f"{made['commit']}:add-a-greeting.txt", cwd=hub.repo) == "HELLO\n"
    told(dump)


def test_a_filter_of_the_users_own_config_goes_on_working(hub: ForgeHub, tmp_path: Path) -> None:
    session = hub.work(committed=False)
    shout = tmp_path / "shout"
    shout.write_text("#!/bin/sh\ntr a-z A-Z\n")
    shout.chmod(0o755)
    hub.git("config", "--global", "filter.own.clean", str(shout), cwd=hub.repo)
    (Path(session["worktree"]) / ".gitattributes").write_text("*.txt filter=own\n")
    made = hub.act(session["id"], "commit", message="Greet")
    assert hub.git("show", f"{made['commit']}:add-a-greeting.txt", cwd=hub.repo) == "HELLO\n"


def test_hooks_that_an_agent_wrote_are_asked_about_and_then_run_as_the_agent(
    hub: ForgeHub, dump: Path
) -> None:
    session = hub.work(committed=False)
    id, worktree = session["id"], Path(session["worktree"])
    hub.git("config", "core.hooksPath", ".husky", cwd=worktree)
    write_program(worktree / ".husky" / "pre-commit", dump)
    refused = hub.refusal(id, "commit", message="Greet")
    assert (refused.code, dump.exists()) == ("not_trusted", False)
    assert ".husky/pre-commit" in refused.message
    assert hub.git("log", "--format=%s", "main..", cwd=worktree) == ""
    approve(hub, id)
    hub.act(id, "commit", message="Greet")
    said = told(dump)
    assert f"MANYHANDS_SESSION={id}" in said
    write_program(worktree / ".husky" / "pre-commit", dump, "print('changed')")
    (worktree / "more.txt").write_text("more\n")
    assert hub.refusal(id, "commit", message="More").code == "not_trusted"


def test_no_hook_of_a_commit_sees_the_persons_credentials(hub: ForgeHub, dump: Path) -> None:
    session = hub.work(committed=False)
    names = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite")
    for name in names:
        write_program(hub.repo / ".git" / "hooks" / name, dump)
    hub.trust()
    hub.act(session["id"], "commit", message="Greet")
    hub.act(session["id"], "commit", message="Greet better", amend=True)
    said = told(dump)
    for name in names:
        assert f"/{name}" in said
    assert "COMMIT_EDITMSG message\n" in said
    assert "/post-rewrite amend\n" in said


def test_an_amended_commit_keeps_its_author_and_its_parents(hub: ForgeHub) -> None:
    session = hub.work(committed=False)
    worktree = Path(session["worktree"])
    hub.git("add", "-A", cwd=worktree)
    who = "--author=Ann Other <ann@example.invalid>"
    hub.git("commit", "-q", "-m", "Hers", who, "--date=2020-02-02T02:02:02+0200", cwd=worktree)
    hub.act(session["id"], "commit", message="Still hers", amend=True)
    form = "--format=%an <%ae> %ad|%cn|%s|%P"
    said = hub.git("log", "-1", form, "--date=raw", cwd=worktree).strip()
    first = hub.git("rev-parse", "main", cwd=hub.repo).strip()
    assert (
        said == f"Ann Other <ann@example.invalid> 1580601722 +0200|Test Person|Still hers|{first}"
    )


def test_a_hook_before_a_push_is_run_by_itself_and_finds_no_token(
    hub: ForgeHub, forge: GitHubServer, dump: Path
) -> None:
    session = hub.work()
    then = "print('told:', sys.stdin.read(), file=file)"
    write_program(hub.repo / ".git" / "hooks" / "pre-push", dump, then)
    refused = hub.refusal(session["id"], "pr")
    assert (refused.code, dump.exists(), forge.pushes) == ("not_trusted", False, 0)
    approve(hub, session["id"])
    opened = hub.act(session["id"], "pr")
    said, tip = told(dump), opened["pr"]["head"]
    assert f"/pre-push origin {forge.remote}\n" in said
    ref = f"refs/heads/{session['branch']}"
    assert f"told: {ref} {tip} {ref} {'0' * 40}\n" in said
    known = hub.git("rev-parse", f"refs/remotes/origin/{session['branch']}", cwd=hub.repo).strip()
    assert known == tip == forge.state.bare.tip(session["branch"])


def test_checks_run_the_agents_code_without_the_persons_credentials(
    hub: ForgeHub, dump: Path
) -> None:
    program = write_program(hub.root / f"check-{dump.parent.name}", dump)
    (hub.repo / ".manyhands.toml").write_text(f'[checks]\nrun = ["{program}"]\n')
    hub.git("add", "-A", cwd=hub.repo)
    hub.git("commit", "-q", "-m", "Checks", cwd=hub.repo)
    write_program(hub.repo / ".git" / "hooks" / "post-checkout", dump)
    hub.trust()
    session = hub.work("checked")
    dump.unlink()  # the session's own checkout is another matter
    hub.act(session["id"], "merge", method="squash")
    said = told(dump)
    assert "/post-checkout" in said
    assert program.name in said


def test_large_files_are_sent_apart_from_the_hook(
    hub: ForgeHub, forge: GitHubServer, dump: Path, tmp_path: Path
) -> None:
    """A stand-in for git-lfs, on the hub's own PATH, tells how it was called."""
    session = hub.work(committed=False)
    (Path(session["worktree"]) / ".gitattributes").write_text("*.bin filter=lfs\n")
    hub.act(session["id"], "commit", message="Large files")
    write_program(hub.repo / ".git" / "hooks" / "pre-push", dump)
    hub.trust()
    programs = Path(hub.programs)
    lfs = programs / "git-lfs"
    lfs.write_text(
        f"#!/bin/sh\necho \"$@\" >> '{tmp_path}/lfs'\ngit config lfs.storage >> '{tmp_path}/lfs'\n"
    )
    lfs.chmod(0o755)
    try:
        hub.act(session["id"], "pr")
    finally:
        lfs.unlink()
    said = (tmp_path / "lfs").read_text().splitlines()
    assert said == [f"push origin {session['branch']}", str(hub.repo / ".git" / "lfs")]
    assert "GIT_LFS_SKIP_PUSH=1" in told(dump)
