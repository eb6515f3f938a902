"""A legal life of a session, played at random: its status moves as promised, nothing is lost."""

from __future__ import annotations

import itertools

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from manyhands.model import events as e
from manyhands.model.attention.attention import NOTICES, Attention, Kind, Resolution
from manyhands.model.ids import AgentSessionId, AttentionId, MessageId, Oid, SessionId
from manyhands.model.session.session import Session, Status, fold
from tests.model.strategies import LEGAL

ONE = SessionId("one")
RAISING: dict[Kind, type[e.Raising]] = {
    "plan": e.PlanProposed,
    "permission": e.PermissionRequested,
    "question": e.QuestionAsked,
    "stray_edit": e.AttentionRaised,
    "bell": e.AttentionRaised,
}
ANSWERED_BY_KEEPER = ("plan", "permission", "question")


class Life(RuleBasedStateMachine):
    """`commit` is one transaction of the hub; a rule is what hub, keeper or agent may do next."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session(id=ONE)
        self.numbers = itertools.count(1)
        self.is_created = False

    def fresh(self) -> str:
        return str(next(self.numbers))

    def commit(self, *events: e.AnyEvent) -> None:
        before, after = self.session, self.session
        for event in events:
            stamped = msgspec.structs.replace(event, session=ONE, at=f"{next(self.numbers):08d}")
            after = fold(after, stamped)
        if self.is_created and after.status != before.status:
            assert after.status in LEGAL[before.status], (before.status, after.status, events)
        self.require_nothing_lost(before, after, events)
        self.session = after

    def require_nothing_lost(
        self, before: Session, after: Session, events: tuple[e.AnyEvent, ...]
    ) -> None:
        resolved = {ev.item for ev in events if isinstance(ev, e.AttentionResolved)}
        assert {i.id for i in before.inbox.items} - resolved <= {i.id for i in after.inbox.items}
        handed = {ev.item for ev in events if isinstance(ev, e.AnswerDelivered)}
        assert {a.item.id for a in before.inbox.answers} - handed <= {
            a.item.id for a in after.inbox.answers
        }
        delivered = {ev.message for ev in events if isinstance(ev, e.MessageDelivered)}
        kept = {m.id for m in (*after.main.undelivered, *after.main.follow_ups)}
        assert {
            m.id for m in (*before.main.undelivered, *before.main.follow_ups)
        } - delivered <= kept
        assert after.spending.usd >= before.spending.usd
        assert (after.main.turn, after.keeper.epoch) >= (before.main.turn, before.keeper.epoch)
        assert after.updated_at >= before.updated_at

    def require(self, status: Status) -> None:
        assert self.session.status == status

    # What must hold to do a thing

    def is_open(self) -> bool:
        return self.is_created and not self.session.life.archived

    def is_ready(self) -> bool:
        return self.is_open() and self.session.life.ready

    def is_kept(self) -> bool:
        return self.is_ready() and self.session.keeper.state == "live"

    def is_running(self) -> bool:
        return self.is_kept() and self.session.main.agent_pid > 0

    def is_in_turn(self) -> bool:
        return self.is_running() and self.session.main.in_turn

    # The hub

    @initialize(start=st.booleans())
    def create(self, start: bool) -> None:
        created = e.SessionCreated(
            title="t",
            slug="t",
            repo="/r",
            branch="b",
            base="main",
            base_commit=Oid("0" * 40),
            worktree="/w",
            agent="claude",
            kind="claude",
            start=start,
        )
        first = e.UserMessage(message=MessageId(self.fresh()), text="do it")
        self.commit(created, *([first] if start else []))
        self.is_created = True
        self.require("preparing")

    @precondition(lambda self: self.is_open() and not self.session.life.ready)
    @rule(works=st.booleans())
    def prepare(self, works: bool) -> None:
        self.commit(e.StepStarted(step="worktree"))
        self.require("preparing")
        if works:
            self.commit(e.StepFinished(step="worktree"), e.SessionReady())
        else:
            self.commit(e.SessionFailed(step="worktree", error="no base"))
            self.require("failed")

    @precondition(lambda self: self.is_open())
    @rule(as_follow_up=st.booleans())
    def say(self, as_follow_up: bool) -> None:
        message = MessageId(self.fresh())
        if as_follow_up and self.session.main.in_turn:
            self.commit(e.FollowUpAdded(message=message, text="later"))
        else:
            self.commit(e.UserMessage(message=message, text="now"))

    @precondition(lambda self: self.is_ready() and self.session.main.follow_ups)
    @rule()
    def send_follow_up(self) -> None:
        if not self.session.main.in_turn:
            follow_up = self.session.main.follow_ups[0]
            self.commit(e.UserMessage(message=follow_up.id, text=follow_up.text, by="hub"))

    @precondition(lambda self: self.is_ready() and self.session.status == "queued")
    @rule()
    def grant(self) -> None:
        self.commit(e.PlaceGranted())
        self.require("working")

    @precondition(lambda self: self.is_ready() and self.session.keeper.state == "none")
    @rule()
    def start_keeper(self) -> None:
        self.commit(e.KeeperStarted(epoch=self.session.keeper.epoch + 1))

    @precondition(lambda self: self.is_kept())
    @rule()
    def lose_sight(self) -> None:
        self.commit(e.KeeperUnreachable(epoch=self.session.keeper.epoch, reason="no answer"))

    @precondition(lambda self: self.is_open() and self.session.keeper.state == "unreachable")
    @rule()
    def see_again(self) -> None:
        self.commit(e.KeeperReached(epoch=self.session.keeper.epoch))

    @precondition(lambda self: self.is_open() and self.session.inbox.items)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(self.session.inbox.items))
        self.commit(e.AttentionResolved(item=item.id, resolution=Resolution(("allow",))))
        waits = item.id in {a.item.id for a in self.session.inbox.answers}
        assert waits == (item.kind in ANSWERED_BY_KEEPER)

    @precondition(lambda self: self.is_open() and self.session.keeper.state != "unreachable")
    @rule()
    def archive(self) -> None:
        if self.session.main.in_turn or self.session.status == "preparing":
            return
        self.commit(e.StepStarted(step="archive"))
        if self.session.keeper.state == "live":
            self.end_keeper()
        self.commit(e.SessionArchived(trash="/trash"))
        self.require("archived")

    @precondition(lambda self: self.session.life.archived)
    @rule()
    def restore(self) -> None:
        self.commit(e.SessionRestored())

    @precondition(lambda self: self.is_created)
    @rule()
    def look(self) -> None:
        before = self.session.status
        self.commit(e.SessionRead())
        assert (self.session.inbox.unread, self.session.status) == (False, before)

    # The keeper and its agent

    @precondition(lambda self: self.is_kept() and self.session.main.undelivered)
    @rule()
    def take_turn(self) -> None:
        if self.session.main.agent_pid == 0:
            self.commit(e.AgentStarted(agent="claude", agent_session=AgentSessionId("a"), pid=7))
        turn = self.session.main.turn + (not self.session.main.in_turn)
        self.commit(e.TurnStarted(turn=turn))
        self.commit(e.MessageDelivered(message=self.session.main.undelivered[0].id))
        assert self.session.main.turn == turn

    @precondition(lambda self: self.is_in_turn())
    @rule(cost=st.floats(0, 1))
    def work(self, cost: float) -> None:
        self.commit(
            e.AgentMessage(message=MessageId(self.fresh()), text="hm"),
            e.DiffChanged(path="a", status="modified", total_added=3, total_files=1),
            e.UsageRecorded(tokens_in=5, tokens_out=3, cost_usd=cost),
        )
        assert self.session.main.deaths == 0

    @precondition(lambda self: self.is_in_turn())
    @rule(kind=st.sampled_from(sorted(RAISING)))
    def ask(self, kind: Kind) -> None:
        id = AttentionId(self.fresh())
        item = Attention(id=id, session=ONE, kind=kind, summary="?", raised_at="1")
        self.commit(RAISING[kind](item=item))
        self.commit(RAISING[kind](item=item))
        assert [i.id for i in self.session.inbox.items].count(id) == 1
        if kind not in NOTICES:
            self.require("waiting")

    @precondition(lambda self: self.is_running() and self.session.inbox.answers)
    @rule()
    def deliver_answer(self) -> None:
        self.commit(e.AnswerDelivered(item=self.session.inbox.answers[0].item.id))

    @precondition(lambda self: self.is_in_turn() and not self.session.inbox.items)
    @rule(outcome=st.sampled_from(["done", "interrupted", "failed"]))
    def finish_turn(self, outcome: e.Outcome) -> None:
        self.commit(e.TurnFinished(outcome=outcome))
        assert self.session.inbox.unread
        assert not self.session.main.in_turn

    @precondition(lambda self: self.is_running())
    @rule(expected=st.booleans())
    def end_agent(self, expected: bool) -> None:
        deaths = self.session.main.deaths + (not expected)
        self.commit(e.AgentExited(expected=expected))
        assert (self.session.main.deaths, self.session.main.agent_pid) == (deaths, 0)

    @precondition(lambda self: self.is_kept())
    @rule()
    def end_keeper(self) -> None:
        """An agent never outlives its keeper."""
        died = [e.AgentExited()] if self.session.main.agent_pid else []
        self.commit(*died, e.KeeperExited(epoch=self.session.keeper.epoch))
        assert not self.session.main.in_turn

    @invariant()
    def survives_as_a_document(self) -> None:
        body = msgspec.json.encode(self.session)
        assert msgspec.json.decode(body, type=Session) == self.session


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=150, stateful_step_count=60)
