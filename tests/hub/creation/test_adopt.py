"""A worktree that was there before becomes a session, as it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.actor import ACTOR, actor_table
from tests.support.driver import Json, Refused, script
from tests.support.pool_hub import PoolHub
from tests.support.terminal_hub import BASH, agent_table

CONVERSATION = "3f0d2b51-7c1e-4a52-9d7e-0c8f5a6b7c8d"


@pytest.fixture
def found(hub: PoolHub, tmp_path: Path) -> Path:
    """A worktree of somebody else's, with work of all kinds in it."""
    place = tmp_path / "by hand"
    hub.git("worktree", "add", "-q", "-b", "topic/parser", str(place), cwd=hub.repo)
    hub.commit({"committed.txt": "1\n"}, cwd=place)
    (place / "staged.txt").write_text("staged\n")
    hub.git("add", "staged.txt", cwd=place)
    (place / "README.md").write_text("edited\n")
    (place / "new.txt").write_text("new\n")
    (place / ".env").write_text("SECRET=1\n")
    return place


def picture(hub: PoolHub, place: Path) -> tuple[str, str, str, bytes]:
    return (
        hub.git("status", "--porcelain=v2", "--branch", "--ignored", cwd=place),
        hub.git("rev-parse", "HEAD", cwd=place),
        hub.git("stash", "list", cwd=place),
        b"".join(p.read_bytes() for p in sorted(place.iterdir()) if p.is_file()),
    )


def adopt(hub: PoolHub, path: Path, **more: str) -> Json:
    return hub.post("/api/sessions/adopt", {"path": str(path), **more})


def remember(hub: PoolHub, place: Path, *lines: Json, id: str = CONVERSATION) -> None:
    """What Claude Code would have stored for the directory."""
    name = re.sub(r"[^a-zA-Z0-9]", "-", str(place))
    folder = hub.home.root / "rehearsal/home/.claude/projects" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{id}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_branch_and_uncommitted_work_stay_as_they_are(hub: PoolHub, found: Path) -> None:
    before = picture(hub, found)
    session = adopt(hub, found)
    assert (session["branch"], session["worktree"]) == ("topic/parser", str(found))
    assert (session["adopted"], session["status"], session["slug"]) == (True, "idle", "parser")
    assert picture(hub, found) == before
    assert session["base_commit"] == hub.git("rev-parse", "main", cwd=hub.repo).strip()
    changed = {f["path"] for f in hub.get(f"/api/sessions/{session['id']}/diff")["files"]}
    assert changed == {"committed.txt", "staged.txt", "README.md", "new.txt"}


def test_adopting_twice_is_one_session(hub: PoolHub, found: Path) -> None:
    first, again = adopt(hub, found), adopt(hub, found / ".")
    assert first["id"] == again["id"]
    (found / "folder").mkdir()
    assert adopt(hub, found / "folder")["id"] == first["id"]
    assert len(hub.here()) == 1


def test_it_can_be_archived_and_restored_like_any_other(hub: PoolHub, found: Path) -> None:
    session = adopt(hub, found)
    before = picture(hub, found)
    hub.act(session["id"], "archive")
    assert not found.exists()
    hub.act(session["id"], "restore")
    assert picture(hub, found) == before


def test_a_lock_of_another_tool_is_left(hub: PoolHub, found: Path) -> None:
    hub.git("worktree", "lock", "--reason", "mine", str(found), cwd=hub.repo)
    adopt(hub, found)
    assert "locked mine" in hub.git("worktree", "list", "--porcelain", cwd=hub.repo)


def test_a_detached_worktree_is_adopted_too(hub: PoolHub, tmp_path: Path) -> None:
    place = tmp_path / "detached"
    hub.git("worktree", "add", "-q", "--detach", str(place), cwd=hub.repo)
    session = adopt(hub, place)
    assert (session["branch"], session["status"], session["slug"]) == ("", "idle", "detached")


@pytest.mark.parametrize("what", ["main checkout", "no repository", "missing", "spare"])
def test_what_is_no_worktree_is_refused(hub: PoolHub, tmp_path: Path, what: str) -> None:
    path = hub.repo
    if what == "no repository":
        path = tmp_path / "plain"
        path.mkdir()
    elif what == "missing":
        path = tmp_path / "missing"
    elif what == "spare":
        hub.set_workspaces("pool = 1")
        hub.plain("Opens the pool")
        path = Path(hub.await_spare()["worktree"])
    with pytest.raises(Refused) as refused:
        adopt(hub, path)
    assert refused.value.code == ("not_possible" if what == "spare" else "bad_input")
    assert not [s for s in hub.here() if s["adopted"]]


def test_an_untrusted_repository_is_refused(hub: PoolHub, tmp_path: Path) -> None:
    other = hub.make_repo(tmp_path / "other", trust=False)
    place = tmp_path / "other tree"
    hub.git("worktree", "add", "-q", "-b", "topic", str(place), cwd=other)
    with pytest.raises(Refused) as refused:
        adopt(hub, place)
    assert refused.value.code == "not_trusted"


