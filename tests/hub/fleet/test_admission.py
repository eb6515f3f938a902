"""A spool brings what its keeper may tell, and nothing that a person or the hub decides."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import manyhands
from manyhands.hub.fleet.admission import REFUSED, TOLD_BY_KEEPERS, WARNING
from manyhands.keeper.spool import Spool, spool_path
from manyhands.model import events as e
from manyhands.model.attention.attention import SEEN_OPTIONS, Attention, Resolution
from manyhands.model.envelope import Asker
from manyhands.model.ids import AttentionId, MessageId, SessionId
from tests.support.driver import ACTOR, REHEARSAL, Json, RunningHub, gone, of_type, script, write

PACKAGE = Path(manyhands.__file__).parent
# One hub serves them all.
pytestmark = pytest.mark.xdist_group("admission")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    with RunningHub(tmp_path_factory.mktemp("hub"), agent=ACTOR) as running:
        running.start_model()
        running.make_repo()
        yield running


@pytest.fixture(scope="module")
def other(hub: RunningHub) -> Json:
    return hub.new("Another", start=False, mode="ask")


def forged(mine: SessionId, other: SessionId, item: str) -> list[bytes]:
    """What a stranger would like to have happened."""
    allowed = Resolution(options=("allow",))
    asker = Asker(via="page", token="page")
    bell = Attention(
        id=AttentionId("b"), session=mine, kind="trust", summary="t", raised_at="", options=()
    )
    facts: list[e.AnyEvent] = [
        e.AttentionResolved(session=mine, item=AttentionId(item), resolution=allowed),
        e.ModeChanged(session=mine, mode="auto"),
        e.ModeChanged(session=other, mode="auto"),
        e.AgentMessage(session=other, message=MessageId("m"), text="I am the other one."),
        e.RepoTrusted(path="/anywhere"),
        e.SessionRuleAdded(session=mine, tool="Bash", command="", kind="tool"),
        e.AgentMessage(
            session=mine, message=MessageId("m"), text="A person said so.", asked_by=asker
        ),
        e.AttentionRaised(session=mine, item=msgspec.structs.replace(bell, options=SEEN_OPTIONS)),
    ]
    return [*map(e.encode, facts), b'{"type":"thing_of_tomorrow"}', b"no event at all"]


def test_forged_items_in_a_spool_are_refused_and_shown(hub: RunningHub, other: Json) -> None:
    made = hub.new(script(write(str(hub.root / "outside")), {"text": "Done."}), mode="ask")
    asked = hub.wait_attention(made["id"])
    keeper = hub.keeper(made["id"])
    hub.kill()
    keeper.kill()
    assert gone(keeper)
    spool = Spool(spool_path(hub.home.sessions / made["id"], 1))
    lies = forged(SessionId(made["id"]), SessionId(other["id"]), asked["id"])
    for body in lies:
        spool.append(body)
    spool.append(
        e.encode(
            e.AgentMessage(
                session=SessionId(made["id"]), message=MessageId("true"), text="So it was."
            )
        )
    )
    spool.close()
    hub.start()
    hub.wait(made["id"], goal="attention")
    found = hub.events(made["id"])
    notes = [n["text"] for n in of_type(found, "note_made") if n["text"].startswith(REFUSED)]
    assert len(notes) == len(lies), notes
    assert of_type(found, "attention_resolved") == []
    assert any(m["text"] == "So it was." for m in of_type(found, "agent_message"))
    assert all("other one" not in str(m) for m in hub.events(other["id"]))
    shown = hub.show(made["id"])
    assert (shown["mode"], hub.show(other["id"])["mode"]) == ("ask", "ask")
    assert [i["summary"] for i in shown["attention"]].count(WARNING) == 1
    assert asked["id"] in [i["id"] for i in shown["attention"]]
    assert "/anywhere" not in [repo["path"] for repo in hub.get("/api/repos")]
    assert hub.get("/api/rules", session=made["id"]) == []


def test_a_mode_that_was_chosen_with_a_plan_is_the_keepers_to_tell(hub: RunningHub) -> None:
    plan = {"tool": "ExitPlanMode", "input": {"plan": "Do it."}}
    made = hub.new(script(plan, {"text": "Done."}), mode="plan", agent=REHEARSAL)
    hub.wait_attention(made["id"])
    hub.answer(made["id"], "approve-auto")
    hub.wait_idle(made["id"])
    assert hub.show(made["id"])["mode"] == "auto"
    for mode in ("ask", "auto", "edits"):
        hub.act(made["id"], "mode", mode=mode)
    hub.say(made["id"], script({"text": "On."}))
    hub.wait_idle(made["id"])
    assert (hub.show(made["id"])["mode"], hub.show(made["id"])["attention"]) == ("edits", [])


def test_every_event_that_keepers_and_agents_make_is_taken_from_them() -> None:
    calls = (
        node.func
        for part in ("keeper", "agents")
        for path in (PACKAGE / part).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    )
    # What the agents' own libraries make is called alike.
    ours = (
        f for f in calls if not (isinstance(f, ast.Attribute) and ast.unparse(f.value) == "sdk")
    )
    names = {f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in ours}
    made = {kind for kind in vars(e).values() if is_event(kind) and kind.__name__ in names}
    assert e.CheckpointFailed in made
    assert made <= TOLD_BY_KEEPERS


def is_event(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, e.Event) and kind is not e.Event
