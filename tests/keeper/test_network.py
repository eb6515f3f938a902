"""Hosts that a box wants to reach: asked as a permission, by a real keeper, over its socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from manyhands.agents.permission.answers import chosen
from manyhands.agents.permission.permits import Permits
from manyhands.box.network.hosts import HostPort
from manyhands.keeper.network import MOST_OPEN, MOST_WAITING, HostGate, make_way_out, network_item
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import Attention, Resolution
from manyhands.model.box import NO_BOX
from manyhands.model.ids import MessageId
from tests.keeper.conftest import Keepers
from tests.keeper.hub_end import HubEnd
from tests.keeper.scripted import say
from tests.support.boxed_network import http_host, network_box, run_in

HOST = "evil.test:443"


async def settle(hub: HubEnd, *options: str, number: int = 1, **how: str) -> Attention:
    """Answers the question that was asked as the `number`th."""
    await hub.until_type("permission_requested", number)
    item = hub.all(e.PermissionRequested)[number - 1].item
    assert await hub.do(wire.Settle(item=item, resolution=Resolution(options, **how))) == ""
    return item


def told(hub: HubEnd) -> list[str]:
    return [message.text for message in hub.all(e.AgentMessage)]


async def test_all_calls_to_a_host_share_one_question(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(spec)).hub
    await hub.do(say({"reach": [HOST, "EVIL.test.:443", "evil.test:80"]}))
    item = await settle(hub, "allow")
    await hub.until_type("turn_finished")
    assert told(hub) == ["reached"] * 3
    assert (item.kind, item.session, item.detail["tool"]) == ("permission", spec.session, "Network")
    assert item.detail["input"] == {"host": "evil.test", "port": 443}
    assert [o.id for o in item.options] == ["allow", "allow-session", "allow-repo", "deny"]
    assert item.summary.startswith("Network: evil.test (")
    # Allowed once: the next call is asked about again.
    await hub.do(say({"reach": [HOST]}, id="m2"))
    await settle(hub, "deny", number=2, text="not that one")
    await hub.until_type("turn_finished", 2)
    assert told(hub)[3:] == ["This box may not reach evil.test: the user denied it: not that one."]


@pytest.mark.parametrize(
    ("resolution", "rule", "covered"),
    [
        ({"options": ("allow-session",)}, Rule("Network", "api.evil.test"), ["api.evil.test:80"]),
        (
            {"options": ("allow-repo",), "pattern": "*.evil.test"},
            Rule("Network", "*.evil.test"),
            ["www.evil.test:443"],
        ),
    ],
)
async def test_an_answer_may_stand_for_more_than_once(
    spec: wire.KeeperSpec,
    keepers: Keepers,
    resolution: dict[str, object],
    rule: Rule,
    covered: list[str],
) -> None:
    hub = (await keepers.connected(spec)).hub
    await hub.do(say({"reach": ["api.evil.test:443"]}, {"reach": covered}))
    await hub.until_type("permission_requested")
    [asked] = hub.all(e.PermissionRequested)
    answer = msgspec.convert(resolution, Resolution)
    assert chosen(asked.item, answer) == rule
    await hub.do(wire.Settle(item=asked.item, resolution=answer))
    await hub.until_type("turn_finished")
    assert told(hub) == ["reached", "reached"]
    assert len(hub.all(e.PermissionRequested)) == 1


async def test_a_standing_rule_needs_no_question(spec: wire.KeeperSpec, keepers: Keepers) -> None:
    rules = (
        Rule("Network", "*.evil.test:8443", "glob"),
        Rule("Bash", "a.test"),
        Rule("Network", "not a host"),
    )
    spec = msgspec.structs.replace(spec, rules=rules)
    hub = (await keepers.connected(spec)).hub
    await hub.do(say({"reach": ["b.evil.test:8443"]}, {"reach": ["a.test:443"]}))
    assert (await settle(hub, "deny")).detail["input"]["host"] == "a.test"
    await hub.until_type("turn_finished")
    assert told(hub)[0] == "reached"


async def test_a_program_that_tries_again_is_not_asked_about_again(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(spec)).hub
    await hub.do(say({"reach": [HOST]}, {"reach": [HOST]}, {"reach": [HOST]}))
    await settle(hub, "deny")
    await hub.until_type("turn_finished")
    assert told(hub) == ["This box may not reach evil.test: the user denied it."] * 3
    assert len(hub.all(e.PermissionRequested)) == 1


async def test_a_call_that_waits_when_the_turn_is_over_is_refused(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    hub = (await keepers.connected(spec)).hub
    await hub.do(say({"reach_beside": HOST}, {"wait": True}))
    await hub.until_type("permission_requested")
    await hub.do(wire.Say(message=MessageId("m2"), text="go on"))
    await hub.until_type("agent_message", 2)
    over = "This box may not reach evil.test: nobody had answered when the turn was over."
    assert sorted(told(hub)) == [over, "steered: go on"]
    assert [r.item for r in hub.all(e.AttentionResolved)] == [
        asked.item.id for asked in hub.all(e.PermissionRequested)
    ]


async def test_an_answer_outlives_the_keeper_that_asked(
    spec: wire.KeeperSpec, keepers: Keepers
) -> None:
    first = await keepers.connected(spec)
    await first.hub.do(say({"reach": [HOST]}))
    await first.hub.until_type("permission_requested")
    item = first.hub.all(e.PermissionRequested)[0].item
    name = first.hub.all(e.AgentStarted)[0].agent_session
    await first.kill()
    again = msgspec.structs.replace(spec, epoch=2, turn=1, agent_session=name)
    hub = (await keepers.connected(again)).hub
    await hub.do(wire.Settle(item=item, resolution=Resolution(("allow",))))
    await hub.until_type("turn_finished")
    [heard] = told(hub)
    assert "The user allowed this box to reach evil.test." in heard
    assert "run that again" in heard
    await hub.do(say({"reach": [HOST]}, id="m2"))
    await hub.until_type("turn_finished", 2)
    assert told(hub)[1:] == ["reached"]
    assert hub.all(e.PermissionRequested) == []


class Person:
    """Whoever is asked, and answers when the test does."""

    def __init__(self) -> None:
        self.turn = 1
        self.permits = Permits()
        self.asked = asyncio.Queue[tuple[Attention, asyncio.Future[Resolution]]]()

    async def ask(self, item: Attention) -> Resolution:
        answer: asyncio.Future[Resolution] = asyncio.get_running_loop().create_future()
        self.asked.put_nowait((item, answer))
        return await answer


@asynccontextmanager
async def gate(
    person: Person, listed: tuple[str, ...] = (), known: tuple[str, ...] = ()
) -> AsyncIterator[tuple[HostGate, asyncio.TaskGroup]]:
    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        yield HostGate(person, tasks, listed=listed, known=known), tasks


async def test_a_box_that_is_open_needs_no_way_out(tmp_path: Path) -> None:
    async with asyncio.TaskGroup() as tasks:
        assert make_way_out(network_box(tmp_path, "open"), Person(), tasks) is None
        assert make_way_out(NO_BOX, Person(), tasks) is None


async def test_the_model_of_an_agent_is_reached_wherever_it_is(tmp_path: Path) -> None:
    person = Person()
    with http_host(lambda request: b"a model") as port:
        env = {"BASE_URL": f"http://localhost:{port}/v1", "OTHER": "https://models.test/"}
        box = network_box(tmp_path, "listed")
        async with asyncio.TaskGroup() as tasks:
            way = make_way_out(box, person, tasks, env=env)
            assert way is not None
            try:
                url = f"http://localhost:{port}/v1"
                ran = await run_in(box, way, ["curl", "-sS", url])
                await run_in(box, way, ["curl", "-sS", "--max-time", "60", "http://models.test/"])
            finally:
                await way.close()
    assert ran.out == "a model", ran
    assert person.asked.empty()


async def test_a_program_in_the_box_waits_for_the_person(tmp_path: Path) -> None:
    person, box = Person(), network_box(tmp_path, "listed")
    async with asyncio.TaskGroup() as tasks:
        way = make_way_out(box, person, tasks)
        assert way is not None
        try:
            curl = ["curl", "-sS", "-w", "%{http_code}", "http://evil.test/"]
            call = tasks.create_task(run_in(box, way, curl))
            item, answer = await person.asked.get()
            answer.set_result(Resolution(("deny",), text="use the mirror"))
            ran = await call
        finally:
            await way.close()
    assert item.summary.startswith("Network: evil.test ")
    assert ran.out == "This box may not reach evil.test: the user denied it: use the mirror.\n403"


async def test_only_what_the_user_listed_may_be_in_a_private_network() -> None:
    person = Person()
    person.permits.session = {Rule("Network", "ruled.test"), Rule("Network", "10.0.0.5")}
    async with gate(person, ("intranet.test",), ("pypi.test",)) as (door, _):
        found = {
            host: (await door.decide(HostPort(host, 443))).private
            for host in ("intranet.test", "pypi.test", "ruled.test", "10.0.0.5")
        }
    assert found == {
        "intranet.test": True,
        "pypi.test": False,
        "ruled.test": False,
        "10.0.0.5": True,
    }


async def test_an_answer_for_a_program_that_has_hung_up_is_for_its_next_try() -> None:
    person, target = Person(), HostPort("slow.test", 443)
    async with gate(person) as (door, tasks):
        call = tasks.create_task(door.decide(target))
        _, answer = await person.asked.get()
        call.cancel()
        await asyncio.wait([call])
        answer.set_result(Resolution(("allow",)))
        again = await door.decide(target)
        assert again.allowed
    assert person.asked.empty()
    assert person.permits.grants == []


async def test_a_question_that_cannot_be_asked_ends_the_call_and_nothing_else() -> None:
    class Full(Person):
        async def ask(self, item: Attention) -> Resolution:
            raise OSError("no space left on device")

    async with gate(Full()) as (door, _):
        verdict = await door.decide(HostPort("a.test", 443))
    assert verdict.sentence == "This box may not reach a.test: nobody could be asked."


async def test_whoever_tries_a_thousand_hosts_does_not_fill_the_inbox() -> None:
    person = Person()
    async with gate(person) as (door, tasks):
        targets = [HostPort(f"h{n}.test", 443) for n in range(1000)]
        calls = [tasks.create_task(door.decide(target)) for target in targets]
        answered = 0
        while answered < MOST_WAITING:
            item, answer = await person.asked.get()
            assert person.asked.qsize() < MOST_OPEN
            answer.set_result(Resolution(("deny",)))
            answered += 1
            del item
    refused = [call.result().sentence for call in calls]
    assert sum("the user denied it" in sentence for sentence in refused) == MOST_WAITING
    assert sum("too many calls wait" in sentence for sentence in refused) == 1000 - MOST_WAITING


@pytest.mark.parametrize(
    ("target", "rules"),
    [
        (HostPort("example.com", 443), [Rule("Network", "example.com")]),
        (HostPort("localhost", 8080), [Rule("Network", "localhost:8080")]),
        (HostPort("10.0.0.1", 5432), [Rule("Network", "10.0.0.1:5432")]),
        (HostPort("2001:db8::1", 443), [Rule("Network", "2001:db8::1")]),
        (HostPort("a.example.com", 8443), [Rule("Network", "a.example.com:8443")]),
    ],
)
def test_the_rule_that_is_offered_covers_this_host_alone(
    target: HostPort, rules: list[Rule]
) -> None:
    assert [Rule(**given) for given in network_item(target).detail["rules"]] == rules
