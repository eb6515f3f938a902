"""What the API does for those who may: the shapes of the contract, and each command once."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from manyhands import __version__
from manyhands.api.addresses import HOST, listener
from manyhands.contract.sessions import SessionView
from tests.support.driver import Json, Reader, Refused, RunningHub, hold, script


def test_status_tells_where_the_hub_is_and_what_it_holds(own_hub: RunningHub) -> None:
    hub = own_hub
    hub.new("x", start=False)
    status = hub.get("/api/status")
    assert status["url"] == hub.url
    assert status["pid"] == hub.pid
    assert status["version"] == __version__
    assert status["sessions"] == {"idle": 1}
    assert status["limits"] == {"working": 4, "unread": 6}
    assert status["home"] == str(hub.home.root)


async def test_what_the_hub_says_leaves_at_once() -> None:
    """Else each answer but the first on a connection would come 40 ms late."""
    at_once = asyncio.get_running_loop().create_future()

    def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = writer.get_extra_info("socket")
        at_once.set_result(link.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async with await asyncio.start_server(accept, sock=listener(HOST, 0)) as server:
        _, client = await asyncio.open_connection(*server.sockets[0].getsockname())
        assert await at_once
        client.close()


def test_a_session_has_every_field_of_the_contract(hub: RunningHub, resting: Json) -> None:
    shown = hub.show(resting["id"])
    assert set(shown) == set(SessionView.__struct_fields__)
    assert shown["tokens"] == {"in": 0, "out": 0}
    assert (shown["title"], shown["slug"], shown["branch"]) == ("Resting", "resting", "mh/resting")
    assert (shown["status"], shown["error"], shown["attention"]) == ("idle", None, [])
    assert shown["base"] == "main"
    assert shown["base_commit"] == hub.git("rev-parse", "main", cwd=hub.repo).strip()
    worktree = Path(shown["worktree"])
    assert hub.git("branch", "--show-current", cwd=worktree).strip() == "mh/resting"


def test_a_new_session_answers_201(hub: RunningHub) -> None:
    body = b'{"repo": "%b", "start": false, "text": "x"}' % str(hub.repo).encode()
    headers = {**hub.bearer, "Content-Type": "application/json"}
    assert hub.request("POST", "/api/sessions", body, headers).status == 201


def test_detached_creation_returns_before_the_worktree_is_there_and_still_makes_it(
    hub: RunningHub,
) -> None:
    session = hub.new("x", start=False, detach=True)
    assert session["status"] in ("preparing", "idle")
    hub.wait_idle(session["id"])
    assert Path(session["worktree"]).is_dir()


def test_sessions_are_listed_newest_first_and_archived_ones_only_when_asked_for(
    own_hub: RunningHub,
) -> None:
    hub = own_hub
    first, second = (hub.new(name, name=name, start=False)["id"] for name in ("one", "two"))
    assert [s["id"] for s in hub.get("/api/sessions")] == [second, first]
    hub.act(first, "archive")
    assert [s["id"] for s in hub.get("/api/sessions")] == [second]
    assert [s["id"] for s in hub.get("/api/sessions", all=True)] == [second, first]
    assert hub.get("/api/sessions", attention=True) == []


def test_a_session_is_found_by_prefix_and_slug(hub: RunningHub, resting: Json) -> None:
    for ref in (resting["id"], resting["id"][:6], "resting"):
        assert hub.show(ref)["id"] == resting["id"]


def test_the_same_title_twice_gives_two_slugs(hub: RunningHub) -> None:
    first, second = (hub.new("x", name="Same thing", start=False) for _ in range(2))
    assert (first["slug"], second["slug"]) == ("same-thing", "same-thing-2")
    assert first["worktree"] != second["worktree"]


def test_repositories_are_added_trusted_and_listed(hub: RunningHub, tmp_path: Path) -> None:
    path = str(hub.make_repo(tmp_path / "with space ü", trust=False))
    added = hub.post("/api/repos", {"path": path})
    assert added == {"path": path, "trusted": False, "default_base": "main", "spares": []}
    assert hub.post("/api/repos/trust", {"path": path})["trusted"]
    listed = {repo["path"]: repo for repo in hub.get("/api/repos")}
    assert listed[path]["trusted"]


def test_a_directory_inside_a_repository_stands_for_it(hub: RunningHub, resting: Json) -> None:
    (hub.repo / "deep" / "er").mkdir(parents=True)
    for inside in (hub.repo / "deep" / "er", Path(resting["worktree"])):
        assert hub.post("/api/repos", {"path": str(inside)})["path"] == str(hub.repo)


def test_agents_are_listed(hub: RunningHub) -> None:
    agents = {agent["name"]: agent for agent in hub.get("/api/agents")}
    assert agents["rehearsal"]["installed"]
    assert set(agents["rehearsal"]) >= {
        "name",
        "kind",
        "installed",
        "version",
        "logged_in",
        "models",
    }


def test_small_changes_to_a_session(hub: RunningHub) -> None:
    id = hub.new("x", start=False)["id"]
    renamed = hub.act(id, "rename", title="  A new\n title ")
    assert renamed["title"] == "A new title"
    assert renamed["slug"] == hub.show(id)["slug"]
    assert hub.act(id, "mode", mode="plan")["mode"] == "plan"
    assert hub.act(id, "model", model="other")["model"] == "other"
    assert hub.act(id, "read")["unread"] is False


def test_nothing_open_means_next_is_not_found(own_hub: RunningHub) -> None:
    assert own_hub.get("/api/attention") == []
    with pytest.raises(Refused) as caught:
        own_hub.get("/api/attention/next")
    assert (caught.value.status, caught.value.code) == (404, "not_found")


def test_waiting_times_out_and_says_so(hub: RunningHub, resting: Json) -> None:
    waited = hub.wait(resting["id"], goal="attention", seconds=0.05)
    assert waited["outcome"] == "timeout"
    assert [s["id"] for s in waited["sessions"]] == [resting["id"]]


def test_the_doctor_finds_a_healthy_home_healthy(own_hub: RunningHub) -> None:
    own_hub.new("x", start=False)
    assert all(finding["ok"] for finding in own_hub.get("/api/doctor"))


# Commands once


def test_the_same_command_twice_makes_one_session(hub: RunningHub) -> None:
    first = hub.new("x", start=False, name="Once", command="new-once")
    again = hub.new("x", start=False, name="Once", command="new-once")
    assert first["id"] == again["id"]
    assert len([s for s in hub.get("/api/sessions") if s["title"] == "Once"]) == 1


def test_the_same_command_from_many_at_once_makes_one_session(hub: RunningHub) -> None:
    made: list[str] = []

    def create() -> None:
        made.append(hub.new("x", start=False, name="Racing", command="new-racing")["id"])

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 8
    assert len(set(made)) == 1


def test_the_same_id_on_another_route_is_another_command(hub: RunningHub) -> None:
    one = hub.new("x", start=False, command="shared")
    two = hub.new("x", start=False)
    for session in (one, two):
        path = f"/api/sessions/{session['id']}/say"
        said = hub.post(path, {"text": "y", "follow_up": True}, command="shared")
        assert said["session"] == session["id"]


def test_a_command_that_was_carried_out_is_remembered_over_a_restart(own_hub: RunningHub) -> None:
    hub = own_hub
    first = hub.new("x", start=False, command="before")
    hub.restart()
    assert hub.new("x", start=False, command="before")["id"] == first["id"]
    assert len(hub.get("/api/sessions")) == 1


@pytest.mark.parametrize("operation", ["archive", "restore", "stop", "resume", "rename"])
def test_any_command_can_be_sent_again(hub: RunningHub, operation: str) -> None:
    id = hub.new("x", start=False)["id"]
    if operation == "restore":
        hub.act(id, "archive")
    body = {"title": "Again"} if operation == "rename" else {}
    path = f"/api/sessions/{id}/{operation}"
    first = hub.post(path, body, command=f"again-{operation}")
    again = hub.post(path, body, command=f"again-{operation}")
    for answer in (first, again):
        answer.pop("updated_at", None)
        answer.pop("seq", None)
    assert first == again


def test_forty_sessions_at_once_are_forty_sessions(own_hub: RunningHub) -> None:
    hub = own_hub
    config = (hub.repo / ".git" / "config").read_bytes()
    made: list[Json] = []
    threads = [
        threading.Thread(target=lambda: made.append(hub.new("x", name="Task", start=False)))
        for _ in range(40)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({s["slug"] for s in made}) == 40
    assert all(Path(s["worktree"]).is_dir() and s["status"] == "idle" for s in made)
    branches = hub.git("for-each-ref", "--format=%(refname:short)", "refs/heads", cwd=hub.repo)
    assert set(branches.split()) == {"main", *(s["branch"] for s in made)}
    assert (hub.repo / ".git" / "config").read_bytes() == config


# Events


def test_a_session_tells_its_events_from_any_number_on(hub: RunningHub, resting: Json) -> None:
    events = hub.events(resting["id"])
    assert [event["type"] for event in events[:2]] == ["session_created", "step_started"]
    assert {"worktree_ready", "session_ready"} <= {event["type"] for event in events}
    assert all(event["session"] == resting["id"] and event["at"].endswith("Z") for event in events)
    seqs = [event["seq"] for event in events]
    assert seqs == sorted(set(seqs))
    path = f"/api/sessions/{resting['id']}/events"
    assert hub.get(path, after=seqs[0], limit=2) == events[1:3]
    assert hub.get(path, after=seqs[-1]) == []


def test_a_reader_from_zero_gets_everything_and_then_what_comes(own_hub: RunningHub) -> None:
    hub = own_hub
    hub.new("x", start=False)
    with hub.reader(after=0) as reader:
        id = hub.new("y", start=False)["id"]
        reader.until(lambda f: f.get("type") == "session_ready" and f["session"] == id)
        assert reader.seqs == list(range(1, len(reader.seqs) + 1))


def test_a_reader_without_a_number_gets_only_what_comes(hub: RunningHub) -> None:
    before = hub.get("/api/status")["last_seq"]
    with hub.reader() as reader:
        id = hub.new("x", start=False)["id"]
        reader.until(lambda f: f.get("type") == "session_ready" and f["session"] == id)
        assert reader.seqs[0] > before


def test_a_reader_of_one_session_gets_nothing_of_another(hub: RunningHub, resting: Json) -> None:
    with hub.reader(after=0, session=resting["slug"]) as reader:
        hub.new("x", start=False)
        hub.act(resting["id"], "rename", title="Resting")
        reader.until_type("session_renamed")
        assert {event["session"] for event in reader.events} == {resting["id"]}


def test_joining_while_much_is_written_leaves_no_gap_and_doubles_nothing(
    own_hub: RunningHub,
) -> None:
    """Many readers join at many moments of a stream of small batches."""
    hub = own_hub
    id = hub.new("x", start=False)["id"]
    done = threading.Event()

    def rename() -> None:
        for number in range(300):
            hub.act(id, "rename", title=f"Title {number}")
        done.set()

    def join(after: int, seen: list[list[int]]) -> None:
        with hub.reader(after=after) as reader:
            reader.until(lambda f: f.get("title") == "Title 299")
            seen.append(reader.seqs)

    seen: list[list[int]] = []
    writer = threading.Thread(target=rename)
    writer.start()
    readers: list[threading.Thread] = []
    while not done.is_set() and len(readers) < 40:
        readers.append(threading.Thread(target=join, args=(len(readers) % 7, seen)))
        readers[-1].start()
        done.wait(0.02)
    for thread in (writer, *readers):
        thread.join()
    assert len(seen) == len(readers) > 3
    for seqs in seen:
        assert seqs == list(range(seqs[0], seqs[-1] + 1))
        assert seqs[0] <= 7


def test_resuming_after_the_last_number_seen_leaves_no_gap(own_hub: RunningHub) -> None:
    hub = own_hub
    id = hub.new("x", start=False)["id"]
    seqs: list[int] = []
    for number in range(20):
        hub.act(id, "rename", title=f"Title {number}")
        with hub.reader(after=seqs[-1] if seqs else 0) as reader:
            reader.take()
            seqs += reader.seqs
    last = hub.get("/api/status")["last_seq"]
    with hub.reader(after=seqs[-1]) as reader:
        if seqs[-1] < last:
            reader.until_seq(last)
        seqs += reader.seqs
    assert seqs == list(range(1, seqs[-1] + 1))
    assert seqs[-1] >= last


def test_a_slow_reader_is_cut_off_and_others_never_wait(tmp_path: Path) -> None:
    """One reads nothing of 56 MB, another reads all of it; then the slow one resumes."""
    with RunningHub(tmp_path / "hub", working=1) as hub:
        hub.start_model()
        hub.make_repo()
        # With no place to work in, messages stay in line, and in the log.
        hub.new(script(hold("never"), {"text": "no"}))
        with hub.reader(after=0, ahead=1) as slow, hub.reader(after=0) as quick:
            slow.take()
            for number in range(8):
                id = hub.new("x" * (7 * 2**20), name=f"Task {number}")["id"]
                quick.until_type("session_queued", id)
            assert slow.closed() == 4008
            last = hub.get("/api/status")["last_seq"]
            quick.until_seq(last)
            assert quick.seqs == list(range(1, quick.seqs[-1] + 1))
            resumed_from = slow.seqs[-1]
            assert resumed_from < last
        with hub.reader(after=resumed_from) as again:
            again.until_seq(last)
            # The hub may have had more to say after `last`.
            assert [*slow.seqs, *again.seqs][:last] == quick.seqs[:last]


def test_a_reader_of_an_unknown_session_is_told(hub: RunningHub) -> None:
    with hub.reader(session="nobody") as reader:
        assert reader.closed() == 4004


@pytest.mark.parametrize("query", ["after=x", "after=1.5"])
def test_a_number_that_is_none_opens_no_reader(hub: RunningHub, query: str) -> None:
    with (
        pytest.raises((InvalidStatus, ConnectionClosed)),
        hub.socket(f"/api/events?{query}", headers=hub.bearer) as socket,
    ):
        Reader(socket).take()


def test_words_that_are_no_message_end_the_connection(hub: RunningHub) -> None:
    for words in ("hello", '{"look": 5}', "[]"):
        with hub.reader() as reader:
            reader.socket.send(words)
            assert reader.closed() == 1003


def test_the_hub_says_goodbye_to_its_readers(own_hub: RunningHub) -> None:
    with own_hub.reader() as reader:
        assert own_hub.terminate() == 0
        assert reader.closed() in (1001, 1012)


def test_down_ends_the_hub(own_hub: RunningHub) -> None:
    process = own_hub.process
    assert process is not None
    assert own_hub.post("/api/down", {"all": True}) == {"down": True}
    process.communicate(timeout=120)
    assert process.returncode == 0
    own_hub.start()
