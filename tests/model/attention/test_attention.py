"""An answer fits its item, or is refused with what was offered; the inbox knows what is urgent."""

from __future__ import annotations

import pytest

from manyhands.errors import BadInput
from manyhands.model.attention.attention import (
    DIED_OPTIONS,
    PERMISSION_OPTIONS,
    PLAN_OPTIONS,
    Attention,
    Kind,
    Option,
    Resolution,
    question_options,
    require_resolution,
    urgency,
)
from manyhands.model.ids import AttentionId, SessionId

QUESTIONS = question_options(
    [
        {"question": "Which?", "options": [{"label": "Redis"}, {"label": "Memory"}]},
        {"question": "How long?", "options": [{"label": "A day"}, {"label": "A week"}]},
    ]
)
OPTIONS: dict[Kind, tuple[Option, ...]] = {
    "permission": PERMISSION_OPTIONS,
    "plan": PLAN_OPTIONS,
    "question": QUESTIONS,
    "agent_died": DIED_OPTIONS,
}


def item(kind: Kind, raised_at: str = "2026-01-31T08:15:30.125Z") -> Attention:
    return Attention(
        id=AttentionId("x"),
        session=SessionId("one"),
        kind=kind,
        summary="?",
        options=OPTIONS.get(kind, ()),
        raised_at=raised_at,
    )


@pytest.mark.parametrize(
    ("kind", "given", "chosen"),
    [
        ("permission", Resolution(("allow",)), ("allow",)),
        ("permission", Resolution(("Allow once",)), ("allow",)),
        ("permission", Resolution(("deny",), "not today"), ("deny",)),
        ("plan", Resolution(("approve, accept edits",)), ("approve",)),
        ("plan", Resolution(("revise",), "shorter"), ("revise",)),
        ("question", Resolution(("q1.2", "q2.1")), ("q1.2", "q2.1")),
        ("question", Resolution(("redis", "A WEEK")), ("q1.1", "q2.2")),
        ("question", Resolution((), "neither"), ()),
        ("agent_died", Resolution(("retry",)), ("retry",)),
    ],
)
def test_a_fitting_answer_is_turned_into_option_ids(
    kind: Kind, given: Resolution, chosen: tuple[str, ...]
) -> None:
    accepted = require_resolution(item(kind), given)
    assert (accepted.options, accepted.text) == (chosen, given.text)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("permission", Resolution(("maybe",))),
        ("permission", Resolution(())),
        ("permission", Resolution((), "words alone")),
        ("permission", Resolution(("allow", "deny"))),
        ("plan", Resolution(("approve", "revise"))),
        ("plan", Resolution(("",))),
        ("question", Resolution(())),
        ("question", Resolution(("q3.1",))),
        ("question", Resolution(("q1.1", "nonsense"))),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(kind: Kind, given: Resolution) -> None:
    with pytest.raises(BadInput):
        require_resolution(item(kind), given)


def test_a_refusal_names_what_was_offered() -> None:
    with pytest.raises(BadInput) as refused:
        require_resolution(item("permission"), Resolution(("maybe",)))
    assert "'maybe' is no option of this permission" in refused.value.message
    assert "allow-session (Allow for this session)" in refused.value.hint


def test_a_settled_item_offers_nothing_and_says_how_it_ended() -> None:
    settled = item("plan").settled(Resolution(("approve",)), "2026-02-01T00:00:00.000Z")
    assert (settled.options, settled.resolved_at) == ((), "2026-02-01T00:00:00.000Z")
    assert settled.resolution is not None
    assert settled.resolution.option == "approve"


def test_the_inbox_is_sorted_by_what_blocks_most_then_by_age() -> None:
    items = [
        item("bell", "2026-01-01"),
        item("plan", "2026-01-02"),
        item("permission", "2026-01-04"),
        item("permission", "2026-01-03"),
        item("question", "2026-01-05"),
    ]
    ordered = [(i.kind, i.raised_at[-1]) for i in sorted(items, key=urgency)]
    assert ordered == [
        ("permission", "3"),
        ("permission", "4"),
        ("question", "5"),
        ("plan", "2"),
        ("bell", "1"),
    ]
