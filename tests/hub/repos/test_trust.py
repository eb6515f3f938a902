"""Nothing that a repository brings along runs before a person has approved that very content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from msgspec.structs import replace

from manyhands.hub.core import fresh_item
from manyhands.hub.repos.trust import question
from manyhands.model import events as e
from manyhands.model.attention.attention import TRUST_OPTIONS, Attention
from manyhands.model.ids import Oid, SessionId
from manyhands.model.session.session import Session
from manyhands.model.state import Repo, State
from manyhands.workspace.runnable import runnable_at, runnable_git, runnable_in
from tests.support.driver import Refused, eventually, script, write
from tests.support.workspace_hub import WorkspaceHub, git, hub, make_hub, repo

__all__ = ["hub", "make_hub", "repo"]

MakeHub = Callable[..., WorkspaceHub]
SETUP = "[setup]\nrun = ['./scripts/setup.sh']\n"


def paths(pieces: Any) -> list[str]:
    return sorted(piece.path for piece in pieces)


def brought(hub: WorkspaceHub) -> Any:
    return hub.get(f"/api/repos/runnable?repo={quote(str(hub.repo))}")


def commit_all(repo: Path) -> Oid:
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "x")
    return Oid(git(repo, "rev-parse", "HEAD").strip())


def test_everything_that_can_run_is_found_in_a_checkout_and_in_a_commit_alike(repo: Path) -> None:
    for name, text in {
        ".manyhands.toml": SETUP,
        "scripts/setup.sh": "echo hi\n",
        "scripts/other.sh": "never named\n",
        ".mcp.json": "{}",
        ".claude/settings.json": "{}",
        ".claude/settings.local.json": "{}",
        ".claude/hooks/pre.sh": "x\n",
        ".claude/plans/a.md": "only words\n",
        ".husky/pre-commit": "x\n",
        "package.json": '{"scripts": {"postinstall": "node x.js", "test": "jest"}}',
    }.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    wanted = [
        ".claude/hooks/pre.sh",
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".husky/pre-commit",
        ".manyhands.toml",
        ".mcp.json",
        "package.json scripts",
        "scripts/setup.sh",
    ]
    here = runnable_in(repo)
    assert paths(here) == wanted
    assert set(runnable_at(repo, commit_all(repo))) == set(here)


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("bin/setup", "bin/setup"),
        ("timeout 60 bin/setup --fast", "bin/setup"),
        ("bash -e prepare", "prepare"),
        ("bin/setup>log.sh", "bin/setup"),
        ("echo x > bin/setup; bin/setup", "bin/setup"),
        ("make deps", "Makefile"),
    ],
)
def test_a_program_counts_whatever_its_name(repo: Path, command: str, script: str) -> None:
    (repo / ".manyhands.toml").write_text(f"[setup]\nrun = ['{command}']\n")
    (repo / script).parent.mkdir(exist_ok=True)
    (repo / script).write_text("echo old\n")
    commit = commit_all(repo)
    assert script in paths(runnable_at(repo, commit))
    assert set(runnable_in(repo, commit)) == set(runnable_at(repo, commit))
    (repo / script).write_text("echo new\n")
    assert set(runnable_in(repo, commit)) != set(runnable_at(repo, commit))


def test_commands_that_name_no_program_bring_only_themselves(repo: Path) -> None:
    (repo / "src").mkdir()
    (repo / "src/deep").write_text("x\n")
    (repo / "config").mkdir()
    (repo / "config/app.example").write_text("x\n")
    commands = [
        "printenv > out.txt",
        "date >>./out.sh",
        "cp -r src other",
        "cp config/app.example config/app",
    ]
    (repo / ".manyhands.toml").write_text(f"[setup]\nrun = {commands}\n")
    commit = commit_all(repo)
    before = runnable_at(repo, commit)
    assert paths(before) == [".manyhands.toml", "config/app.example"]
    for made in ("out.txt", "out.sh", "config/app", "src/deep"):
        (repo / made).write_text("made by the command\n")
    assert set(runnable_in(repo, commit)) == set(before)


def test_a_command_without_any_file_does_not_bring_the_whole_commit(repo: Path) -> None:
    (repo / ".manyhands.toml").write_text("[setup]\nrun = ['true']\n")
    assert paths(runnable_at(repo, commit_all(repo))) == [".manyhands.toml"]


def test_a_dependency_changes_nothing_that_runs_but_an_install_script_does(repo: Path) -> None:
    package = repo / "package.json"
    package.write_text('{"scripts": {"postinstall": "a"}, "dependencies": {}}')
    before = runnable_in(repo)
    package.write_text('{"scripts": {"postinstall": "a", "test": "b"}, "dependencies": {"x": "1"}}')
    assert runnable_in(repo) == before
    package.write_text('{"scripts": {"postinstall": "c"}}')
    assert runnable_in(repo) != before


def test_hooks_are_found_and_samples_are_not(repo: Path) -> None:
    hooks = repo / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "x.sample").write_text("sample")
    assert runnable_git(repo) == ()
    (hooks / "post-checkout").write_text("#!/bin/sh\n")
    assert paths(runnable_git(repo)) == [".git/hooks/post-checkout"]


def test_before_trust_no_session_is_made_and_nothing_runs(
    hub: WorkspaceHub, tmp_path: Path
) -> None:
    other = hub.make_repo(tmp_path / "other", trust=False)
    ran = tmp_path / "ran"
    (other / ".manyhands.toml").write_text(f"[setup]\nrun = ['touch {ran}']\n")
    hub.git("add", "-A", cwd=other)
    hub.git("commit", "-q", "-m", "x", cwd=other)
    with pytest.raises(Refused) as refused:
        hub.new("", start=False, name="x", repo=str(other))
    assert (refused.value.status, refused.value.code) == (403, "not_trusted")
    assert not ran.exists()


def test_changed_scripts_ask_with_the_difference_and_run_only_once_trusted(
    hub: WorkspaceHub,
) -> None:
    hub.write({".manyhands.toml": SETUP, "scripts/setup.sh": "#!/bin/sh\necho old >> ran\n"})
    hub.trust()
    first = hub.open_session("first")
    hub.wait_idle(str(first["id"]))
    hub.write({"scripts/setup.sh": "#!/bin/sh\necho new >> ran\n"})
    second: Any = hub.open_session("second")
    item = hub.wait_attention(second["id"])
    assert item["kind"] == "trust"
    assert "scripts/setup.sh changed since it was trusted" in item["summary"]
    assert "-echo old >> ran" in item["detail"]["difference"]
    assert "+echo new >> ran" in item["detail"]["difference"]
    assert not Path(second["worktree"]).exists()
    third: Any = hub.open_session("third")
    hub.wait_attention(third["id"])
    hub.answer(second["id"], "trust")
    hub.wait_idle(second["id"], third["id"])
    assert (Path(second["worktree"]) / "ran").read_text() == "new\n"


def test_a_denied_change_fails_the_session_and_resume_asks_again(hub: WorkspaceHub) -> None:
    hub.write({".manyhands.toml": "[setup]\nrun = ['touch ran']\n"})
    session: Any = hub.open_session()
    assert hub.wait_attention(session["id"])["kind"] == "trust"
    hub.answer(session["id"], "deny")
    failed = hub.show(session["id"])
    assert failed["status"] == "failed"
    assert "not trusted" in failed["error"]
    hub.act(session["id"], "resume")
    assert hub.wait_attention(session["id"])["kind"] == "trust"
    assert not Path(session["worktree"]).exists()


def test_trust_of_the_whole_repository_settles_what_sessions_ask(hub: WorkspaceHub) -> None:
    hub.write({".mcp.json": "{}"})
    session: Any = hub.open_session()
    hub.wait_attention(session["id"])
    hub.trust()
    hub.wait_idle(session["id"])


def test_what_was_approved_while_a_worktree_was_read_is_not_asked_again() -> None:
    s = Session(id=SessionId("s1"), repo="/r")
    detail = {"repo": "/r", "files": {"a.sh": "d1", "b.sh": "d2"}}
    item = fresh_item(s, "trust", "a.sh, b.sh changed", detail, TRUST_OPTIONS)

    def asked(*approved: str, items: tuple[Attention, ...] = ()) -> list[e.AnyEvent]:
        newest = replace(s, inbox=replace(s.inbox, items=items))
        repo = Repo(path="/r", approved=approved)
        return list(question(State(sessions={s.id: newest}, repos={"/r": repo}), s, item))

    assert [type(event) for event in asked("d1")] == [e.AttentionRaised]
    assert asked("d1", "d2") == []
    assert asked("d1", items=(item,)) == []


def test_trust_holds_over_a_restart_and_for_content_seen_before(hub: WorkspaceHub) -> None:
    hub.write({".mcp.json": '{"a": 1}'})
    hub.trust()
    hub.write({".mcp.json": '{"b": 1}'})
    hub.trust()
    hub.write({".mcp.json": '{"a": 1}'})
    hub.restart()
    session: Any = hub.open_session()
    hub.wait_idle(session["id"])


def test_what_was_looked_at_is_what_is_trusted(hub: WorkspaceHub) -> None:
    hub.write({".mcp.json": '{"a": 1}'})
    looked = brought(hub)
    assert looked["new"] == [".mcp.json"]
    assert looked["pieces"][0]["text"] == '{"a": 1}'
    hub.write({".mcp.json": '{"evil": 1}'})
    with pytest.raises(Refused) as refused:
        hub.post("/api/repos/trust", {"path": str(hub.repo), "digest": looked["digest"]})
    assert refused.value.status == 409
    again = brought(hub)
    hub.post("/api/repos/trust", {"path": str(hub.repo), "digest": again["digest"]})
    assert brought(hub)["new"] == []


def test_a_hook_that_the_agent_wrote_does_not_run_at_its_next_start(make_hub: MakeHub) -> None:
    hub = make_hub(model=True, linger=0.5)
    session = hub.new(script(write("a.txt"), {"text": "Done."}))
    hub.wait_idle(session["id"])
    eventually(lambda: not hub.has_keeper(session["id"]))
    place = Path(session["worktree"])
    (place / ".claude").mkdir()
    (place / ".claude/settings.json").write_text('{"hooks": {}}')
    hub.say(session["id"], script({"text": "Again."}))
    item = hub.wait_attention(session["id"])
    assert (item["kind"], list(item["detail"]["files"])) == ("trust", [".claude/settings.json"])
    assert hub.show(session["id"])["turn"] == 1
    hub.answer(session["id"], "trust")
    [rested] = hub.wait_idle(session["id"])
    assert rested["turn"] == 2


def test_a_teardown_that_changed_since_is_not_run(hub: WorkspaceHub, tmp_path: Path) -> None:
    hub.write({".manyhands.toml": "[teardown]\nrun = ['true']\n"})
    hub.trust()
    session: Any = hub.open_session()
    evil = tmp_path / "evil"
    toml = Path(session["worktree"]) / ".manyhands.toml"
    toml.write_text(f"[teardown]\nrun = ['touch {evil}']\n")
    hub.act(session["id"], "archive")
    assert not evil.exists()
    [done] = [e for e in hub.events(session["id"]) if e["type"] == "teardown_finished"]
    assert done["outcome"] == "skipped"
