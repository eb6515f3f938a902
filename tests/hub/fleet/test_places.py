"""Who may work, who waits and why, and what follows from a death: all of it pure."""

from __future__ import annotations

from manyhands.hub.fleet.places import CONTINUE, MOST_DEATHS
from manyhands.model import events as e
from manyhands.model.attention.attention import Resolution
from manyhands.model.ids import AttentionId, MessageId, SessionId
from tests.hub.facts import (
    AT,
    World,
    at,
    died,
    finished,
    follow_up,
    permission,
    ready,
    said,
    step,
    turn,
)


def granted(events: list[e.AnyEvent]) -> list[str]:
    return [event.session for event in events if isinstance(event, e.PlaceGranted)]


def test_a_message_gets_a_free_place_at_once() -> None:
    world = World(working=1)
    assert granted(world.happens(*ready("a"), said("a", "1"))) == ["a"]
    assert world.session("a").status == "working"


def test_a_session_without_a_message_asks_for_no_place() -> None:
    assert World(working=1).happens(*ready("a")) == []


def test_a_session_that_is_not_ready_gets_its_place_only_then() -> None:
    world = World(working=1)
    made, is_ready = ready("a")
    assert world.happens(made, said("a", "1")) == []
    assert world.session("a").status == "preparing"
    assert granted(world.happens(is_ready)) == ["a"]


def test_over_the_limit_sessions_queue_in_the_order_they_asked_and_are_told_why() -> None:
    world = World(working=1)
    world.happens(*ready("a"), *ready("b"), *ready("c"), said("b", "1", at(1)))
    world.happens(said("c", "2", at(2)))
    world.happens(said("a", "3", at(3)))
    assert [world.session(id).status for id in "abc"] == ["queued", "working", "queued"]
    assert world.session("c").place.reason == "1 of 1 places in use; number 1 in line"
    assert world.session("a").place.reason == "1 of 1 places in use; number 2 in line"


def test_a_finished_turn_gives_its_place_to_the_first_in_line_and_the_others_move_up() -> None:
    world = World(working=1)
    world.happens(*ready("a"), *ready("b"), *ready("c"), said("b", "1", at(1)))
    world.happens(said("c", "2", at(2)), said("a", "3", at(3)))
    world.happens(*turn("b", 1, "1"))
    assert granted(world.happens(finished("b"))) == ["c"]
    assert world.session("c").place.reason == ""
    assert world.session("a").place.reason == "1 of 1 places in use; number 1 in line"


def test_an_agent_that_waits_for_a_person_gives_its_place_away() -> None:
    world = World(working=1)
    world.happens(*ready("a"), *ready("b"), said("a", "1", at(1)), said("b", "2", at(2)))
    world.happens(*turn("a", 1, "1"))
    assert granted(world.happens(permission("a"))) == ["b"]
    assert [world.session(id).status for id in "ab"] == ["waiting", "working"]


def test_an_answered_agent_goes_on_even_where_its_place_was_given_away() -> None:
    world = World(working=1)
    world.happens(*ready("a"), *ready("b"), *ready("c"), said("a", "1"), *turn("a", 1, "1"))
    world.happens(permission("a"), said("b", "2"), *turn("b", 1, "2"), said("c", "3"))
    answer = e.AttentionResolved(
        session=SessionId("a"), at=AT, item=AttentionId("p1"), resolution=Resolution(("allow",))
    )
    assert granted(world.happens(answer)) == []
    assert [world.session(id).status for id in "abc"] == ["working", "working", "queued"]
    world.happens(e.AnswerDelivered(session=SessionId("a"), at=AT, item=AttentionId("p1")))
    assert granted(world.happens(finished("a"))) == [], "two were at work, one place there is"
    assert granted(world.happens(finished("b"))) == ["c"]


def test_a_message_to_a_session_whose_dead_agent_left_a_question_takes_one_place() -> None:
    world = World(working=1)
    world.happens(*ready("a"), *ready("b"), said("a", "1"), *turn("a", 1, "1"), step("a"))
    world.happens(permission("a"), died("a"))
    world.happens(said("a", "2", at(1)), said("b", "3", at(2)))
    assert world.session("a").place.granted
    assert not world.session("b").place.granted
    assert world.happens() == []


