"""A command sent again under its id is answered as the first time, and nothing is done twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from manyhands.api.commands import CountOnce
from tests.api.router import application
from tests.support.driver import Json, Refused, RunningHub, of_type

POSTS = [
    (route.path, handler)
    for route in application().routes
    if isinstance(route, HTTPRoute)
    for handler in route.route_handlers
    if "POST" in handler.http_methods
]


@pytest.mark.parametrize(("path", "handler"), POSTS, ids=[path for path, _ in POSTS])
def test_every_command_goes_through_the_one_wrapper(path: str, handler: HTTPRouteHandler) -> None:
    assert any(isinstance(layer, CountOnce) for layer in handler.resolve_middleware())
    receipt = handler.opt.get("receipt", "after")
    takes_command = "command" in handler.parsed_fn_signature.parameters
    # Only an operation that is given the command's name can keep a receipt of its own.
    assert receipt in ("after", "memory") or (receipt == "own" and takes_command)


def test_there_are_commands_to_walk() -> None:
    assert len(POSTS) > 50


def made(hub: RunningHub, name: str, *, file: bool = False) -> str:
    session = hub.new("x", start=False, name=name)
    if file:
        (Path(session["worktree"]) / "new.txt").write_text("new\n")
    return str(session["id"])


def at_once(ask: Callable[[], Json], times: int = 6) -> list[Json]:
    gate = threading.Barrier(times)

    def one() -> Json:
        gate.wait()
        return ask()

    with ThreadPoolExecutor(times) as threads:
        return [asked.result() for asked in [threads.submit(one) for _ in range(times)]]


def test_a_rename_sent_again_changes_nothing_and_answers_the_same(hub: RunningHub) -> None:
    id = made(hub, "Renamed")
    path = f"/api/sessions/{id}/rename"
    first = hub.post(path, {"title": "First"}, command="r1")
    hub.post(path, {"title": "Second"})
    assert hub.post(path, {"title": "First"}, command="r1") == first
    assert hub.show(id)["title"] == "Second"
    assert len(of_type(hub.events(id), "session_renamed")) == 2


def test_a_receipt_outlives_the_hub(own_hub: RunningHub) -> None:
    hub = own_hub
    id = made(hub, "Renamed")
    path = f"/api/sessions/{id}/rename"
    first = hub.post(path, {"title": "First"}, command="r1")
    hub.post(path, {"title": "Second"})
    hub.kill()
    hub.start()
    assert hub.post(path, {"title": "First"}, command="r1") == first
    assert hub.show(id)["title"] == "Second"


def test_a_comment_sent_many_times_at_once_is_one_comment(hub: RunningHub) -> None:
    id = made(hub, "Commented", file=True)
    path = f"/api/sessions/{id}/review/comments"
    answers = at_once(lambda: hub.post(path, {"text": "Why?"}, command="c1"))
    assert all(answer == answers[0] for answer in answers)
    assert len(hub.get(f"/api/sessions/{id}/review")["comments"]) == 1


def test_a_commit_sent_many_times_at_once_is_one_commit(hub: RunningHub) -> None:
    id = made(hub, "Committed", file=True)
    path = f"/api/sessions/{id}/commit"
    answers = at_once(lambda: hub.post(path, {"message": "Once"}, command="m1"))
    assert len({answer["commit"] for answer in answers}) == 1
    assert len(of_type(hub.events(id), "commit_made")) == 1


def test_a_merge_sent_again_tells_what_the_first_one_did(hub: RunningHub) -> None:
    id = made(hub, "Merged", file=True)
    hub.act(id, "commit", message="New file")
    hub.git("branch", "landing-here", cwd=hub.repo)
    path, asked = f"/api/sessions/{id}/merge", {"into": "landing-here"}
    first, second = at_once(lambda: hub.post(path, asked, command="g1"), times=2)
    assert first == second == hub.post(path, asked, command="g1")
    assert not first["already"]
    assert hub.post(path, asked, command="g2")["already"]


def test_what_failed_is_tried_again(hub: RunningHub) -> None:
    id = made(hub, "Too early", file=True)
    hub.act(id, "commit", message="New file")
    path, asked = f"/api/sessions/{id}/merge", {"into": "made-later"}
    with pytest.raises(Refused):
        hub.post(path, asked, command="f1")
    hub.git("branch", "made-later", cwd=hub.repo)
    assert not hub.post(path, asked, command="f1")["already"]


def test_the_same_id_means_another_command_on_another_path(hub: RunningHub) -> None:
    one, other = made(hub, "One"), made(hub, "Other")
    for id in (one, other):
        hub.post(f"/api/sessions/{id}/rename", {"title": "Same"}, command="p1")
    assert hub.show(one)["title"] == hub.show(other)["title"] == "Same"


def test_an_answer_that_opens_a_door_is_repeated_but_never_stored(own_hub: RunningHub) -> None:
    hub = own_hub
    link = hub.post("/api/link", command="l1")
    assert hub.post("/api/link", command="l1") == link
    assert hub.post("/api/link", command="l2") != link
    code = link["url"].partition("#code=")[2]
    given = hub.post("/api/exchange", {"code": code}, command="x1")
    assert hub.post("/api/exchange", {"code": code}, command="x1") == given
    for body, command in (({"code": code}, "x2"), ({"code": "another"}, "x1")):
        with pytest.raises(Refused):
            hub.post("/api/exchange", body, command=command)
    hub.kill()
    stored = b"".join(file.read_bytes() for file in hub.home.root.glob("store.db*"))
    assert code.encode() not in stored
    assert given["token"].encode() not in stored
