"""Stored homes of every version so far: each must load for ever, with all that was in it."""

from __future__ import annotations

from pathlib import Path

import apsw
import msgspec
import pytest

from manyhands.hub.core.views import session_view
from manyhands.model import events as e
from manyhands.model.agent.rules import Rule
from manyhands.model.ids import CommandId, SessionId
from manyhands.store import Store
from tests.store.facts import always, said

HOMES = Path(__file__).with_name("homes")
EMPTIED = "DELETE FROM sessions; DELETE FROM repos"
STATUSES = {
    "amber7k2": "idle",
    "birch3m9": "waiting",
    "cedar5t1": "archived",
    "delta8w4": "failed",
    "ember2x6": "queued",
    "frost9z0": "working",
    "grove4q8": "unreachable",
    "heath6v3": "preparing",
}


def lay_out(path: Path, home: str, then: str = "") -> None:
    db = apsw.Connection(str(path))
    db.execute((HOMES / home).read_text("utf-8"))
    db.execute(then)
    db.close()


@pytest.mark.parametrize("then", ["", EMPTIED], ids=["as stored", "folded anew"])
async def test_every_session_of_version_1_is_there(path: Path, then: str) -> None:
    lay_out(path, "v1.sql", then)
    store = Store.open(path)
    sessions = store.state.sessions
    assert {id: s.status for id, s in sessions.items()} == STATUSES
    amber, birch = sessions[SessionId("amber7k2")], sessions[SessionId("birch3m9")]
    assert (
        amber.main.turn,
        amber.spending.usd,
        amber.spending.tokens_in,
        amber.spending.tokens_out,
    ) == (1, 0.0281, 5210, 833)
    assert (amber.totals.added, amber.totals.removed, amber.totals.files) == (44, 1, 2)
    assert (amber.inbox.items, amber.inbox.answers, amber.main.agent_session) == (
        (),
        (),
        "7d2c0f0e-amber7k2",
    )
    assert [(i.kind, i.detail["plan"][:2]) for i in birch.inbox.items] == [("plan", "1.")]
    assert [f.text for f in birch.main.follow_ups] == ["And write a changelog entry."]
    assert sessions[SessionId("delta8w4")].life.error == "the base main does not exist"
    assert sessions[SessionId("ember2x6")].title == '$(id); "quotes" it\'s'
    assert [m.id for m in sessions[SessionId("ember2x6")].main.undelivered] == ["ember2x6-m1"]
    shop, blog = store.state.repos["/srv/shop"], store.state.repos["/srv/blog"]
    assert (shop.trusted, shop.rules) == (True, (Rule("Bash", "make test"),))
    assert (blog.trusted, blog.default_base) == (False, "trunk")
    await store.close()


@pytest.mark.parametrize("then", ["", EMPTIED], ids=["as stored", "folded anew"])
async def test_every_session_of_version_1_is_shown_as_it_was_then(path: Path, then: str) -> None:
    lay_out(path, "v1.sql", then)
    store = Store.open(path)
    views = {id: session_view(s) for id, s in store.state.sessions.items()}
    now = msgspec.json.decode(msgspec.json.encode(views))
    shown = msgspec.json.decode((HOMES / "v1_views.json").read_bytes())
    assert {id: {field: now[id][field] for field in view} for id, view in shown.items()} == shown
    assert now.keys() == shown.keys()
    await store.close()


async def test_every_event_of_version_1_is_there_and_understood(path: Path) -> None:
    lay_out(path, "v1.sql")
    store = Store.open(path)
    page = await store.events(0)
    assert [seq for seq, _ in page] == list(range(1, store.last_seq + 1))
    strangers = [event for _, body in page if isinstance(event := e.decode(body), e.Unknown)]
    assert [stranger.type for stranger in strangers] == ["weather_observed"]
    assert msgspec.json.decode(strangers[0].raw)["sky"] == {"clouds": [1, 2.5, None]}
    await store.close()


async def test_a_home_of_version_1_goes_on_where_it_was(path: Path) -> None:
    lay_out(path, "v1.sql")
    store = Store.open(path)
    last, amber = store.last_seq, SessionId("amber7k2")
    repeated = await store.write(always(said("again")), receipt=CommandId("cmd-new-1"))
    assert (repeated, store.last_seq) == ({"session": amber}, last)
    upto = await store.acked(amber, 1)
    assert await store.write_items(amber, 1, upto, [said("known", amber), said("new", amber)])
    assert store.last_seq == last + 1
    agent = store.token("2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b")
    assert agent is not None
    assert (agent.kind, agent.session) == ("agent", "birch3m9")
    await store.close()