def test_an_agent_that_died_in_a_turn_is_resumed_by_a_message_of_the_hub() -> None:
    world = World(working=1)
    world.happens(*ready("a"), said("a", "1"), *turn("a", 1, "1"), step("a"))
    resumed, *more = world.happens(died("a"))
    assert isinstance(resumed, e.UserMessage)
    assert (resumed.text, resumed.by) == (CONTINUE, "hub")
    assert granted(more) == ["a"]


def test_an_agent_that_died_before_its_first_step_is_sent_the_message_again() -> None:
    world = World(working=1)
    world.happens(*ready("a"), said("a", "1"), *turn("a", 1, "1"))
    note, again, *_ = world.happens(died("a"))
    assert isinstance(note, e.NoteMade)
    assert "sent again" in note.text
    assert isinstance(again, e.UserMessage)
    assert again.text == "do 1"


def test_an_agent_that_died_between_turns_is_left_alone() -> None:
    world = World(working=1)
    world.happens(*ready("a"), said("a", "1"), *turn("a", 1, "1"), step("a"), finished("a"))
    assert world.happens(died("a")) == []
    assert world.session("a").status == "idle"


def test_what_was_pending_with_a_dead_agent_stays_open_and_nothing_is_resumed() -> None:
    world = World(working=1)
    world.happens(*ready("a"), said("a", "1"), *turn("a", 1, "1"), step("a"), permission("a"))
    assert world.happens(died("a")) == []
    assert [i.id for i in world.session("a").inbox.items] == ["p1"]
    assert world.session("a").status == "waiting"


def test_a_message_that_was_never_delivered_is_enough_to_go_on_after_a_death() -> None:
    world = World(working=1)
    world.happens(*ready("a"), said("a", "1"), *turn("a", 1, "1"), step("a"), said("a", "2"))
    assert granted(world.happens(died("a"))) == ["a"]
    assert [m.id for m in world.session("a").main.undelivered] == ["2"]


def test_a_crash_loop_ends_with_a_person() -> None:
    world = World(working=1)
    world.happens(*ready("a"), said("a", "1"), *turn("a", 1, "1"), step("a"))
    resumed = 0
    for number in range(2, 20):
        following = world.happens(died("a"))
        if any(isinstance(event, e.AttentionRaised) for event in following):
            break
        resumed += 1
        sent = next(event for event in following if isinstance(event, e.UserMessage))
        world.happens(*turn("a", number, sent.message))
    assert resumed == MOST_DEATHS
    [item] = world.session("a").inbox.items
    assert item.kind == "agent_died"
    assert [option.id for option in item.options] == ["retry", "skip"]
    assert world.happens() == []


def test_a_finished_step_between_deaths_is_no_crash_loop() -> None:
    world = World(working=1)
    world.happens(*ready("a"), said("a", "1"), *turn("a", 1, "1"))
    for number in range(2, 8):
        following = world.happens(step("a"), died("a"))
        sent = next(event for event in following if isinstance(event, e.UserMessage))
        world.happens(*turn("a", number, sent.message))
    assert world.session("a").inbox.items == ()


def test_where_the_config_says_ask_a_death_is_asked_about() -> None:
    world = World(working=1, ask=True)
    world.happens(*ready("a"), said("a", "1"), *turn("a", 1, "1"), step("a"))
    [raised] = world.happens(died("a"))
    assert isinstance(raised, e.AttentionRaised)
    assert raised.item.kind == "agent_died"


def test_a_death_that_a_person_left_stopped_is_not_brought_up_again() -> None:
    world = World(working=1, ask=True)
    world.happens(*ready("a"), said("a", "1"), *turn("a", 1, "1"), step("a"), died("a"))
    [item] = world.session("a").inbox.items
    skipped = e.AttentionResolved(
        session=SessionId("a"), at=AT, item=item.id, resolution=Resolution(("skip",))
    )
    assert world.happens(skipped, finished("a", "interrupted")) == []
    assert world.session("a").status == "idle"


