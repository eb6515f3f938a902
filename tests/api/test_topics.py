"""Topics over the socket of events: a page is told what it follows, from where it knows it."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.sync.client import ClientConnection

from tests.support.driver import SECONDS, Json, Reader, RunningHub, hold, script


class Page(Reader):
    """Follows topics; keeps every piece that came."""

    def __init__(self, socket: ClientConnection) -> None:
        super().__init__(socket)
        self.pieces: list[Json] = []

    def follow(self, **topics: int) -> None:
        self.say(topics={name.replace("_", "/", 1): after for name, after in topics.items()})

    def say(self, **wishes: Json) -> None:
        self.socket.send(json.dumps(wishes))

    def take(self, seconds: float = SECONDS) -> list[Json]:
        taken = super().take(seconds)
        self.pieces += taken
        return taken

    def of(self, topic: str) -> list[Json]:
        return [piece for piece in self.pieces if piece["topic"] == topic]

    def seqs_of(self, topic: str) -> list[int]:
        frames = [frame for piece in self.of(topic) for frame in piece.get("frames", ())]
        return [frame["seq"] for frame in frames if "seq" in frame]

    def until_seen(self, session: str, seen: Callable[[Json], object]) -> Json:
        """The fleet's first view of the session for which it is so."""

        def views(piece: Json) -> list[Json]:
            return [v for v in piece.get("views", ()) if v["id"] == session and seen(v)]

        return views(self.until(views))[0]

    def until_told(self, topic: str, seq: int) -> None:
        while not self.seqs_of(topic) or self.seqs_of(topic)[-1] < seq:
            self.take()


@contextmanager
def opened(hub: RunningHub, *, ahead: int = 16) -> Iterator[Page]:
    with hub.socket("/api/events?topics=true", headers=hub.bearer, ahead=ahead) as socket:
        yield Page(socket)


def test_the_fleet_is_told_whole_and_then_as_it_changes(hub: RunningHub, resting: Json) -> None:
    with opened(hub) as page:
        page.follow(fleet=0)
        begun = page.until(lambda piece: piece["topic"] == "fleet")
        assert begun["begins"]
        listed = {view["id"]: view for view in begun["views"]}
        assert listed.keys() == {session["id"] for session in hub.get("/api/sessions")}
        answered = hub.act(resting["id"], "rename", title="Resting still")
        view = page.until_seen(resting["id"], lambda view: view["title"] == "Resting still")
        assert view["seq"] >= answered["seq"] > listed[resting["id"]]["seq"]
        hub.act(resting["id"], "rename", title="Resting")
        page.until_seen(resting["id"], lambda view: view["title"] == "Resting")
        assert not any(piece.get("begins") for piece in page.of("fleet")[1:])


def test_an_archived_session_is_shown_so_and_a_removed_one_is_gone(own_hub: RunningHub) -> None:
    hub = own_hub
    id = hub.new("x", start=False)["id"]
    with opened(hub) as page:
        page.follow(fleet=0)
        page.until_seen(id, lambda view: view["status"] == "idle")
        hub.act(id, "archive")
        page.until_seen(id, lambda view: view["status"] == "archived")
        hub.act(id, "rm", yes=True)
        page.until(lambda piece: id in piece.get("gone", ()))
    with opened(hub) as page:
        page.follow(fleet=0)
        begun = page.until(lambda piece: piece["topic"] == "fleet")
        assert "views" not in begun


def test_only_what_is_followed_is_told(hub: RunningHub, resting: Json) -> None:
    other = hub.new("x", start=False)["id"]
    with opened(hub) as page:
        page.follow(**{f"session_{resting['id']}": 0})
        hub.act(other, "rename", title="Not theirs")
        hub.act(resting["id"], "rename", title="Resting")
        page.until_told(f"session/{resting['id']}", hub.events(resting["id"])[-1]["seq"])
        frames = [frame for piece in page.pieces for frame in piece.get("frames", ())]
        assert {frame["session"] for frame in frames} == {resting["id"]}
        assert {piece["topic"] for piece in page.pieces} == {f"session/{resting['id']}"}


def test_a_history_comes_first_and_is_marked_as_past(hub: RunningHub, resting: Json) -> None:
    topic = f"session/{resting['id']}"
    with opened(hub) as page:
        page.follow(**{f"session_{resting['id']}": 0})
        page.until(lambda piece: not piece.get("past"))
        first, *_, last = page.pieces
        assert (first["begins"], first["past"], last.get("frames")) == (True, True, None)
        known = [event["seq"] for event in hub.events(resting["id"])]
        assert page.seqs_of(topic) == known
        hub.act(resting["id"], "rename", title="Resting")
        told = page.until(lambda piece: piece["topic"] == topic)
        assert "past" not in told


