"""The order in which sessions land cheapest; pure."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.hub.radar.order import cheapest
from manyhands.model.ids import SessionId

IDS = [SessionId(name) for name in "abcdef"]
pairs = st.sets(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS)).filter(lambda p: p[0] < p[1]))


def graph(edges: set[tuple[SessionId, SessionId]]) -> dict[SessionId, set[SessionId]]:
    found: dict[SessionId, set[SessionId]] = {id: set() for id in IDS}
    for one, other in edges:
        found[one].add(other)
        found[other].add(one)
    return found


def updates(order: list[SessionId], conflicts: dict[SessionId, set[SessionId]]) -> int:
    """How many have to be updated, because somebody before them is in their way."""
    return sum(bool(conflicts[id] & set(order[:place])) for place, id in enumerate(order))


def order(edges: str, **more: object) -> str:
    conflicts = graph({(SessionId(e[0]), SessionId(e[1])) for e in edges.split()})
    return "".join(cheapest(IDS, conflicts, **more))  # type: ignore[arg-type]


def test_whoever_is_in_nobodys_way_goes_first_and_equals_go_as_they_were_asked() -> None:
    assert order("") == "abcdef"
    assert order("ab") == "cdefab"
    assert order("ab ac ad") == "efbcda"


def test_the_stuck_come_last_and_a_stack_from_below() -> None:
    assert order("ab", stuck={SessionId("c")}) == "defabc"
    assert order("ab", stuck={SessionId("b"), SessionId("c")}) == "defabc"
    assert order("", below={SessionId("a"): SessionId("b")}) == "bacdef"
    assert order("bc bd", below={SessionId("a"): SessionId("b")}) == "efcdba"


@given(edges=pairs)
def test_no_order_asks_for_fewer_updates_but_by_one(
    edges: set[tuple[SessionId, SessionId]],
) -> None:
    conflicts = graph(edges)
    found = cheapest(IDS, conflicts)
    assert sorted(found) == IDS
    best = min(updates(list(tried), conflicts) for tried in permutations(IDS))
    assert best <= updates(found, conflicts) <= best + 1