def test_past_conversations_are_offered_and_one_is_taken(hub: PoolHub, found: Path) -> None:
    remember(
        hub,
        found,
        {"type": "user", "message": {"role": "user", "content": "Write a parser"}},
        {"type": "assistant", "message": {"role": "assistant", "content": []}},
    )
    remember(hub, found, {"type": "file-history-snapshot"}, id="0" * 8 + "-empty")
    remember(hub, found, {"type": "user", "message": "broken"}, id="not an id")
    session = adopt(hub, found)
    offered = session["past"]
    assert [(c["id"], c["title"], c["messages"]) for c in offered] == [
        (CONVERSATION, "Write a parser", 2)
    ]
    assert session["agent_session"] == ""
    with pytest.raises(Refused, match="no conversation"):
        adopt(hub, found, resume="ffffffff-0000")
    again = adopt(hub, found, resume=CONVERSATION)
    assert (again["id"], again["agent_session"]) == (session["id"], CONVERSATION)


def test_what_a_real_agent_said_there_is_found_again_and_gone_on_with(
    hub: PoolHub, found: Path
) -> None:
    hub.start_model()
    first = adopt(hub, found, mode="auto")
    hub.say(first["id"], script({"text": "Noted."}, words="Remember the parser."))
    [idle] = hub.wait_idle(first["id"])
    hub.restart()
    offered = adopt(hub, found)["past"]
    assert [c["id"] for c in offered] == [idle["agent_session"]]
    assert offered[0]["title"].startswith("Remember the parser.")
    adopt(hub, found, resume=idle["agent_session"])
    hub.say(first["id"], script({"text": "Still here."}))
    hub.wait_idle(first["id"])
    last = [e for e in hub.events(first["id"]) if e["type"] == "agent_started"][-1]
    assert last["agent_session"] == idle["agent_session"]


AGENTS = actor_table() + BASH + agent_table("missing", ["no-such-program"], kind="acp")


@pytest.fixture
def agents_hub(hub: PoolHub) -> PoolHub:
    """With agents of every kind; the next test that shares it configures it anew."""
    hub.configure(hub.home.config.read_text() + AGENTS)
    return hub


def test_an_agent_of_the_protocol_adopts_and_goes_on_with_what_was_said_there(
    agents_hub: PoolHub, found: Path
) -> None:
    hub = agents_hub
    session = adopt(hub, found, agent=ACTOR, mode="auto")
    assert (session["kind"], session["status"], session["past"]) == ("acp", "idle", [])
    hub.say(session["id"], script({"text": "Noted."}, words="Remember the parser."))
    [idle] = hub.wait_idle(session["id"])
    # The session's own agent is asked, whoever is the default.
    offered = adopt(hub, found)["past"]
    assert [c["id"] for c in offered] == [idle["agent_session"]]
    assert offered[0]["title"].startswith("Remember the parser.")
    with pytest.raises(Refused, match="keeps no conversation"):
        adopt(hub, found, resume="ffffffff-0000")
    hub.restart()
    again = adopt(hub, found, resume=idle["agent_session"])
    assert again["id"] == session["id"]
    hub.say(again["id"], script({"text": "Still here."}))
    hub.wait_idle(again["id"])
    started = [e for e in hub.events(again["id"]) if e["type"] == "agent_started"]
    assert started[-1]["agent_session"] == idle["agent_session"]


def test_a_program_in_a_terminal_adopts_too(agents_hub: PoolHub, found: Path) -> None:
    hub = agents_hub
    session = adopt(hub, found, agent="bash")
    assert (session["kind"], session["status"], session["past"]) == ("terminal", "idle", [])
    hub.say(session["id"], "pwd > where.txt")
    hub.wait_idle(session["id"])
    assert (found / "where.txt").read_text().strip() == str(found)
    with pytest.raises(Refused, match="does not list the conversations"):
        adopt(hub, found, resume=CONVERSATION)


def test_an_agent_that_cannot_be_asked_keeps_nobody_from_adopting(
    agents_hub: PoolHub, found: Path
) -> None:
    hub = agents_hub
    session = adopt(hub, found, agent="missing")
    assert (session["status"], session["past"]) == ("idle", [])
    [note] = [text for text in hub.notes(session["id"]) if "not known" in text]
    assert "Earlier conversations of missing" in note


def test_an_agent_is_not_asked_about_what_nobody_has_looked_at(
    agents_hub: PoolHub, found: Path
) -> None:
    hub = agents_hub
    (found / ".mcp.json").write_text('{"mcpServers": {"x": {"command": "touch /tmp/x"}}}')
    with pytest.raises(Refused) as refused:
        adopt(hub, found, agent=ACTOR, resume=CONVERSATION)
    assert refused.value.code == "not_trusted"
    session = adopt(hub, found, agent=ACTOR)
    assert session["past"] == []
    assert hub.wait_attention(session["id"])["kind"] == "trust"
    assert any("nobody has looked at .mcp.json" in text for text in hub.notes(session["id"]))
    hub.answer(session["id"], "trust")
    hub.wait_idle(session["id"])
    assert adopt(hub, found)["past"] == []