def test_a_topic_that_was_left_and_followed_again_goes_on_where_it_is_known(
    hub: RunningHub, resting: Json
) -> None:
    id, other = resting["id"], hub.new("x", start=False)["id"]
    with opened(hub) as page:
        page.follow(**{f"session_{id}": 0})
        page.until(lambda piece: not piece.get("past"))
        known = page.seqs_of(f"session/{id}")
        page.follow(**{f"session_{other}": 0})
        page.until(lambda piece: piece["topic"] == f"session/{other}")
        hub.act(id, "rename", title="Resting unseen")
        hub.act(other, "rename", title="Seen")
        page.until_told(f"session/{other}", hub.events(other)[-1]["seq"])
        assert page.seqs_of(f"session/{id}") == known
        page.follow(**{f"session_{id}": known[-1], f"session_{other}": 0})
        again = page.until(lambda piece: piece["topic"] == f"session/{id}")
        assert again["begins"]
        hub.act(id, "rename", title="Resting")
        events = [event["seq"] for event in hub.events(id)]
        page.until_told(f"session/{id}", events[-1])
        assert page.seqs_of(f"session/{id}") == events
        others = [event["seq"] for event in hub.events(other)]
        assert page.seqs_of(f"session/{other}") == others


def test_joining_a_session_while_much_is_written_leaves_no_gap_and_doubles_nothing(
    own_hub: RunningHub,
) -> None:
    hub = own_hub
    id = hub.new("x", start=False)["id"]
    enough = threading.Event()

    def rename() -> None:
        for number in itertools.count():
            hub.act(id, "rename", title=f"Title {number}")
            if enough.is_set():
                return

    writer = threading.Thread(target=rename)
    writer.start()
    topic, seqs = f"session/{id}", [0]
    try:
        for _ in range(20):
            with opened(hub) as page:
                page.follow(**{f"session_{id}": seqs[-1]})
                page.until(lambda piece: not piece.get("past"))
                page.take()  # there is always more to come
                seqs += page.seqs_of(topic)
    finally:
        enough.set()
        writer.join()
    events = [event["seq"] for event in hub.events(id)]
    with opened(hub) as page:
        page.follow(**{f"session_{id}": seqs[-1]})
        page.until(lambda piece: not piece.get("past"))
        assert [*seqs[1:], *page.seqs_of(topic)] == events


def test_a_glance_is_the_last_of_a_session_and_what_follows(own_hub: RunningHub) -> None:
    hub = own_hub
    id = hub.new("x", start=False)["id"]
    for number in range(130):
        hub.act(id, "rename", title=f"Title {number}")
    with opened(hub) as page:
        page.follow(**{f"glance_{id}": 0})
        page.until(lambda piece: not piece.get("past"))
        events = [event["seq"] for event in hub.events(id)]
        assert page.seqs_of(f"glance/{id}") == events[-120:]
        hub.act(id, "rename", title="More")
        page.until_told(f"glance/{id}", hub.events(id)[-1]["seq"])


def test_live_text_goes_to_who_follows_its_session(
    tmp_path: Path,
) -> None:
    with RunningHub(tmp_path / "hub") as hub:
        hub.start_model()
        hub.make_repo()
        id = hub.new("x", start=False)["id"]
        with opened(hub) as page:
            page.follow(**{f"session_{id}": 0})
            # Slowly: what is said at one go may be whole before any of it was told.
            words = {"text": "Many words, one after the other, as they come.", "chunk_delay": 0.2}
            hub.say(id, script(words))
            said = page.until(lambda piece: any(f.get("live") for f in piece.get("frames", ())))
            assert said["topic"] == f"session/{id}"
            hub.wait_idle(id)
            events = [event["seq"] for event in hub.events(id)]
            page.until_told(f"session/{id}", events[-1])
            assert page.seqs_of(f"session/{id}")[: len(events)] == events


def test_a_page_that_does_not_keep_up_is_cut_off_and_goes_on_where_it_was(tmp_path: Path) -> None:
    with RunningHub(tmp_path / "hub", working=1) as hub:
        hub.start_model()
        hub.make_repo()
        # With no place to work in, messages stay in line, and in the log.
        hub.new(script(hold("never"), {"text": "no"}))
        ids = [hub.new("x", detach=True)["id"] for _ in range(8)]
        with opened(hub, ahead=1) as page:
            page.follow(**{f"session_{id}": 0 for id in ids})
            while len({piece["topic"] for piece in page.pieces if "past" not in piece}) < len(ids):
                page.take()
            # At once: who is silent for long is taken for gone before it falls behind.
            with ThreadPoolExecutor(8) as speaking:
                list(speaking.map(lambda id: hub.say(id, "x" * (7 * 2**20)), ids))
            assert page.closed() == 4008
        known = {id: page.seqs_of(f"session/{id}") for id in ids}
        with opened(hub) as again:
            again.follow(**{f"session_{id}": known[id][-1] for id in ids})
            for id in ids:
                events = [event["seq"] for event in hub.events(id)]
                if events[-1] > known[id][-1]:
                    again.until_told(f"session/{id}", events[-1])
                told = [*known[id], *again.seqs_of(f"session/{id}")]
                assert told[: len(events)] == events


def test_unknown_topics_are_not_told_and_the_others_are(hub: RunningHub, resting: Json) -> None:
    with opened(hub) as page:
        page.say(topics={"session/nobody": 0, "session/": 0, "events": 0, "moon": 0})
        page.say(look=[resting["id"]])
        page.follow(fleet=0)
        page.until(lambda piece: piece["topic"] == "fleet")
        assert len(page.pieces) == 1


@pytest.mark.parametrize(
    "topics", [5, [], {"fleet": -1}, {"fleet": "x"}, {f"session/{n}": 0 for n in range(201)}]
)
def test_wishes_that_are_none_end_the_connection(hub: RunningHub, topics: object) -> None:
    with opened(hub) as page:
        page.say(topics=topics)
        assert page.closed() == 1003
