"""Jobs: steps on record, carried on after a death, taken back when they fail or are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from manyhands.config import Home
from manyhands.errors import ManyhandsError, NotFound, NotPossible
from manyhands.hub.core.hub import Hub
from manyhands.hub.core.jobs import Jobs
from manyhands.hub.core.work import Held, Kind, Step, StepDone, Work, started
from manyhands.hub.house import open_hub
from manyhands.hub.insight.status import jobs
from manyhands.model import events as e
from manyhands.model.attention.attention import Attention, Option, Resolution
from manyhands.model.clock import now
from manyhands.model.ids import AttentionId, CommandId, JobId, SessionId, fresh_id
from manyhands.model.jobs import events as j
from manyhands.model.session.session import Session
from manyhands.model.state import MOST_ENDED, State
from manyhands.store import Batch
from tests.hub.facts import created


class Asked(msgspec.Struct, frozen=True):
    word: str = ""


class Trail:
    """What the steps of a job did, over the lives of several hubs."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.reached = asyncio.Event()
        self.go = asyncio.Event()
        self.fails = False

    async def first(self, work: Work[Asked]) -> StepDone:
        self.lines.append(f"first {work.asked.word}")
        return StepDone(noted={"seen": work.asked.word.upper()})

    async def second(self, work: Work[Asked]) -> None:
        self.lines.append(f"second {work.noted('seen', str)}")
        self.reached.set()
        await self.go.wait()
        if self.fails:
            raise NotFound("there is no such thing", hint="look elsewhere")

    async def third(self, work: Work[Asked]) -> StepDone:
        self.lines.append("third")
        return StepDone(answer={"word": work.noted("seen", str)})

    async def undo(self, work: Work[Asked]) -> None:
        self.lines.append("undone")

    async def ask(self, work: Work[Asked]) -> StepDone | None:
        if "asked" not in self.lines:
            self.lines.append("asked")
            raise Held(question(work.session.id))
        self.lines.append("answered")
        return None

    def kind(self) -> Kind[Asked]:
        steps = (
            Step("first", self.first, undo=self.undo),
            Step("second", self.second),
            Step("third", self.third, final=True),
        )
        return Kind("trial", Asked, steps)


def question(session: SessionId) -> Attention:
    return Attention(
        id=AttentionId("ask"),
        session=session,
        kind="question",
        summary="Go on?",
        options=(Option("yes", "Yes"),),
        raised_at=now(),
    )


@asynccontextmanager
async def opened(place: Path, kind: Kind[Asked]) -> AsyncIterator[tuple[Hub, Jobs]]:
    home = Home(place / "home")
    home.root.mkdir(exist_ok=True)
    home.config.write_text("[workspaces]\npool = 0\n")
    async with asyncio.timeout(60), open_hub(home) as hub:
        hub.part(Jobs).kinds[kind.name] = kind
        yield hub, hub.part(Jobs)


async def session(hub: Hub) -> Session:
    made = created("one")
    await hub.record(made, e.SessionReady(session=made.session, at=now()))
    found = hub.state.session(made.session)
    assert found is not None
    return found


async def test_steps_run_in_order_and_the_answer_is_the_last_one_s(tmp_path: Path) -> None:
    trail = Trail()
    trail.go.set()
    async with opened(tmp_path, trail.kind()) as (hub, runner):
        id = await runner.start(trail.kind(), Asked("hello"), await session(hub))
        assert await runner.answer(id, dict[str, str]) == {"word": "HELLO"}
        assert trail.lines == ["first hello", "second HELLO", "third"]
        assert await jobs(hub) == []
        [ended] = await jobs(hub, every=True)
        assert (ended.kind, ended.session, ended.state) == ("trial", "one", "done")


