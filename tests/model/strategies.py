"""Hypothesis strategies for every event and session, made from the structs' own annotations."""

from __future__ import annotations

import types
import typing
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st

from manyhands.model import events as e
from manyhands.model.session.session import Session, Status

EVENT_TYPES: tuple[type[e.AnyEvent], ...] = get_args(e.AnyEvent)
LEGAL: dict[Status, frozenset[Status]] = {
    "preparing": frozenset({"queued", "working", "idle", "waiting", "failed", "archived"}),
    "queued": frozenset({"working", "idle", "failed", "unreachable", "waiting", "archived"}),
    "idle": frozenset({"queued", "working", "waiting", "failed", "unreachable", "archived"}),
    "working": frozenset({"idle", "queued", "waiting", "failed", "unreachable", "archived"}),
    "waiting": frozenset(
        {"preparing", "working", "idle", "queued", "failed", "unreachable", "archived"}
    ),
    "failed": frozenset(
        {"preparing", "queued", "working", "idle", "waiting", "unreachable", "archived"}
    ),
    "unreachable": frozenset({"working", "waiting", "idle", "queued", "failed", "archived"}),
    "archived": frozenset({"preparing", "idle", "working", "waiting", "queued", "failed"}),
}
"""Which status may follow which, in one transaction of the hub."""
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=20),
    int: st.integers(-(2**53), 2**53),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    type(None): st.none(),
}


@cache
def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of an annotation."""
    if kind in (Any, object):
        return json_values
    if kind in _PLAIN:
        return _PLAIN[kind]
    if isinstance(kind, typing.NewType):
        return values(kind.__supertype__)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return structs(kind)
    arguments = get_args(kind)
    if get_origin(kind) is Literal:
        return st.sampled_from(arguments)
    if get_origin(kind) is dict:
        return st.dictionaries(st.text(max_size=5), values(arguments[1]), max_size=3)
    if get_origin(kind) is tuple:
        return st.lists(values(arguments[0]), max_size=3).map(tuple)
    assert get_origin(kind) in (types.UnionType, typing.Union), kind
    return st.one_of(*(values(argument) for argument in arguments))


# Strategies are worked out once: each draw would read all annotations again, and looking at those
# takes longer than drawing.
@cache
def structs(kind: type[Any], **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    hints = get_type_hints(kind)
    names = [name for name in kind.__struct_fields__ if name not in given]
    return st.builds(kind, **given, **{name: values(hints[name]) for name in names})


@cache
def events(kind: type[e.AnyEvent], **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Events as they are before they have a number."""
    return structs(kind, seq=st.just(0), **given)


# Few ids, so that events of a random log speak of the same things.
few_ids = st.sampled_from(["a", "b", "c"])


@cache
def _of_one(kind: type[e.AnyEvent]) -> st.SearchStrategy[e.AnyEvent]:
    ids = {name: few_ids for name in ("message", "item") if _is_text(kind, name)}
    return events(kind, session=st.just("one"), **ids)


any_event: st.SearchStrategy[e.AnyEvent] = st.sampled_from(EVENT_TYPES).flatmap(_of_one)
sessions: st.SearchStrategy[Session] = structs(Session)


def _is_text(kind: type[e.AnyEvent], name: str) -> bool:
    return isinstance(get_type_hints(kind).get(name), typing.NewType)
