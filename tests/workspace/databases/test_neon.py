"""Neon: each request is one that Neon's published description allows; only ours is dropped."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from manyhands.config import Neon
from manyhands.errors import BadInput, DatabaseFailed, NotPossible
from manyhands.workspace.databases.names import Claim, claim_for, home_prefix
from manyhands.workspace.databases.neon import NeonSource
from manyhands.workspace.databases.source import SourceContext
from manyhands.workspace.repo_config import DatabaseTable
from tests.support.neon_description import Description
from tests.support.neon_server import KEY, PROJECT, NeonServer, neon_server
from tests.workspace.databases.conftest import MakePlace

pytestmark = pytest.mark.xdist_group("neon")


@pytest.fixture(scope="module")
def description() -> Description:
    return Description()


@pytest.fixture
def neon(description: Description, monkeypatch: pytest.MonkeyPatch) -> Iterator[NeonServer]:
    monkeypatch.setenv("A_NEON_KEY", KEY)
    with neon_server(description) as server:
        yield server


@pytest.fixture
def at(neon: NeonServer, make_place: MakePlace) -> SourceContext:
    return make_place("s1", Neon(api=neon.url, key="env:A_NEON_KEY"))


def source(at: SourceContext, **more: str) -> NeonSource:
    return NeonSource(DatabaseTable(kind="neon", project=PROJECT, **more), at)


def claim(at: SourceContext, slug: str = "fix-login") -> Claim:
    return claim_for(at.home.root, at.session, slug)


def id_of(neon: NeonServer, name: str) -> str:
    [found] = [b["id"] for b in neon.branches.values() if b["name"] == name]
    return str(found)


def test_a_branch_is_made_awaited_and_its_address_given(
    neon: NeonServer, at: SourceContext
) -> None:
    made = source(at).branch(claim(at))
    id = id_of(neon, claim(at).name)
    assert made == (f"postgresql://casey:npg_secret@ep-{id}.neon.invalid/appdb", "api")
    assert neon.marks[id] == {"manyhands": claim(at).mark}
    assert neon.data[id] == ["Ada"]


def test_branching_again_makes_no_second_one(neon: NeonServer, at: SourceContext) -> None:
    first = source(at).branch(claim(at))
    assert source(at).branch(claim(at)) == (first.url, "kept")
    assert len(neon.branches) == 2


def test_one_that_was_cut_off_after_its_creation_is_found_again(
    neon: NeonServer, at: SourceContext
) -> None:
    """On the third page: the list comes two by two."""
    for n in range(5):
        other = claim_for(at.home.root, f"x{n}", claim(at).name)
        neon.answer(
            "POST",
            f"/projects/{PROJECT}/branches",
            {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"},
            {"branch": {"name": f"{claim(at).name}-{n}"}, "annotation_value": {"a": other.mark}},
        )
    source(at).branch(claim(at))
    assert source(at).branch(claim(at)).method == "kept"


def test_a_reset_brings_the_parents_data_back_under_the_same_address(
    neon: NeonServer, at: SourceContext
) -> None:
    made = source(at).branch(claim(at))
    id = id_of(neon, claim(at).name)
    neon.data[id].append("mine")
    assert source(at).branch(claim(at), anew=True) == (made.url, "api")
    assert neon.data == {"br-main": ["Ada"], id: ["Ada"]}


def test_the_branch_to_start_from_the_database_and_the_role_can_be_named(
    neon: NeonServer, at: SourceContext
) -> None:
    source(at).branch(Claim(f"{home_prefix(at.home.root)}dev", claim(at).mark))
    dev = id_of(neon, f"{home_prefix(at.home.root)}dev")
    neon.branches[dev]["name"] = "dev"
    neon.data[dev] = ["Dev"]
    made = source(at, branch="dev", database="other", role="maker").branch(claim(at))
    assert made.url.startswith("postgresql://maker:")
    assert made.url.endswith("/other")
    assert neon.data[id_of(neon, claim(at).name)] == ["Dev"]
    with pytest.raises(DatabaseFailed, match="has no branch nowhere"):
        source(at, branch="nowhere").branch(claim(at, "other"))


def test_a_drop_is_harmless_twice_and_listing_shows_what_is_left(
    neon: NeonServer, at: SourceContext
) -> None:
    data = source(at)
    data.branch(claim(at))
    [found] = data.branches(home_prefix(at.home.root))
    assert (found.name, found.mark) == (claim(at).name, claim(at).mark)
    assert [data.drop(claim(at)), data.drop(claim(at))] == [True, False]
    assert data.branches(home_prefix(at.home.root)) == []
    assert list(neon.branches) == ["br-main"]


def test_what_is_not_marked_as_ours_is_never_dropped(neon: NeonServer, at: SourceContext) -> None:
    data = source(at)
    data.branch(claim(at))
    id = id_of(neon, claim(at).name)
    neon.marks[id] = {}
    with pytest.raises(NotPossible, match="not made for this session"):
        data.drop(claim(at))
    neon.marks[id] = {"manyhands": claim(at).mark}
    neon.branches[id]["default"] = True
    with pytest.raises(NotPossible, match="default or protected"):
        data.drop(claim(at))
    with pytest.raises(NotPossible):
        data.drop(Claim("main", claim(at).mark))
    assert set(neon.branches) == {"br-main", id}


def test_a_project_that_is_busy_is_waited_for(neon: NeonServer, at: SourceContext) -> None:
    neon.busy = 3
    assert source(at).branch(claim(at)).method == "api"
    assert sum(asked[0] == "POST" for asked in neon.asked) == 4


def test_refusals_are_told_in_neons_words_and_never_with_the_key(
    neon: NeonServer, at: SourceContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DatabaseFailed, match="project not found") as unknown:
        NeonSource(DatabaseTable(kind="neon", project="other"), at).branch(claim(at))
    assert unknown.value.state == "404"
    monkeypatch.setenv("A_NEON_KEY", "wrong-key-canary")
    with pytest.raises(DatabaseFailed, match="this key is not known") as refused:
        source(at).branch(claim(at))
    assert "canary" not in str(refused.value)
    assert "[neon] key" in refused.value.hint
    monkeypatch.delenv("A_NEON_KEY")
    with pytest.raises(BadInput, match="no A_NEON_KEY"):
        source(at)


def test_the_key_does_not_follow_a_redirect(
    neon: NeonServer, at: SourceContext, make_place: MakePlace
) -> None:
    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(302)
            self.send_header("Location", neon.url + self.path)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            api = f"http://127.0.0.1:{server.server_address[1]}"
            place = make_place("s2", Neon(api=api, key="env:A_NEON_KEY"))
            with pytest.raises(DatabaseFailed, match="HTTP 302"):
                source(place).branch(claim(place))
        finally:
            server.shutdown()
            thread.join(10)
    assert neon.asked == []


def test_the_key_is_not_sent_without_tls(at: SourceContext, make_place: MakePlace) -> None:
    plain = make_place("s2", Neon(api="http://neon.example.invalid/api/v2", key="env:A_NEON_KEY"))
    with pytest.raises(BadInput, match="not https"):
        source(plain)


def test_nothing_listening_is_told_in_one_sentence(
    at: SourceContext, make_place: MakePlace
) -> None:
    nowhere = make_place("s2", Neon(api="http://127.0.0.1:1/api/v2", key="env:A_NEON_KEY"))
    with pytest.raises(DatabaseFailed, match="does not answer"):
        source(nowhere).branch(claim(nowhere))


def test_the_stand_in_really_complains(description: Description) -> None:
    """A check that passes everything would prove nothing."""
    good = {"Authorization": "Bearer x", "Content-Type": "application/json"}
    path = f"/projects/{PROJECT}/branches"

    def wrong(method: str, target: str, body: object = None, headers: object = good) -> list[str]:
        return description.complaints(method, target, headers, body)

    assert (
        wrong("POST", path, {"branch": {"name": "x"}, "endpoints": [{"type": "read_write"}]}) == []
    )
    assert wrong("POST", path, {"branch": {"name": ""}})
    assert wrong("POST", path, {"branch": {"parent": "x"}})
    assert wrong("POST", path, {"endpoints": [{}]})
    assert wrong("POST", path, {"endpoints": [{"type": "sideways"}]})
    assert wrong("POST", path, {"annotation_value": {"a": 1}})
    assert wrong("PUT", path, {})
    assert wrong("GET", "/projects/UPPER/branches")
    assert wrong("GET", f"{path}?colour=red")
    assert wrong("GET", f"{path}?limit=0")
    assert wrong("GET", f"/projects/{PROJECT}/connection_uri?role_name=a")
    assert wrong("POST", f"{path}/br-1/restore", {})
    assert wrong("DELETE", f"{path}/br-1", {"a": 1})
    assert wrong("GET", path, headers={})
    assert description.answer_complaints("/projects/{project_id}/branches", "get", 200, {})
    one = "/projects/{project_id}/branches/{branch_id}"
    assert description.answer_complaints(one, "get", 200, {"branch": {"id": "x"}})
