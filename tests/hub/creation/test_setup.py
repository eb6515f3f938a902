"""Setup and teardown by a real hub: streamed, bounded, retried from where it failed, or skipped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from manyhands.process.identity import marked_processes
from tests.support.driver import Json, Refused, eventually, of_type, script, write
from tests.support.workspace_hub import WorkspaceHub, lasting_hub, make_hub
from tests.support.workspace_hub import shared_hub as hub

__all__ = ["hub", "lasting_hub", "make_hub"]

MakeHub = Callable[..., WorkspaceHub]


def config(*run: str, more: str = "") -> dict[str, str]:
    listed = ", ".join(f"'''{command}'''" for command in run)
    return {".manyhands.toml": f"[setup]\nrun = [{listed}]\n{more}"}


def prepared(hub: WorkspaceHub, files: dict[str, str]) -> Json:
    hub.write(files)
    hub.trust()
    return hub.open_session()


def output(hub: WorkspaceHub, id: str) -> str:
    return "".join(event["text"] for event in of_type(hub.events(id), "setup_output"))


def test_a_setup_runs_before_the_session_is_ready_and_its_output_is_in_the_log(
    hub: WorkspaceHub,
) -> None:
    session = prepared(hub, config("echo one; echo two >&2", "pwd > where"))
    [rested] = hub.wait_idle(session["id"])
    assert (Path(session["worktree"]) / "where").read_text().strip() == session["worktree"]
    assert output(hub, session["id"]) == "one\ntwo\n"
    types = hub.types(session["id"])
    order = ["worktree_ready", "setup_started", "setup_output", "setup_finished", "session_ready"]
    assert list(dict.fromkeys(t for t in types if t in order)) == order
    [finished] = of_type(hub.events(session["id"]), "setup_finished")
    assert (finished["outcome"], finished["returncode"]) == ("done", 0)
    assert (rested["setup"], rested["progress"]) == ("done", "")


def test_new_returns_while_the_setup_still_runs_and_shows_its_last_line(hub: WorkspaceHub) -> None:
    wait = "echo waiting for the file; while [ ! -e go ]; do sleep 0.05; done"
    session = prepared(hub, config(wait))
    assert session["status"] == "preparing"
    eventually(lambda: hub.show(session["id"])["progress"] == "waiting for the file")
    (Path(session["worktree"]) / "go").touch()
    hub.wait_idle(session["id"])


def test_the_environment_of_a_setup_names_its_session_ports_and_compose_project(
    hub: WorkspaceHub,
) -> None:
    names = "[ports]\nnames = ['web', 'api']\n"
    session = prepared(hub, config("env | sort > seen", more=names))
    hub.wait_idle(session["id"])
    seen = dict(
        line.split("=", 1)
        for line in (Path(session["worktree"]) / "seen").read_text().splitlines()
        if "=" in line
    )
    ports = hub.show(session["id"])["ports"]
    assert list(ports) == ["web", "api"]
    assert seen["PORT"] == seen["MANYHANDS_PORT_WEB"] == str(ports["web"])
    assert seen["MANYHANDS_PORT_API"] == str(ports["api"])
    assert seen["MANYHANDS_SESSION"] == session["id"]
    assert seen["COMPOSE_PROJECT_NAME"] == f"mh-{session['slug']}-{session['id']}"
    assert "MANYHANDS_HOME" not in seen


def test_a_failed_setup_asks_and_a_retry_begins_with_the_failed_command(hub: WorkspaceHub) -> None:
    session = prepared(
        hub, config("echo first >> first", "echo broken; test -e mended", "touch third")
    )
    item = hub.wait_attention(session["id"])
    assert item["kind"] == "setup_failed"
    assert [option["id"] for option in item["options"]] == ["retry", "skip"]
    assert item["detail"]["command"] == "echo broken; test -e mended"
    assert (item["detail"]["returncode"], item["detail"]["last_line"]) == (1, "broken")
    assert hub.show(session["id"])["status"] == "waiting"
    place = Path(session["worktree"])
    (place / "mended").touch()
    hub.answer(session["id"], "retry")
    hub.wait_idle(session["id"])
    assert (place / "first").read_text() == "first\n"
    assert (place / "third").exists()


def test_a_skipped_setup_lets_the_agent_start(make_hub: MakeHub) -> None:
    hub = make_hub(model=True)
    hub.write(config("exit 3"))
    hub.trust()
    session = hub.new(script(write("a.txt"), {"text": "Done."}))
    item = hub.wait_attention(session["id"])
    assert item["detail"]["returncode"] == 3
    assert "agent_started" not in hub.types(session["id"])
    hub.answer(session["id"], "skip")
    [rested] = hub.wait_idle(session["id"])
    assert (rested["setup"], rested["turn"]) == ("skipped", 1)
    assert (Path(session["worktree"]) / "a.txt").exists()


def test_resume_is_a_retry_too_and_a_failed_one_asks_again(hub: WorkspaceHub) -> None:
    session = prepared(hub, config("test -e mended"))
    first = hub.wait_attention(session["id"])
    hub.act(session["id"], "resume")

    def asked_again() -> bool:
        found = [i["id"] for i in hub.show(session["id"])["attention"]]
        return bool(found) and found != [first["id"]]

    eventually(asked_again)
    (Path(session["worktree"]) / "mended").touch()
    hub.act(session["id"], "resume")
    hub.wait_idle(session["id"])


def test_a_setup_that_does_not_end_is_stopped_with_all_it_started(hub: WorkspaceHub) -> None:
    files = config("sleep 1000 & wait", more="timeout = 2.5\n")
    session = prepared(hub, files)
    item = hub.wait_attention(session["id"])
    assert item["detail"]["error"] == "no end after 2.5 seconds"
    # By its mark: on a busy machine the time may be over before the shell could tell of it.
    eventually(lambda: not marked_processes(f"MANYHANDS_SESSION={session['id']}"))


def test_an_early_start_lets_the_agent_work_beside_the_setup(make_hub: MakeHub) -> None:
    hub = make_hub(model=True)
    hub.write(config("while [ ! -e a.txt ]; do sleep 0.05; done", more="start = 'early'\n"))
    hub.trust()
    session = hub.new(script(write("a.txt"), {"text": "Done."}))
    hub.wait_idle(session["id"])
    eventually(lambda: hub.show(session["id"])["setup"] == "done")
    types = hub.types(session["id"])
    assert types.index("agent_started") < types.index("setup_finished")


def test_an_early_setup_that_fails_is_asked_about_and_retried_too(hub: WorkspaceHub) -> None:
    session = prepared(hub, config("test -e mended", more="start = 'early'\n"))
    hub.wait_attention(session["id"])
    (Path(session["worktree"]) / "mended").touch()
    hub.answer(session["id"], "retry")
    hub.wait_idle(session["id"])
    eventually(lambda: hub.show(session["id"])["setup"] == "done")


@pytest.mark.parametrize("more", ["", "start = 'early'\n"], ids=["before", "beside"])
def test_a_setup_that_a_dying_hub_left_is_ended_and_run_again(hub: WorkspaceHub, more: str) -> None:
    wait = "echo $$ >> pids; while [ ! -e go ]; do sleep 0.05; done; echo done >> ends"
    session = prepared(hub, config(f"sh -c '{wait}' & wait", more=more))
    place = Path(session["worktree"])
    eventually((place / "pids").exists)
    hub.kill()
    hub.start()
    eventually(lambda: len((place / "pids").read_text().split()) == 2)
    (place / "go").touch()
    hub.wait_idle(session["id"])
    eventually(lambda: hub.show(session["id"])["setup"] == "done")
    assert (place / "ends").read_text() == "done\n"


def test_a_wrong_config_is_refused_with_line_and_key_before_anything_is_made(
    hub: WorkspaceHub,
) -> None:
    with pytest.raises(Refused) as refused:
        prepared(hub, {".manyhands.toml": "[setup]\nrunn = []\n"})
    assert "line 2: setup.runn" in refused.value.message
    assert hub.here() == []


def test_much_output_is_bounded_and_odd_bytes_are_kept_readable(hub: WorkspaceHub) -> None:
    loud = "printf 'odd \\377 \\303\\274\\n'; head -c 9000000 /dev/zero | tr '\\0' x"
    session = prepared(hub, config(loud))
    hub.wait_idle(session["id"])
    said = output(hub, session["id"])
    assert said.startswith(("odd � ü", "…"))
    assert len(said) < 3_000_000


def test_a_teardown_runs_at_archive_in_the_worktree(hub: WorkspaceHub, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    files = {".manyhands.toml": f"[teardown]\nrun = ['pwd > {seen}; echo $PORT >> {seen}']\n"}
    session = prepared(hub, files)
    hub.act(session["id"], "archive")
    assert seen.read_text().split() == [session["worktree"], str(session["ports"]["web"])]
    [done] = of_type(hub.events(session["id"]), "teardown_finished")
    assert done["outcome"] == "done"


@pytest.mark.parametrize(
    ("run", "timeout", "error"),
    [("echo bad; exit 7", 30, "exit code 7"), ("sleep 1000", 0.3, "no end after 0.3 seconds")],
)
def test_a_teardown_that_fails_is_reported_and_blocks_nothing(
    hub: WorkspaceHub, run: str, timeout: float, error: str
) -> None:
    files = {".manyhands.toml": f"[teardown]\nrun = ['{run}']\ntimeout = {timeout}\n"}
    session = prepared(hub, files)
    (Path(session["worktree"]) / "work.txt").write_text("mine\n")
    hub.act(session["id"], "archive")
    assert hub.show(session["id"])["status"] == "archived"
    [done] = of_type(hub.events(session["id"]), "teardown_finished")
    assert (done["outcome"], done["error"]) == ("failed", error)
    hub.act(session["id"], "restore")
    assert (Path(session["worktree"]) / "work.txt").read_text() == "mine\n"


def test_a_session_whose_setup_failed_can_be_archived_and_keeps_its_files(
    hub: WorkspaceHub,
) -> None:
    session = prepared(hub, config("echo kept > kept.txt; exit 1"))
    hub.wait_attention(session["id"])
    plan: Json = hub.act(session["id"], "archive")
    assert plan["safe"]
    assert not Path(session["worktree"]).exists()
    trash = hub.home.trash / str(session["id"])
    assert list(trash.rglob("kept.txt"))
