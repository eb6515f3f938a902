"""Terminals of a session: real shells and programs, through keeper, hub and WebSocket."""

from __future__ import annotations

import pytest

from tests.support.driver import Json, Refused, RunningHub
from tests.support.viewer import Viewer, shown_to_another

SH = ["/bin/sh"]


@pytest.fixture
def session(hub: RunningHub) -> Json:
    return hub.new("Nothing yet", start=False)


def open_terminal(hub: RunningHub, session: Json, **asked: object) -> Json:
    return hub.post(f"/api/sessions/{session['id']}/terminals", {"command": SH, **asked})


def act(hub: RunningHub, session: Json, name: str, what: str, /, **asked: object) -> Json:
    return hub.post(f"/api/sessions/{session['id']}/terminals/{name}/{what}", asked)


def listed(hub: RunningHub, session: Json) -> list[Json]:
    found: list[Json] = hub.get(f"/api/sessions/{session['id']}/terminals")
    return found


def exited(hub: RunningHub, session: Json) -> Json:
    """The end of a terminal, as it is on record."""
    with hub.reader(after=0, session=session["id"]) as reader:
        return reader.until_type("terminal_exited")


def test_a_shell_runs_in_the_worktree_with_the_agents_environment(
    hub: RunningHub, session: Json
) -> None:
    opened = open_terminal(hub, session)
    assert (opened["name"], opened["exit_code"]) == ("sh", None)
    with Viewer(hub, session["id"], "sh") as viewer:
        viewer.type("pwd; echo $MANYHANDS_SESSION; tput cols; echo x-$((40+2))\r")
        shown = viewer.until("x-42")
        viewer.type("exit 7\r")
        assert viewer.until_word("exit")["exit_code"] == 7
    assert exited(hub, session)["exit_code"] == 7
    assert session["worktree"] in shown.replace("\n", "")
    assert session["id"] in shown
    assert "80" in shown
    [after] = hub.show(session["id"])["terminals"]
    assert (after["exit_code"], after["pid"]) == (7, 0)
    assert after["seconds"] > 0


def test_a_hub_that_is_killed_costs_the_terminal_nothing(hub: RunningHub, session: Json) -> None:
    open_terminal(hub, session)
    with Viewer(hub, session["id"], "sh") as viewer:
        viewer.type("word=kept; echo before-$((1+1))\r")
        viewer.until("before-2")
    hub.kill()
    hub.start()
    with Viewer(hub, session["id"], "sh") as viewer:
        viewer.until("before-2")
        viewer.type("echo after-$word\r")
        viewer.until("after-kept")


def test_several_look_at_once_and_the_smallest_who_types_has_the_size(
    hub: RunningHub, session: Json
) -> None:
    open_terminal(hub, session)
    with (
        Viewer(hub, session["id"], "sh", rows=40, columns=120) as large,
        Viewer(hub, session["id"], "sh", mode="watch", rows=10, columns=20) as watching,
    ):
        watching.until_word("screen")
        large.type("stty size\r")
        large.until("40 120")
        with Viewer(hub, session["id"], "sh", rows=30, columns=90) as small:
            assert large.until_word("size") == {"type": "size", "rows": 30, "columns": 90}
            small.type("stty size; echo said-$((2+2))\r")
            small.until("30 90")
            watching.until("said-4")
            assert large.until("said-4")
        assert large.until_word("size")["columns"] == 120
        watching.type("echo not-this\r")
        assert watching.until_word("error")["message"] == "you only look on"
        large.say(type="size", rows=1, columns=10_000)
        assert large.until_word("size") == {"type": "size", "rows": 10, "columns": 1000}


DRAWN = r"""
import sys
out = sys.stdout.buffer
for n in range(200): out.write(b"line %d\r\n" % n)
out.write(b"\x1b[?1049h\x1b[2J\x1b[?25l\x1b[?1000h\x1b[?1006h\x1b[?2004h\x1b]2;a title\x07")
for row in range(1, 20):
    out.write(b"\x1b[%d;%dH\x1b[48;2;%d;%d;90m\x1b[1;4mcell\x1b[0m" % (row, row * 2, row * 9, row))
out.write("\x1b[22;1H宽宽 e\u0301 😀 \x1b(0lqqk\x1b(B \x1b]8;;http://x.example\x07link\x1b]8;;\x07".encode())
out.write(b"\x1b[3;18r\x1b[5;7H\x1b[33m\x1b[c\x1b[6n")
out.flush()
print("READY", file=open("drawn", "w")); sys.stdin.read()
"""