async def test_a_hub_that_ends_in_a_step_is_followed_by_one_that_carries_on(
    tmp_path: Path,
) -> None:
    trail = Trail()
    async with opened(tmp_path, trail.kind()) as (hub, runner):
        id = await runner.start(trail.kind(), Asked("hello"), await session(hub))
        await trail.reached.wait()
        [running] = await jobs(hub)
        assert (running.step, running.state) == ("second", "running")
    trail.go.set()
    async with opened(tmp_path, trail.kind()) as (hub, runner):
        assert await runner.answer(id, dict[str, str]) == {"word": "HELLO"}
    assert trail.lines == ["first hello", "second HELLO", "second HELLO", "third"]


async def test_a_failure_takes_back_what_was_done_and_is_told_after_a_restart_too(
    tmp_path: Path,
) -> None:
    trail = Trail()
    trail.fails = True
    trail.go.set()
    async with opened(tmp_path, trail.kind()) as (hub, runner):
        id = await runner.start(trail.kind(), Asked("hello"), await session(hub))
        with pytest.raises(NotFound, match="no such thing"):
            await runner.end(id)
        assert trail.lines[-1] == "undone"
    async with opened(tmp_path, trail.kind()) as (hub, runner):
        with pytest.raises(NotFound, match="no such thing") as told:
            await runner.end(id)
        assert told.value.hint == "look elsewhere"


async def test_cancelled_in_a_step_it_takes_back_and_stays_ended(tmp_path: Path) -> None:
    trail = Trail()
    async with opened(tmp_path, trail.kind()) as (hub, runner):
        id = await runner.start(trail.kind(), Asked("hello"), await session(hub))
        await trail.reached.wait()
        assert (await runner.cancel(id)).state == "cancelled"
        assert trail.lines == ["first hello", "second HELLO", "undone"]
        with pytest.raises(NotPossible, match="has ended"):
            await runner.cancel(id)
        with pytest.raises(NotPossible, match="cancelled"):
            await runner.end(id)


async def test_past_the_final_step_nothing_is_cancelled(tmp_path: Path) -> None:
    trail = Trail()
    begun = asyncio.Event()

    async def last(work: Work[Asked]) -> StepDone:
        begun.set()
        await trail.go.wait()
        return StepDone(answer=True)

    kind = Kind("trial", Asked, (Step("last", last, final=True),))
    async with opened(tmp_path, kind) as (hub, runner):
        id = await runner.start(kind, Asked(), await session(hub))
        await begun.wait()
        with pytest.raises(NotPossible, match="past the point"):
            await runner.cancel(id)
        trail.go.set()
        assert await runner.answer(id, bool)


async def test_a_job_that_needs_a_person_goes_on_with_the_answer(tmp_path: Path) -> None:
    trail = Trail()
    kind = Kind("trial", Asked, (Step("ask", trail.ask),))
    async with opened(tmp_path, kind) as (hub, runner):
        id = await runner.start(kind, Asked(), await session(hub))
        waiting = await hub.until(lambda state: waits(hub, id))
        assert waiting == "ask"
    async with opened(tmp_path, kind) as (hub, runner):
        assert trail.lines == ["asked"], "another hub does not ask again"
        yes = Resolution(("yes",), by="human")
        answered = e.AttentionResolved(
            session=SessionId("one"), at=now(), item=AttentionId("ask"), resolution=yes
        )
        await hub.record(answered)
        await runner.end(id)
        assert trail.lines == ["asked", "answered"]


def waits(hub: Hub, id: JobId) -> str | None:
    job = hub.state.job(id)
    return job.item if job is not None and job.state == "waiting" else None


async def test_the_same_command_and_the_same_wish_begin_one_job(tmp_path: Path) -> None:
    trail = Trail()
    async with opened(tmp_path, trail.kind()) as (hub, runner):
        s, command = await session(hub), CommandId("twice")
        first = await runner.start(trail.kind(), Asked("a"), s, command=command)
        assert await runner.start(trail.kind(), Asked("b"), s) == first
        trail.go.set()
        await runner.end(first)
        assert await runner.start(trail.kind(), Asked("a"), s, command=command) == first
        assert await runner.begun_by(command) == first
        assert trail.lines == ["first a", "second A", "third"]


