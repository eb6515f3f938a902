"""Any program in a terminal: typed to, read from its screen, and never outliving its keeper."""

from __future__ import annotations

import re

import psutil
import pytest

from manyhands.agents.terminal.screen import LONGEST_TEXT, Screen, notification
from tests.support.driver import Refused, RunningHub, eventually, gone, of_type


def make(hub: RunningHub, text: str, agent: str = "bash", **more: str) -> str:
    session: str = hub.new(text, agent=agent, mode="ask", **more)["id"]
    return session


def said(hub: RunningHub, session: str) -> str:
    return "\n".join(m["text"] for m in of_type(hub.events(session), "agent_message"))


def last_said(hub: RunningHub, session: str) -> str:
    text: str = of_type(hub.events(session), "agent_message")[-1]["text"]
    return text


def test_words_are_typed_and_the_screen_comes_back(hub: RunningHub) -> None:
    session = make(hub, "echo $((6*7)) > answer; cat answer; tty")
    (view,) = hub.wait_idle(session)
    assert re.search(r"^42$", said(hub, session), re.MULTILINE)
    assert "/dev/" in said(hub, session)
    # Where it is not quick, the diff comes after the turn's end.
    eventually(lambda: hub.show(session)["files_changed"] == 1)
    assert (view["kind"], view["limited"]) == ("terminal", True)
    assert "screen" in view["limited_note"]
    assert view["agent_pid"]
    hub.say(session, "cd / && pwd")
    hub.wait_idle(session)
    hub.say(session, "pwd; echo 'the same shell'")
    hub.wait_idle(session)
    assert re.search(r"^/$", said(hub, session), re.MULTILINE)


def test_a_program_of_its_own_kind_and_several_lines(hub: RunningHub) -> None:
    session = make(hub, "for n in range(3):\n    print('row', n * n)\n", "python")
    hub.wait_idle(session)
    assert "row 4" in said(hub, session)


def test_a_program_that_takes_the_whole_screen_is_seen_as_it_stands_there(hub: RunningHub) -> None:
    session = make(hub, "soup", "screen")
    hub.wait_idle(session)
    hub.say(session, "bread")
    hub.wait_idle(session)
    last = of_type(hub.events(session), "agent_message")[-1]["text"]
    assert "Menu of the day" in last
    assert "You chose bread" in last
    assert "soup" not in last
    hub.say(session, "q")
    hub.wait_idle(session)
    assert "left the screen" in said(hub, session)
    assert of_type(hub.events(session), "agent_exited")[-1]["returncode"] == 0


def test_no_sequence_and_no_flood_gets_into_the_log(hub: RunningHub) -> None:
    session = make(hub, r"printf '\033[31mred\033[0m \033]0;title\007\033[2Kgone\r'; seq 300000")
    hub.wait_idle(session)
    text = said(hub, session)
    assert "300000" in text
    assert len(text) < 4 * LONGEST_TEXT
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)


def test_a_secret_that_wraps_at_the_edge_is_redacted(hub: RunningHub) -> None:
    secret = "ghp_" + "Zx81" * 9
    padding = "-" * 100
    session = make(hub, f"echo {padding}$(printf 'ghp_'; printf 'Zx81%.0s' 1 2 3 4 5 6 7 8 9)")
    hub.wait_idle(session)
    whole = said(hub, session).replace("\n", "")
    assert f"{padding}[redacted: a GitHub token]" in whole
    assert secret not in whole


@pytest.mark.parametrize(
    ("typed", "summary"),
    [
        (r"printf '\a'", "The program rang its bell"),
        (r"printf '\033]9;build done\007'", "build done"),
        (r"printf '\033]99;i=1:d=0;kitty says\033\\'", "kitty says"),
        (r"printf '\033]777;notify;Tests;all green\007'", "Tests: all green"),
    ],
)
def test_a_bell_becomes_attention_until_someone_has_seen_it(
    hub: RunningHub, typed: str, summary: str
) -> None:
    session = make(hub, typed)
    item = hub.wait_attention(session)
    assert (item["kind"], item["summary"]) == ("bell", summary)
    hub.answer(session, "seen")
    assert hub.wait_idle(session)[0]["attention"] == []


def test_the_next_words_settle_a_bell(hub: RunningHub) -> None:
    session = make(hub, r"printf '\a'")
    hub.wait_attention(session)
    hub.say(session, "true")
    (view,) = hub.wait_idle(session)
    assert view["attention"] == []


def test_the_exit_is_known_with_its_code_and_the_next_words_start_it_again(
    hub: RunningHub,
) -> None:
    session = make(hub, "exit 3")
    waited = hub.wait(session)
    assert waited["outcome"] == "failed"
    assert waited["sessions"][0]["error"] == "the program ended with exit code 3"
    exited = of_type(hub.events(session), "agent_exited")[0]
    assert (exited["returncode"], exited.get("expected", False)) == (3, False)
    hub.say(session, "echo back again")
    hub.wait_idle(session)
    assert "back again" in said(hub, session)
    (note,) = of_type(hub.events(session), "note_made")
    assert "started again" in note["text"]