def test_whoever_comes_late_sees_exactly_the_same_screen(hub: RunningHub, session: Json) -> None:
    program = ["python3", "-c", DRAWN]
    open_terminal(hub, session, name="full-screen", command=program)
    with Viewer(hub, session["id"], "full-screen") as first:
        first.until("link")
        while b"\x1b[6n" not in first.received:
            first.take()
        seen = first.drawing
        assert shown_to_another(hub, session["id"], "full-screen") == seen
    [view] = listed(hub, session)
    assert view["title"] == "a title"
    late = Viewer(hub, session["id"], "full-screen", mode="watch")
    with late:
        while not late.parts:
            late.take()
        assert late.drawing == seen
        assert b"\x1b[6n" not in late.received, "a query would be answered again"
        late.screen.feed(b"\x1b[?1049l")  # type: ignore[union-attr]
        assert "line 199" in late.text
    act(hub, session, "full-screen", "close")


def test_a_flood_beside_delays_no_keystroke_and_is_shown_to_its_end(
    hub: RunningHub, session: Json
) -> None:
    flood = "head -c 60000000 /dev/zero | tr '\\0' 'y' | fold -w 79; echo; echo over-$((3+3)); cat"
    open_terminal(hub, session, name="flood", command=["/bin/sh", "-c", flood])
    open_terminal(hub, session, name="echo", command=["cat"])
    with (
        Viewer(hub, session["id"], "flood", acks=False) as stuck,
        Viewer(hub, session["id"], "flood") as flooded,
        Viewer(hub, session["id"], "echo") as echo,
    ):
        stuck.until_word("screen")
        for n in range(20):
            echo.type(f"key {n};\r")
            echo.until(f"key {n};")
        flooded.until("over-6")
        assert len(stuck.received) <= 256 * 1024
    act(hub, session, "flood", "close")


def test_names_places_and_ends(hub: RunningHub, session: Json) -> None:
    for _ in range(3):
        open_terminal(hub, session)
    assert [t["name"] for t in listed(hub, session)] == ["sh", "sh-2", "sh-3"]
    act(hub, session, "sh-3", "change", name="tests", position=0)
    assert [t["name"] for t in listed(hub, session)] == ["tests", "sh", "sh-2"]
    with pytest.raises(Refused) as taken:
        act(hub, session, "sh", "change", name="tests")
    assert "already" in taken.value.message
    killed = act(hub, session, "tests", "kill")
    assert killed["exit_code"] is not None
    again = act(hub, session, "tests", "restart")
    assert again["exit_code"] is None
    assert open_terminal(hub, session, name="tests")["pid"] == again["pid"]
    assert [t["name"] for t in act(hub, session, "sh", "close")] == ["tests", "sh-2"]


def test_a_program_that_ignores_every_question_is_gone_with_all_it_started(
    hub: RunningHub, session: Json
) -> None:
    stubborn = "trap '' HUP TERM; (trap '' HUP TERM; setsid sleep 600 & echo $! > pid; wait) "
    open_terminal(hub, session, name="deaf", command=["/bin/sh", "-c", f"{stubborn}& wait; read x"])
    with Viewer(hub, session["id"], "deaf") as viewer:
        viewer.until_word("screen")
    ended = act(hub, session, "deaf", "kill")
    assert ended["exit_code"] in (129, 137, 143)
    assert not [p for p in hub.processes() if "sleep" in " ".join(p.cmdline())]


def test_what_cannot_be_opened_is_told_in_a_sentence(hub: RunningHub, session: Json) -> None:
    with pytest.raises(Refused) as unknown:
        open_terminal(hub, session, command=["no-such-program-here"])
    assert "no program 'no-such-program-here'" in unknown.value.message
    assert listed(hub, session) == []
    with pytest.raises(Refused, match="no terminal called"):
        act(hub, session, "nowhere", "kill")
    with pytest.raises(Refused, match="printable"):
        open_terminal(hub, session, name="a/b")
    open_terminal(hub, session)
    hub.act(session["id"], "archive")
    assert not hub.has_keeper(session["id"])
    with pytest.raises(Refused, match="archived"):
        open_terminal(hub, session)


def test_a_keeper_that_dies_takes_its_terminals_along_and_says_so(
    hub: RunningHub, session: Json
) -> None:
    open_terminal(hub, session)
    with Viewer(hub, session["id"], "sh") as viewer:
        viewer.type("echo up-$((1+1))\r")
        viewer.until("up-2")
        hub.keeper(session["id"]).kill()
        viewer.until_closed()
    told = exited(hub, session)
    assert (told["exit_code"], told["reason"]) == (137, "its keeper died")
    assert act(hub, session, "sh", "restart")["exit_code"] is None


def test_a_bell_is_told_where_it_was_asked_for(hub: RunningHub, session: Json) -> None:
    open_terminal(hub, session)
    assert act(hub, session, "sh", "change", bell=True)["bell"]
    with Viewer(hub, session["id"], "sh") as viewer:
        viewer.type("printf '\\a'\r")
        viewer.until_word("screen")
        item = hub.wait_attention(session["id"])
    assert (item["kind"], item["detail"]["terminal"]) == ("bell", "sh")
