"""Services as pure values: what became of them, their order, and when they start again."""

from __future__ import annotations

import pytest

from manyhands.errors import BadInput
from manyhands.model import events as e
from manyhands.model.ids import CommandId
from manyhands.model.service.backoff import LONGEST_SECONDS, MOST_IN_A_ROW, again_in
from manyhands.model.service.order import start_order
from manyhands.model.service.service import Service, Services, ServicesEvent, fold
from manyhands.model.service.spec import ServiceSpec

SPEC = ServiceSpec(name="web", command="serve")
ONE, TWO = CommandId("one"), CommandId("two")


def wanted(ask: CommandId = ONE) -> e.ServiceWanted:
    return e.ServiceWanted(name="web", ask=ask, spec=SPEC)


def exited(end: e.ServiceEnd, again: float | None = None, ask: CommandId = ONE) -> e.ServiceExited:
    return e.ServiceExited(name="web", ask=ask, end=end, exit_code=1, again_in=again)


STARTED = e.ServiceStarted(name="web", ask=ONE, pid=7)
HEALTHY = e.ServiceHealthy(name="web", ask=ONE)
ILL = e.ServiceUnhealthy(name="web", ask=ONE, reason="no answer")
UNWANTED = e.ServiceUnwanted(name="web", ask=ONE)
KEEPER_EXITED = e.KeeperExited(epoch=1)


def after(*events: ServicesEvent) -> Service:
    services: Services = {}
    for event in events:
        services = fold(services, event)
    return services["web"]


@pytest.mark.parametrize(
    ("events", "state", "is_wanted", "pid"),
    [
        ((wanted(),), "starting", True, 0),
        ((wanted(), STARTED), "starting", True, 7),
        ((wanted(), STARTED, HEALTHY), "healthy", True, 7),
        ((wanted(), STARTED, HEALTHY, ILL), "unhealthy", True, 7),
        ((wanted(), STARTED, exited("crashed")), "crashed", False, 0),
        ((wanted(), STARTED, exited("crashed", 1.0)), "crashed", True, 0),
        ((wanted(), STARTED, exited("crashed", 1.0), STARTED), "starting", True, 7),
        ((wanted(), STARTED, UNWANTED), "starting", False, 7),
        ((wanted(), STARTED, UNWANTED, exited("stopped")), "stopped", False, 0),
        ((wanted(), UNWANTED), "stopped", False, 0),
        # What a run of an earlier wish still tells concerns nobody.
        ((wanted(), STARTED, wanted(TWO), exited("stopped")), "starting", True, 7),
        ((wanted(), STARTED, HEALTHY, KEEPER_EXITED), "crashed", False, 0),
        ((wanted(), STARTED, UNWANTED, exited("stopped"), KEEPER_EXITED), "stopped", False, 0),
    ],
)
def test_what_became_of_it_follows_from_what_was_told(
    events: tuple[ServicesEvent, ...], state: str, is_wanted: bool, pid: int
) -> None:
    service = after(*events)
    assert (service.state, service.wanted, service.pid) == (state, is_wanted, pid)


def test_only_a_persons_word_keeps_it_from_starting_by_itself() -> None:
    assert after(wanted(), STARTED, UNWANTED, exited("stopped"), KEEPER_EXITED).declined
    assert not after(wanted(), STARTED, KEEPER_EXITED).declined
    assert not after(wanted(), UNWANTED, wanted(TWO)).declined


def test_what_nobody_wanted_is_not_there() -> None:
    assert fold({}, STARTED) == {}


def specs(**needs: tuple[str, ...]) -> dict[str, ServiceSpec]:
    return {n: ServiceSpec(name=n, command="x", depends_on=needs[n]) for n in needs}


def test_what_is_needed_comes_first() -> None:
    there = specs(web=("api", "queue"), api=("data",), queue=("data",), data=(), other=())
    assert start_order(there, ["web"]) == ("data", "api", "queue", "web")
    assert start_order(there)[-1] == "other"


@pytest.mark.parametrize(
    ("needs", "words"),
    [
        ({"a": ("a",)}, "a → a"),
        ({"a": ("b",), "b": ("c",), "c": ("b",)}, "b → c → b"),
        ({"a": ("z",)}, "'z'"),
    ],
)
def test_a_circle_and_an_unknown_name_are_refused(
    needs: dict[str, tuple[str, ...]], words: str
) -> None:
    with pytest.raises(BadInput) as refused:
        start_order(specs(**needs))
    assert words in refused.value.message


def test_it_starts_again_later_each_time_and_not_for_ever() -> None:
    assert again_in("never", 1, 1) is None
    assert again_in("on-failure", 0, 1) is None
    assert again_in("always", 0, 1) == 0.5
    pauses = [again_in("on-failure", 1, n) for n in range(1, MOST_IN_A_ROW + 2)]
    assert pauses[:4] == [0.5, 1.0, 2.0, 4.0]
    assert pauses[-2:] == [LONGEST_SECONDS, None]