def test_follow_ups_go_one_at_a_time_each_after_the_turn_before() -> None:
    world = World(working=1)
    world.happens(*ready("a"), said("a", "1"), *turn("a", 1, "1"))
    assert world.happens(follow_up("a", "2"), follow_up("a", "3")) == []
    following = world.happens(finished("a"))
    assert [x.message for x in following if isinstance(x, e.UserMessage)] == ["2"]
    assert [f.id for f in world.session("a").main.follow_ups] == ["3"]
    world.happens(*turn("a", 2, "2"))
    following = world.happens(finished("a"))
    assert [x.message for x in following if isinstance(x, e.UserMessage)] == ["3"]


def test_follow_ups_wait_after_an_interrupt_until_the_next_word() -> None:
    world = World(working=1)
    world.happens(*ready("a"), said("a", "1"), *turn("a", 1, "1"), follow_up("a", "2"))
    assert world.happens(finished("a", "interrupted")) == []
    assert world.session("a").status == "idle"
    world.happens(said("a", "3"), *turn("a", 2, "3"))
    following = world.happens(finished("a"))
    assert [x.message for x in following if isinstance(x, e.UserMessage)] == ["2"]


def test_follow_ups_wait_after_a_failed_turn() -> None:
    world = World(working=1)
    world.happens(*ready("a"), said("a", "1"), *turn("a", 1, "1"), follow_up("a", "2"))
    assert world.happens(finished("a", "failed")) == []
    assert world.session("a").status == "failed"


def test_an_archived_session_neither_queues_nor_blocks_the_line() -> None:
    world = World(working=1)
    world.happens(*ready("a"), *ready("b"), *ready("c"), said("a", "1", at(1)))
    world.happens(said("b", "2", at(2)), said("c", "3", at(3)))
    following = world.happens(
        e.SessionArchived(session=SessionId("b"), at=AT), *turn("a", 1, "1"), finished("a")
    )
    assert granted(following) == ["c"]


def test_a_limit_that_was_lowered_takes_no_place_away() -> None:
    world = World(working=3)
    world.happens(*(x for id in "abc" for x in (*ready(id), said(id, id))))
    world.settings = World(working=1).settings
    world.happens(*ready("d"), said("d", "4"))
    assert [world.session(id).status for id in "abcd"] == ["working"] * 3 + ["queued"]
    assert world.session("d").place.reason == "1 of 1 places in use; number 1 in line"


def test_a_message_id_is_not_granted_twice() -> None:
    world = World(working=2)
    world.happens(*ready("a"), said("a", "1"))
    assert world.happens(said("a", "1")) == []
    assert world.session("a").main.undelivered[0].id == MessageId("1")


def test_one_that_is_at_work_by_an_answer_takes_no_second_place() -> None:
    world = World(working=2)
    id, item = SessionId("a"), AttentionId("p1")
    world.happens(*ready("a"), *ready("b"), said("a", "1"))
    world.happens(*turn("a", 1, "1"))
    world.happens(permission("a"))
    allowed = Resolution(("allow",))
    world.happens(e.AttentionResolved(session=id, at=AT, item=item, resolution=allowed))
    world.happens(finished("a"))
    assert granted(world.happens(said("a", "2"), said("b", "3"))) == ["b"]
    assert granted(world.happens(e.AnswerDelivered(session=id, at=AT, item=item))) == ["a"]


def test_a_thousand_follow_ups_are_said_in_their_order_and_each_once() -> None:
    world, wanted = World(working=1), [f"f{n}" for n in range(1000)]
    world.happens(*ready("a"), said("a", "m"), *turn("a", 1, "m"))
    for message in wanted:
        assert world.happens(follow_up("a", message)) == []
    order: list[str] = []
    while asked := [x for x in world.happens(finished("a")) if isinstance(x, e.UserMessage)]:
        (one,) = asked
        order.append(one.message)
        world.happens(*turn("a", len(order) + 1, one.message))
    assert order == wanted
    assert world.session("a").main.follow_ups == ()
