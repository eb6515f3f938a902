"""Requests that cannot be meant: one clear sentence each, in one shape, and nothing half-done."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from manyhands.api.guard import LARGEST_BODY
from tests.support.driver import Answer, Json, Refused, RunningHub


def post(hub: RunningHub, path: str, body: bytes) -> Answer:
    headers = {**hub.bearer, "Content-Type": "application/json"}
    return hub.request("POST", path, body, headers)


def require_shape(answer: Answer, status: int) -> None:
    assert answer.status == status, answer.body
    assert set(answer.json) == {"code", "message", "hint"}
    assert answer.headers["content-type"].startswith("application/json")


MALFORMED = [b"", b"{", b"[]", b"null", b'"text"', b"{}x", b"\xff\xfe", b'{"text": 5}', b"{\0}"]


@pytest.mark.parametrize("body", MALFORMED)
@pytest.mark.parametrize("path", ["/api/sessions", "/api/wait", "/api/repos", "/api/exchange"])
def test_a_malformed_body_is_bad_input(hub: RunningHub, path: str, body: bytes) -> None:
    answer = post(hub, path, body)
    require_shape(answer, 400)
    assert answer.json["code"] == "bad_input"


def test_a_field_that_does_not_exist_is_named(hub: RunningHub, resting: Json) -> None:
    answer = post(hub, f"/api/sessions/{resting['id']}/say", b'{"text": "x", "followup": true}')
    require_shape(answer, 400)
    assert "followup" in answer.json["message"]


def test_a_choice_that_does_not_exist_is_refused(hub: RunningHub, resting: Json) -> None:
    answer = post(hub, f"/api/sessions/{resting['id']}/mode", b'{"mode": "yolo"}')
    require_shape(answer, 400)


@pytest.mark.parametrize("query", ["after=-1", "after=x", "limit=0", "limit=100000", "after=1e99"])
def test_numbers_out_of_range_are_refused(hub: RunningHub, resting: Json, query: str) -> None:
    path = f"/api/sessions/{resting['id']}/events?{query}"
    require_shape(hub.request("GET", path, headers=hub.bearer), 400)


def test_a_body_over_the_limit_is_refused_by_its_announced_size(hub: RunningHub) -> None:
    headers = {
        **hub.bearer,
        "Content-Type": "application/json",
        "Content-Length": str(LARGEST_BODY + 1),
    }
    answer = hub.request("POST", "/api/sessions", None, headers)
    require_shape(answer, 413)


def test_a_body_over_the_limit_is_refused_where_its_size_was_not_announced(
    hub: RunningHub,
) -> None:
    import http.client

    link = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=60)
    headers = {**hub.bearer, "Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    parts = (b" " * 2**20 for _ in range(LARGEST_BODY // 2**20 + 1))
    try:
        link.request("POST", "/api/sessions", parts, headers, encode_chunked=True)
        answer = link.getresponse()
        assert answer.status == 413
        assert json.loads(answer.read())["message"]
    finally:
        link.close()


def test_a_message_of_five_megabytes_is_taken(hub: RunningHub) -> None:
    text = "x" * (5 * 2**20)
    session = hub.new(text, start=False)
    assert session["status"] == "idle"
    assert len(session["title"]) <= 80


def test_a_message_that_is_too_long_is_refused(hub: RunningHub) -> None:
    with pytest.raises(Refused, match="longer than 16 MB") as caught:
        hub.new("x" * (16 * 2**20 + 1), start=False)
    assert caught.value.status == 400


def test_a_title_of_ten_thousand_characters_is_kept_whole(hub: RunningHub) -> None:
    session = hub.new("x", start=False, name="word " * 2000)
    assert session["title"] == ("word " * 2000).strip()
    assert len(session["slug"]) <= 60


@pytest.mark.parametrize(
    "title",
    [
        "$(id)",
        "; rm -rf /",
        "\"'`",
        "🚀🚀",
        "\u3000\u202e",
        "a" * 300,
        "CON",
        "../../etc",
        "-rf",
        "\0",
    ],
)
def test_any_title_gives_a_safe_slug_and_is_kept(hub: RunningHub, title: str) -> None:
    session = hub.new("x", start=False, name=title)
    assert set(session["slug"]) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert Path(session["worktree"]).is_dir()
    if title.strip():
        assert session["title"] == title.strip()


def test_feature_beside_a_branch_below_feature_gets_a_name_of_its_own(hub: RunningHub) -> None:
    hub.git("branch", "mh/taken/below", cwd=hub.repo)
    assert hub.new("x", start=False, name="taken")["branch"] == "mh/taken-2"


@pytest.mark.parametrize("ref", ["nobody", "..", "a/b", "%00", "x" * 3000, " "])
def test_a_session_that_does_not_exist_is_not_found(hub: RunningHub, ref: str) -> None:
    path = f"/api/sessions/{quote(ref, safe='')}"
    require_shape(hub.request("GET", path, headers=hub.bearer), 404)


def test_an_unknown_address_is_not_found_in_the_same_shape(hub: RunningHub) -> None:
    for path in ("/api/nothing", "/api/sessions/x/y/z", "/api", "/apix"):
        require_shape(hub.request("GET", path, headers=hub.bearer), 404)


def test_another_method_is_not_allowed_in_the_same_shape(hub: RunningHub) -> None:
    headers = {**hub.bearer, "Content-Type": "application/json"}
    for method in ("PUT", "DELETE", "PATCH", "POST"):
        require_shape(hub.request(method, "/api/status", b"{}", headers), 405)


# Repositories


def test_a_path_that_is_no_repository_is_said_so(hub: RunningHub, tmp_path: Path) -> None:
    for path, words in {
        str(tmp_path): "no git repository",
        str(tmp_path / "missing"): "missing",
        "relative/path": "not an absolute path",
        "": "named by its path",
        "/\0": "named by its path",
        "/etc/passwd": "passwd",
    }.items():
        with pytest.raises(Refused, match=words) as caught:
            hub.post("/api/repos", {"path": path})
        assert caught.value.status in (400, 404), path


def test_a_repository_without_commits_is_said_so(hub: RunningHub, tmp_path: Path) -> None:
    hub.git("init", "-q", str(tmp_path / "empty"), cwd=tmp_path)
    hub.post("/api/repos/trust", {"path": str(tmp_path / "empty")})
    with pytest.raises(Refused, match="no commits yet") as caught:
        hub.new("x", repo=str(tmp_path / "empty"), start=False)
    assert (caught.value.status, caught.value.code) == (400, "bad_input")
    assert caught.value.hint


def test_an_untrusted_repository_runs_nothing(hub: RunningHub, tmp_path: Path) -> None:
    path = hub.make_repo(tmp_path / "strange", trust=False)
    with pytest.raises(Refused) as caught:
        hub.new("x", repo=str(path), start=False)
    assert (caught.value.status, caught.value.code) == (403, "not_trusted")
    assert "repo trust" in caught.value.hint
    assert not [s for s in hub.get("/api/sessions", all=True) if s["repo"] == str(path)]
    assert hub.git("worktree", "list", cwd=path).count("\n") == 1


def test_a_base_that_does_not_exist_is_said_so(hub: RunningHub) -> None:
    for base in ("nowhere", "--help", "-x", "a..b", "\0", "main:README.md"):
        with pytest.raises(Refused) as caught:
            hub.new("x", base=base, start=False)
        assert caught.value.status == 400, base


def test_an_agent_that_does_not_exist_is_said_so(hub: RunningHub) -> None:
    with pytest.raises(Refused, match="nobody") as caught:
        hub.new("x", agent="nobody", start=False)
    assert caught.value.status in (400, 404)


def test_a_session_needs_a_task(hub: RunningHub) -> None:
    with pytest.raises(Refused, match="needs a task"):
        hub.new("  \n ")


def test_an_empty_message_is_refused(hub: RunningHub, resting: Json) -> None:
    with pytest.raises(Refused, match="says nothing"):
        hub.say(resting["id"], " ")


def test_answering_where_nothing_is_open_is_refused(hub: RunningHub, resting: Json) -> None:
    with pytest.raises(Refused, match="nothing open") as caught:
        hub.answer(resting["id"], "allow")
    assert caught.value.status == 409


# Paths inside a worktree


@pytest.fixture(scope="module")
def secretive(hub: RunningHub) -> Json:
    """A session with a file, a link to a secret outside, and one to a directory outside."""
    session = hub.new("x", start=False)
    worktree, outside = Path(session["worktree"]), hub.root / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("the secret itself\n")
    (worktree / "mine.txt").write_text("mine\n")
    (worktree / "link.txt").symlink_to(outside / "secret.txt")
    (worktree / "linked").symlink_to(outside)
    os.mkfifo(worktree / "pipe")
    return session


def diff(hub: RunningHub, session: Json, path: str) -> Answer:
    target = f"/api/sessions/{session['id']}/diff?path={quote(path, safe='')}"
    return hub.request("GET", target, headers=hub.bearer)


@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret.txt",
        "a/../../outside/secret.txt",
        "..",
        "/etc/passwd",
        "//etc/passwd",
        "mine.txt\0",
        "\0",
        ".git",
        ".git/config",
        ".GIT/config",
        "sub/.git/HEAD",
        "linked/secret.txt",
        ":/",
        ":(top)mine.txt",
        "",
    ],
)
def test_a_path_that_leaves_the_worktree_is_refused(
    hub: RunningHub, secretive: Json, path: str
) -> None:
    require_shape(diff(hub, secretive, path), 400)


@pytest.mark.parametrize("path", ["link.txt", "linked", "*", "pipe"])
def test_what_a_link_points_to_is_never_shown(hub: RunningHub, secretive: Json, path: str) -> None:
    answer = diff(hub, secretive, path)
    assert answer.status in (200, 409)
    assert b"the secret itself" not in answer.body


def test_the_whole_diff_shows_links_as_links(hub: RunningHub, secretive: Json) -> None:
    answer = hub.get(f"/api/sessions/{secretive['id']}/diff")
    assert "the secret itself" not in answer["patch"]
    assert "+mine" in answer["patch"]
    by_path: dict[str, Any] = {file["path"]: file for file in answer["files"]}
    assert by_path["mine.txt"]["status"] == "added"
    assert "link.txt" in by_path


def test_a_path_is_a_path_and_no_pattern(hub: RunningHub, secretive: Json) -> None:
    assert [f["path"] for f in diff(hub, secretive, "mine.txt").json["files"]] == ["mine.txt"]
    assert diff(hub, secretive, "m*").json["files"] == []