def test_resume_starts_it_again_and_types_nothing(hub: RunningHub) -> None:
    session = make(hub, "exit")
    hub.wait_idle(session)
    eventually(lambda: not hub.show(session)["agent_pid"])
    hub.act(session, "resume")
    eventually(lambda: hub.show(session)["agent_pid"])
    hub.wait_idle(session)
    eventually(lambda: last_said(hub, session).strip() == "ready>")


def test_a_running_command_keeps_the_turn_and_stop_ends_it(hub: RunningHub) -> None:
    session = make(hub, "echo begun; sleep 1000")
    with hub.reader(after=0, session=session) as reader:
        reader.until_type("agent_message")
    assert hub.show(session)["status"] == "working"
    hub.act(session, "stop")
    assert hub.show(session)["status"] == "idle"
    finished = of_type(hub.events(session), "turn_finished")
    assert finished[-1]["outcome"] == "interrupted"
    assert hub.show(session)["agent_pid"]


def test_plan_mode_is_refused_where_it_cannot_be_kept(hub: RunningHub) -> None:
    with pytest.raises(Refused, match="cannot be held to mode plan") as caught:
        hub.new("true", agent="bash", mode="plan")
    assert caught.value.hint == "offered: ask, edits, auto"
    session = make(hub, "true")
    hub.wait_idle(session)
    with pytest.raises(Refused, match="cannot be held to mode plan"):
        hub.act(session, "mode", mode="plan")
    assert hub.show(session)["mode"] == "ask"
    with pytest.raises(Refused, match="cannot be kept from writing"):
        hub.act(session, "conversations", text="what is here?")


def test_it_outlives_neither_its_keeper_nor_its_session(own_hub: RunningHub) -> None:
    hub = own_hub
    session = make(hub, "sleep 1000 & sleep 2000")
    eventually(lambda: hub.show(session)["agent_pid"])
    shell = psutil.Process(hub.show(session)["agent_pid"])
    eventually(lambda: len(shell.children()) == 2)
    below = shell.children()
    hub.keeper(session).kill()
    assert gone(shell)
    item = hub.wait_attention(session)
    assert item["kind"] == "agent_died"
    hub.answer(session, "retry")
    hub.wait_idle(session)
    assert all(gone(process) for process in below)
    again = psutil.Process(hub.show(session)["agent_pid"])
    hub.act(session, "archive")
    assert gone(again)


def test_an_idle_program_is_kept_while_an_idle_session_may_go(own_hub: RunningHub) -> None:
    session = make(own_hub, "true")
    own_hub.wait_idle(session)
    pid = own_hub.show(session)["agent_pid"]
    with own_hub.reader(after=0, session=session) as reader, pytest.raises(TimeoutError):
        reader.until(lambda f: f.get("type") == "agent_exited", seconds=4.0)
    assert psutil.pid_exists(pid)


# The screen itself


def drawn(*pieces: bytes, rows: int = 5, columns: int = 20) -> tuple[str, list[str], list[str]]:
    rang: list[str] = []
    replies: list[str] = []
    screen = Screen(rows, columns, rang.append, replies.append)
    for piece in pieces:
        screen.feed(piece)
    return screen.text(0), rang, replies


def test_a_notification_is_heard_over_any_border() -> None:
    whole = b"a\x1b]777;notify;T;B\x07b\x1b]9;4;1;50\x07c\x1b]0;title\x07\x07d\x1bPq#0;x\x1b\\e"
    for cut in range(len(whole)):
        text, rang, _ = drawn(whole[:cut], whole[cut:])
        assert (text, rang) == ("abcde", ["T: B", ""])


def test_lines_that_scrolled_off_are_kept_and_bounded() -> None:
    many = b"".join(b"line %d\r\n" % n for n in range(5000))
    text, _, _ = drawn(many)
    assert text.startswith("… earlier output is left out …")
    assert text.endswith("line 4999")
    assert 1900 < text.count("\n") <= 2010


def test_a_program_that_asks_the_terminal_is_answered() -> None:
    assert drawn(b"\x1b[6n")[2] == ["\x1b[1;1R"]


def test_what_stood_there_comes_back_when_a_program_gives_the_screen_back() -> None:
    before = b"one\r\ntwo\r\n\x1b[?1049h\x1b[Hfull screen"
    assert drawn(before)[0] == "full screen"
    assert drawn(before, b"\x1b[?1049l")[0] == "one\ntwo"


@pytest.mark.parametrize(
    "rubbish", [b"\x1b[?1;2;3m", b"\x1b[>4;2m", b"\x1b[999999999999B", b"\xff"]
)
def test_rubbish_does_not_blind_the_screen(rubbish: bytes) -> None:
    assert "still here" in drawn(rubbish, b"\r\nstill here")[0]


def test_which_strings_are_notifications() -> None:
    assert notification("0;title") is None
    assert notification("9;4;3") is None
    assert notification("777;precmd") is None
    assert notification("9;\x1b[31mred") == "[31mred"
