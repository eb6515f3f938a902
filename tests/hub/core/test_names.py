"""How people name a session, and what they hear when the name does not fit."""

from __future__ import annotations

import pytest

from manyhands.errors import BadInput, NotFound
from manyhands.hub.core.names import require_session
from manyhands.model import events as e
from manyhands.model.ids import SessionId
from manyhands.model.state import State
from tests.hub.facts import AT, created


@pytest.fixture
def state() -> State:
    state = State()
    for id, slug in [("abcd1111", "fix-login"), ("abce2222", "add-search"), ("zz333333", "abce")]:
        state.apply(created(id, slug=slug))
    return state


def archive(state: State, id: str) -> None:
    state.apply(e.SessionArchived(session=SessionId(id), at=AT))


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        ("abcd1111", "abcd1111"),
        ("abcd", "abcd1111"),
        ("z", "zz333333"),
        ("fix-login", "abcd1111"),
        ("abce", "zz333333"),
        ("abce2", "abce2222"),
    ],
    ids=["id", "prefix", "shortest prefix", "slug", "a slug before a prefix", "longer prefix"],
)
def test_a_session_is_found_by_id_prefix_or_slug(state: State, ref: str, found: str) -> None:
    assert require_session(state, ref).id == found


@pytest.mark.parametrize("ref", ["", "nobody", "fix", "ABCD1111", "abcd1111 ", "../abcd1111"])
def test_what_names_nothing_is_not_found(state: State, ref: str) -> None:
    with pytest.raises(NotFound) as caught:
        require_session(state, ref)
    assert repr(ref) in caught.value.message


@pytest.mark.parametrize("ref", ["a", "abc"])
def test_an_ambiguous_prefix_lists_what_it_could_be(state: State, ref: str) -> None:
    with pytest.raises(BadInput) as caught:
        require_session(state, ref)
    assert "abcd1111 (fix-login)" in caught.value.message
    assert "abce2222 (add-search)" in caught.value.message


def test_an_archived_session_keeps_its_name_until_a_living_one_takes_it(state: State) -> None:
    archive(state, "abcd1111")
    assert require_session(state, "fix-login").id == "abcd1111"
    state.apply(created("ffff4444", slug="fix-login"))
    assert require_session(state, "fix-login").id == "ffff4444"
    assert require_session(state, "abcd").id == "abcd1111"


def test_the_same_slug_on_two_living_sessions_is_ambiguous(state: State) -> None:
    state.apply(created("ffff4444", slug="fix-login"))
    with pytest.raises(BadInput):
        require_session(state, "fix-login")