async def test_a_mistake_in_a_step_ends_the_job_and_is_told(tmp_path: Path) -> None:
    async def mistake(work: Work[Asked]) -> StepDone:
        raise KeyError("nobody thought of it")

    kind = Kind("trial", Asked, (Step("first", mistake),))
    async with opened(tmp_path, kind) as (hub, runner):
        id = await runner.start(kind, Asked(), await session(hub))
        with pytest.raises(ManyhandsError, match="nobody thought of it"):
            await runner.end(id)
        assert [job.state for job in await jobs(hub, every=True)] == ["failed"]


async def test_one_that_waits_for_a_person_can_be_cancelled(tmp_path: Path) -> None:
    trail = Trail()
    kind = Kind("trial", Asked, (Step("ask", trail.ask, undo=trail.undo),))
    async with opened(tmp_path, kind) as (hub, runner):
        id = await runner.start(kind, Asked(), await session(hub))
        await hub.until(lambda state: waits(hub, id))
        assert (await runner.cancel(id)).state == "cancelled"
        assert trail.lines == ["asked", "undone"]


def test_whoever_waits_for_an_old_job_sees_its_end_however_many_came_after_it() -> None:
    state, session = State(), Session(id=SessionId("one"))
    kind = Trail().kind()
    old, *others = (started(kind, Asked(), session)[0] for _ in range(3 * MOST_ENDED))
    for begun in (old, *others, old):
        ended = j.JobEnded(session=session.id, at=now(), job=begun.job, end="done")
        layer = state.layer()
        for event in (begun,) if begun is old and not state.jobs else (begun, ended):
            layer.apply(event)
        layer.keep()
    found = state.job(old.job)
    assert found is not None
    assert (found.state, len(state.jobs)) == ("done", MOST_ENDED)


async def test_what_was_asked_before_and_is_not_answered_is_not_asked_again(tmp_path: Path) -> None:
    async def ask(work: Work[Asked]) -> StepDone:
        note = e.NoteMade(session=work.session.id, at=now(), text="asked")
        raise Held(replace(question(work.session.id), id=AttentionId(fresh_id())), note)

    kind = Kind("trial", Asked, (Step("ask", ask),))
    async with opened(tmp_path, kind) as (hub, runner):
        s = await session(hub)
        first = await runner.start(kind, Asked(), s)
        item = await hub.until(lambda state: waits(hub, first))
        await hub.record(*started(kind, Asked(), s))
        [other] = [job.id for job in hub.state.jobs.values() if job.id != first]
        assert await hub.until(lambda state: waits(hub, other)) == item
        asked = [i.id for i in hub.state.sessions[s.id].inbox.items if i.kind != "stray_edit"]
        assert asked == [item]


async def test_the_end_of_a_step_and_the_beginning_of_the_next_are_one_transaction(
    tmp_path: Path,
) -> None:
    trail = Trail()
    trail.go.set()
    async with opened(tmp_path, trail.kind()) as (hub, runner):
        s, batches = await session(hub), list[Batch]()
        hub.store.subscribe(batches.append)
        await runner.end(await runner.start(trail.kind(), Asked("hello"), s))
        steps = [[getattr(f, "step", type(f).__name__) for f in b.events] for b in batches]
        assert steps == [
            ["JobStarted"],
            ["first"],
            ["first", "second"],
            ["second", "third"],
            ["third", "JobEnded"],
        ]


async def test_one_that_is_ended_by_others_is_let_go(tmp_path: Path) -> None:
    trail = Trail()
    async with opened(tmp_path, trail.kind()) as (hub, runner):
        s = await session(hub)
        id = await runner.start(trail.kind(), Asked("hello"), s)
        await trail.reached.wait()
        over = j.JobEnded(session=s.id, at=now(), job=id, end="cancelled", error="it is over")
        await hub.record(over)
        with pytest.raises(NotPossible, match="it is over"):
            await runner.end(id)
        trail.go.set()
        again = await runner.start(trail.kind(), Asked("again"), s)
        await runner.end(again)
        assert trail.lines[-1] == "third"
        assert trail.lines.count("third") == 1
