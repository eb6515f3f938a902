"""The inbox: put off, settled by itself, ordered; and the sentences by which people are told."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from manyhands.hub.attention.notifying import quiet_seconds
from manyhands.model.agent.conversation import Conversation
from manyhands.model.attention.attention import Attention
from manyhands.model.attention.sentences import attention_sentence
from manyhands.model.ids import MAIN, AttentionId, SessionId
from manyhands.model.session.session import Session
from tests.support.driver import Json, Refused, RunningHub, eventually, of_type
from tests.support.terminal_hub import add_config, hub, own_hub

__all__ = ["hub", "own_hub"]

RING = r"printf '\033]9;{}\007'"


def make(hub: RunningHub, text: str, **more: str) -> str:
    session: str = hub.new(text, agent="bash", mode="ask", **more)["id"]
    return session


def manyhands(hub: RunningHub, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "manyhands", *words]
    env = hub.environment
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=False)


def test_what_is_put_off_is_passed_by_until_it_is_woken(hub: RunningHub) -> None:
    first = make(hub, RING.format("first"))
    item = hub.wait_attention(first)
    second = make(hub, RING.format("second"))
    other = hub.wait_attention(second)
    put_off = hub.post(f"/api/attention/{item['id']}/snooze", {"minutes": 30})
    assert put_off["snoozed_until"] > put_off["raised_at"]
    assert hub.show(first)["attention"][0]["snoozed_until"] == put_off["snoozed_until"]
    assert hub.get("/api/attention/next")["id"] == other["id"]
    assert hub.get("/api/attention")[-1]["id"] == item["id"]
    waiting = {s["id"] for s in hub.get("/api/sessions", attention=True)}
    assert second in waiting
    assert first not in waiting
    hub.post(f"/api/attention/{item['id']}/snooze", {"minutes": 0})
    assert hub.get("/api/attention/next")["id"] == item["id"]
    for session in (first, second):
        hub.answer(session, "seen")
    with pytest.raises(Refused) as refused:
        hub.post(f"/api/attention/{item['id']}/snooze", {"minutes": 5})
    assert refused.value.status == 404


def test_the_command_line_puts_off_and_says_what_is_left(hub: RunningHub) -> None:
    session = make(hub, RING.format("put me off"))
    hub.wait_attention(session)

    assert json.loads(manyhands(hub, "snooze", session, "--json").stdout)["snoozed_until"]
    nothing = manyhands(hub, "next")
    assert (nothing.returncode, nothing.stdout) == (5, "")
    assert "put off" in nothing.stderr
    assert session not in manyhands(hub, "ls", "--attention").stdout
    assert manyhands(hub, "answer", session, "--option", "seen").returncode == 0


def test_reading_the_session_settles_its_bell_and_of_many_bells_one_is_open(
    hub: RunningHub,
) -> None:
    held = "while [ ! -e go.ignored ]; do sleep 0.05; done"
    session = make(hub, "; ".join([RING.format("one"), held, RING.format("two")]))
    with hub.reader(after=0, session=session) as reader:
        reader.until(lambda f: f.get("item", {}) and f["item"]["summary"] == "one")
        Path(hub.show(session)["worktree"], "go.ignored").touch()
        reader.until(lambda f: f.get("item", {}) and f["item"]["summary"] == "two")
        settled = reader.until_type("attention_resolved")
    assert settled["resolution"]["by"] == "hub"
    assert [i["summary"] for i in hub.show(session)["attention"]] == ["two"]
    hub.act(session, "read")
    assert hub.show(session)["attention"] == []


# Sentences

PLAN = "# Plan\n1. Read `pay()`\n2. Change it\n3. Test\n\n- not a step\n"
QUESTION = [{"question": "Which `db.sqlite` shall I use, old or new?", "options": []}]


@pytest.mark.parametrize(
    ("kind", "detail", "sentence"),
    [
        ("plan", {"plan": PLAN}, "pay-api proposes a plan, 3 steps"),
        ("plan", {}, "pay-api proposes a plan"),
        (
            "permission",
            {"tool": "Bash", "input": {"command": "rm -rf x"}},
            "pay-api asks whether it may run a command",
        ),
        ("question", {"questions": QUESTION}, "pay-api asks: Which … shall I use, old or new?"),
        ("bell", {"text": "done\x1b[31m"}, "pay-api rings: done[31m"),
        ("agent_died", {}, "pay-api has lost its agent in turn 2: resume it?"),
    ],
)
def test_a_sentence_names_the_session_and_what_is_asked_and_holds_no_code(
    kind: Any, detail: Json, sentence: str
) -> None:
    turned = {MAIN: Conversation(id=MAIN, turn=2)}
    s = Session(id=SessionId("s"), slug="pay-api", conversations=turned)
    item = Attention(
        id=AttentionId("i"), session=s.id, kind=kind, summary="x", detail=detail, raised_at=""
    )
    assert attention_sentence(s, item) == sentence


def test_every_kind_has_a_sentence() -> None:
    from typing import get_args

    from manyhands.model.attention.attention import Kind

    s = Session(id=SessionId("s"), slug="pay-api")
    for kind in get_args(Kind):
        item = Attention(id=AttentionId("i"), session=s.id, kind=kind, summary="why", raised_at="")
        assert attention_sentence(s, item).startswith("pay-api ")


@pytest.mark.parametrize(
    ("hours", "at", "seconds"),
    [
        ("", "12:00", 0),
        ("22:00-07:00", "23:00", 8 * 3600),
        ("22:00-07:00", "06:59", 60),
        ("22:00-07:00", "07:00", 0),
        ("12:00-13:00", "12:30", 1800),
        ("12:00-13:00", "13:00", 0),
    ],
)
def test_quiet_hours(hours: str, at: str, seconds: float) -> None:
    assert quiet_seconds(hours, datetime.fromisoformat(f"2026-03-03T{at}:00")) == seconds


# Channels


@contextmanager
def receiver(failures: int = 0) -> Iterator[tuple[str, list[Json]]]:
    """A service on the loopback that refuses so many times, then takes what it is sent."""
    taken: list[Json] = []
    left = [failures]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            refuse = left[0] > 0
            left[0] -= 1
            if not refuse:
                taken.append(body)
            self.send_response(500 if refuse else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"json://127.0.0.1:{server.server_port}/", taken
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def notify_config(**settings: object) -> str:
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    return "\n".join(["[notify]", *lines, ""])


def own_command(place: Path) -> list[str]:
    """A program that appends what it is told to a file."""
    program = place / "tell.py"
    told = place / "told.jsonl"
    program.write_text(
        "import sys, json\n"
        f"with open({str(told)!r}, 'a') as file:\n"
        "    file.write(json.dumps([sys.argv[1], json.load(sys.stdin)]) + '\\n')\n"
    )
    return [sys.executable, str(program)]


def told_by_command(place: Path) -> list[Json]:
    try:
        return [json.loads(line) for line in (place / "told.jsonl").read_text().splitlines()]
    except FileNotFoundError:
        return []


def test_a_service_and_a_command_are_told_once_even_over_a_restart(
    own_hub: RunningHub, tmp_path: Path
) -> None:
    hub = own_hub
    with receiver(failures=1) as (address, taken):
        rules = notify_config(channels=[address], command=own_command(tmp_path))
        add_config(hub, rules + '[notify.rules]\nfinished = "off"\n')
        session = make(hub, RING.format("look here"), name="Payment API")
        hub.wait_attention(session)
        eventually(lambda: taken and told_by_command(tmp_path))
        assert taken[0]["message"] == "payment-api rings: look here"
        text, notice = told_by_command(tmp_path)[0]
        assert (text, notice["kind"]) == ("payment-api rings: look here", "bell")
        notified = of_type(hub.events(session), "person_notified")
        assert [n.get("told", "sent") for n in notified if n["kind"] == "bell"] == ["sent"]
        hub.restart()
        again = make(hub, RING.format("another"), name="Other")
        hub.wait_attention(again)
        eventually(lambda: len(taken) == 2)
        assert taken[1]["message"] == "other rings: another"
        eventually(lambda: len(told_by_command(tmp_path)) == 2)
    assert len(of_type(hub.events(session), "person_notified")) == 1
    hub.say(again, "true")
    with hub.reader(after=0, session=again) as reader:
        finished = reader.until(lambda f: f.get("kind") == "finished")
    assert finished["told"] == "muted"


def test_what_is_on_the_screen_is_not_told(own_hub: RunningHub, tmp_path: Path) -> None:
    hub = own_hub
    add_config(hub, notify_config(command=own_command(tmp_path)))
    session = make(hub, "true")
    hub.wait_idle(session)
    eventually(lambda: len(told_by_command(tmp_path)) == 1)
    with hub.reader(after=0) as reader, hub.reader(after=0) as other:
        other.socket.send(json.dumps({"look": []}))
        reader.socket.send(json.dumps({"look": [session]}))
        eventually(lambda: hub.has_keeper(session))
        hub.say(session, RING.format("seen by you"))
        told = reader.until(lambda f: f.get("type") == "person_notified" and f["kind"] == "bell")
        assert told["told"] == "seen"
    assert len(told_by_command(tmp_path)) == 1


def test_in_quiet_hours_nothing_is_told_and_a_wrong_span_is_refused(
    own_hub: RunningHub, tmp_path: Path
) -> None:
    hub = own_hub
    before = hub.home.config.read_text()
    hour = time.localtime().tm_hour
    quiet = f"{(hour - 1) % 24:02}:00-{(hour + 2) % 24:02}:00"
    add_config(hub, notify_config(command=own_command(tmp_path), quiet=quiet))
    session = make(hub, RING.format("psst"))
    hub.wait_attention(session)
    hub.wait(session)
    assert of_type(hub.events(session), "person_notified") == []
    hub.configure(before + notify_config(command=own_command(tmp_path)))
    hub.say(session, RING.format("loud again"))
    eventually(lambda: told_by_command(tmp_path))
    add_config(hub, "")
    hub.configure(before + notify_config(quiet="25:00-07:00"))
    with pytest.raises(Refused) as refused:
        hub.new("x", agent="bash")
    assert "quiet" in refused.value.message


def test_notify_test_tells_how_each_channel_did_without_its_address(
    own_hub: RunningHub, tmp_path: Path
) -> None:
    hub = own_hub
    with receiver() as (address, taken):
        refs = [address, "json://127.0.0.1:1/s3cr3t-token", "env:NO_SUCH_ADDRESS", "nonsense"]
        add_config(hub, notify_config(channels=refs, command=["/bin/false"]))
        argv = [sys.executable, "-m", "manyhands", "notify", "test", "--json"]
        done = subprocess.run(
            argv, env=hub.environment, capture_output=True, text=True, check=False
        )
        tried = json.loads(done.stdout)
    assert done.returncode == 1
    assert [one["ok"] for one in tried] == [True, False, False, False, False]
    assert "NO_SUCH_ADDRESS" in tried[2]["detail"]
    assert "exit code 1" in tried[4]["detail"]
    assert len(taken) == 1
    log = (hub.home.logs / "hub.log").read_text()
    assert "s3cr3t-token" not in done.stdout + done.stderr + log


def test_no_channel_is_imported_by_a_hub_that_has_none() -> None:
    heavy = {"apprise", "keyring", "pyte"}
    program = f"import sys, manyhands.api.serve; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[]"
