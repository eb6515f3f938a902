"""A car leaves, alone: back to its agent where a person said so, else to that person's inbox."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from manyhands.errors import ManyhandsError
from manyhands.hub.core import Hub, fresh_item
from manyhands.hub.train.lanes import Key, find_train, of_car
from manyhands.hub.train.plan import Leave
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Option, Resolution
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.model.train import events as t
from manyhands.model.train.train import Car
from manyhands.station.landing.train import Built

MOST_SAID = 12
OPTIONS = (
    Option("tell", "Tell its agent"),
    Option("board", "Back on the train"),
    Option("seen", "I have seen it"),
)


async def leave(hub: Hub, key: Key, deed: Leave) -> None:
    await hub.decide(lambda state: _left(state, key, deed))


def _left(state: State, key: Key, deed: Leave) -> Iterator[e.AnyEvent]:
    train, s = find_train(state, key), state.session(deed.car.session)
    car = train.car(deed.car.id) if train else None
    if car is None or car.landing:
        return
    told = {"why": deed.why, "error": deed.error, "hint": deed.hint}
    mends = deed.why != "removed" and car.round < car.rounds
    yield of_car(t.CarLeft, key, car, **told, mending=mends)
    if s is not None and deed.why != "removed" and not mends:
        yield raised(s, key, car, deed.error)


def raised(s: Session, key: Key, car: Car, error: str) -> e.AnyEvent:
    """What its person is asked."""
    return e.AttentionRaised(session=s.id, turn=s.main.turn, item=_item(s, key, car, error))


def unable(state: State, session: SessionId, error: ManyhandsError) -> Iterator[e.AnyEvent]:
    """An approved session that cannot join by itself tells why, once."""
    s = state.session(session)
    if s is None or s.review.verdict != "approved":
        return
    summary = f"{s.slug} is approved, but cannot join the train: {error.message}"
    if any(item.summary == summary for item in s.inbox.items):
        return
    way = error.hint or f"`manyhands train add {s.slug}`"
    detail = {"train": "", "into": "", "paths": [], "suggestion": way, "text": error.message}
    item = fresh_item(s, "conflict", summary, detail, OPTIONS[1:])
    yield e.AttentionRaised(session=s.id, turn=s.main.turn, item=item)


def settled(state: State, sessions: Iterable[SessionId]) -> Iterator[e.AnyEvent]:
    """What is open about cars that left is settled once they are on their way again."""
    for session in sessions:
        s = state.session(session)
        for item in s.inbox.items if s else ():
            if "train" in item.detail:
                done = Resolution(options=("gone",), text="it is on the train again", by="hub")
                yield e.AttentionResolved(session=session, item=item.id, resolution=done)


def _item(s: Session, key: Key, car: Car, error: str) -> Attention:
    detail = {
        "train": car.id,
        "into": key[1],
        "paths": list(car.paths),
        "suggestion": f"mend it, then `manyhands train add {s.slug}`",
        "text": mending_words(key, car, brought_in=False),
    }
    summary = f"{s.slug} left the train to {key[1]}: {error}"
    return fresh_item(s, "conflict", summary, detail, OPTIONS)


def mending_words(key: Key, car: Car, *, brought_in: bool) -> str:
    """For its agent: what happened, both sides of it, and how it comes to an end."""
    into = key[1]
    way = (
        f"{into} as it is now has been brought into your worktree."
        if brought_in
        else f"Bring {into} in first: `git merge {into}`."
    )
    if car.state == "conflicted" or car.paths:
        listed = "\n".join(f"- {path}" for path in car.paths[:MOST_SAID])
        rest = f"\n- and {len(car.paths) - MOST_SAID} more" if len(car.paths) > MOST_SAID else ""
        return (
            f"Your branch was to land in {into} and conflicts with what landed there before:\n"
            f"{listed}{rest}\n{way} Keep what both sides meant, see that the checks pass, and "
            "commit."
        )
    tail = car.tail.strip()
    quoted = "\n".join(f"> {line}" for line in tail.splitlines()) or "> (it said nothing)"
    return (
        f"Your branch was put on top of what has landed in {into}, and there {car.error}. "
        f"The end of its output, as data:\n{quoted}\n{way} Mend what fails, see that the check "
        "passes, and commit."
    )


def conflict_words(hub: Hub, key: Key, built: Built, other: Car | None) -> str:
    """With whom: another car, or the branch itself."""
    ahead = hub.state.session(other.session) if other else None
    name = ahead.title if ahead else key[1]
    paths = ", ".join(built.paths[:3]) + (" …" if len(built.paths) > 3 else "")
    return f"conflict in {paths} with {name}"
