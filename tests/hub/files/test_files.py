"""The worktree's files, read from outside: all that belongs to it and nothing else."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tests.support.driver import Json, Refused, RunningHub
from tests.support.plain_hub import hub

__all__ = ["hub"]

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture(scope="module")
def session(hub: RunningHub) -> Json:
    made = hub.new("", start=False, name="Files")
    worktree = Path(made["worktree"])
    (worktree / "new dir").mkdir()
    (worktree / "new dir" / "a b.txt").write_text("one\ntwo\n")
    (worktree / "pixel.png").write_bytes(PIXEL)
    (worktree / "blob.bin").write_bytes(b"\0" * 100)
    (worktree / "long.txt").write_bytes(b"x" * (2 * 1024 * 1024))
    (worktree / ".env").write_text("SECRET=1\n")
    (worktree / "out").symlink_to("/etc/passwd")
    (worktree / "outdir").symlink_to("/etc")
    return made


def read(hub: RunningHub, session: Json, path: str) -> Json:
    return hub.get(f"/api/sessions/{session['id']}/files/{path}")


def test_files_are_listed_without_those_that_are_ignored(hub: RunningHub, session: Json) -> None:
    found = hub.get(f"/api/sessions/{session['id']}/files")
    assert found == {
        "paths": [
            ".gitignore",
            "README.md",
            "blob.bin",
            "long.txt",
            "new dir/a b.txt",
            "out",
            "outdir",
            "pixel.png",
        ],
        "more": False,
    }


def test_a_file_is_shown_as_what_it_is(hub: RunningHub, session: Json) -> None:
    text = read(hub, session, "new%20dir/a%20b.txt")
    assert (text["kind"], text["text"], text["cut"]) == ("text", "one\ntwo\n", False)
    image = read(hub, session, "pixel.png")
    assert (image["kind"], image["media_type"]) == ("image", "image/png")
    assert base64.b64decode(image["data"]) == PIXEL
    assert read(hub, session, "blob.bin")["kind"] == "binary"
    long = read(hub, session, "long.txt")
    assert long["cut"]
    assert len(long["text"]) == 1024 * 1024
    link = read(hub, session, "out")
    assert (link["kind"], link["text"]) == ("link", "/etc/passwd")


@pytest.mark.parametrize(
    "path",
    [".env", "../../store.db", "outdir/passwd", ".git", "nothing.txt", "%2e%2e/x", "new dir"],
)
def test_nothing_else_can_be_read(hub: RunningHub, session: Json, path: str) -> None:
    with pytest.raises(Refused) as refused:
        read(hub, session, path.replace(" ", "%20"))
    assert refused.value.status in (400, 404)


def test_a_deleted_file_is_listed_no_longer(hub: RunningHub) -> None:
    made = hub.new("", start=False, name="Gone")
    (Path(made["worktree"]) / "README.md").unlink()
    assert hub.get(f"/api/sessions/{made['id']}/files")["paths"] == [".gitignore"]
