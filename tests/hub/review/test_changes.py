"""What is reviewed: the listing, patches, contents, viewed files, and putting changes back."""

from __future__ import annotations

import base64

import pytest

from tests.hub.review.conftest import CODE, Reviewed
from tests.support.driver import Refused, RunningHub, eventually, pool_is_full, script, write

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def test_the_listing_tells_renames_modes_binaries_and_generated_files(session: Reviewed) -> None:
    tree = session.worktree
    (tree / "old_name.txt").rename(tree / "new_name.txt")
    (tree / "code.py").chmod(0o755)
    (tree / "pixel.png").write_bytes(PIXEL)
    (tree / "flake.lock").write_text('{"a": 1}\n')
    (tree / ".gitattributes").write_text("*.gen linguist-generated\n")
    (tree / "made.gen").write_text("x\n")
    files = session.files()
    assert (files["new_name.txt"]["status"], files["new_name.txt"]["old_path"]) == (
        "renamed",
        "old_name.txt",
    )
    assert (files["code.py"]["old_mode"], files["code.py"]["new_mode"]) == ("100644", "100755")
    assert files["pixel.png"]["binary"]
    assert {path for path, file in files.items() if file["generated"]} == {
        "flake.lock",
        "made.gen",
    }


def test_patches_come_for_the_files_that_are_asked_for(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line  10\n")
    session.edit("code.py", "line 20\n", "line twenty\n")
    (session.worktree / "other.txt").write_text("x\n")
    found = session.ask("/patches", path="code.py")
    assert [file["path"] for file in found["files"]] == ["code.py"]
    assert "+line  10" in found["patch"]
    spaceless = session.ask("/patches", path="code.py", ignore_space=True)
    assert "line  10" not in spaceless["patch"]
    assert "+line twenty" in spaceless["patch"]


def test_the_first_files_come_with_their_patches_before_all_are_read(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    for name in "abcd":
        (session.worktree / f"{name}.txt").write_text(f"{name}\n")
    first = session.ask("/diff", first=3)
    assert [file["path"] for file in first["files"]] == ["a.txt", "b.txt", "c.txt"]
    assert (first["more"], first["tree"]) == (2, "")
    assert "+c\n" in first["patch"]
    opened, listed = session.ask("/diff", first=40), session.ask("/diff")
    assert (opened["files"], opened["tree"], opened["more"]) == (listed["files"], listed["tree"], 0)
    assert "+line ten\n" in opened["patch"]


def test_a_file_in_which_only_spaces_changed_is_not_listed_without_them(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line  10\n")
    assert list(session.files()) == ["code.py"]
    assert session.files(ignore_space=True) == {}


def test_a_huge_file_is_listed_at_once_and_shown_when_asked_for(session: Reviewed) -> None:
    (session.worktree / "huge.txt").write_text("a line of text\n" * 100_000)
    assert session.ask("/patches", path="huge.txt")["files"][0]["omitted"]
    whole = session.ask("/patches", path="huge.txt", whole=True)
    assert whole["patch"].count("\n+a line") == 100_000


def test_contents_are_served_as_they_were_and_as_they_are(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    (session.worktree / "pixel.png").write_bytes(PIXEL)
    old = session.ask("/contents", path="code.py", side="old")
    new = session.ask("/contents", path="code.py", side="new")
    assert old["text"] == CODE
    assert new["text"] == CODE.replace("line 10\n", "line ten\n")
    image = session.ask("/contents", path="pixel.png")
    assert (image["media"], base64.b64decode(image["data"])) == ("image/png", PIXEL)


def test_a_link_out_of_the_worktree_is_not_followed(session: Reviewed) -> None:
    (session.worktree / "out").symlink_to("/etc")
    (session.worktree / "passwd").symlink_to("/etc/passwd")
    with pytest.raises(Refused):
        session.ask("/contents", path="out/passwd")
    assert session.ask("/contents", path="passwd")["text"] == "/etc/passwd"


def test_a_turn_and_the_uncommitted_work_are_something_to_compare_with(hub: RunningHub) -> None:
    made = hub.new(script(write("one.txt")))
    hub.wait_idle(made["id"])
    hub.say(made["id"], script(write("two.txt")))
    hub.wait_idle(made["id"])
    session = Reviewed(hub, made)
    eventually(lambda: "2" in {c["id"] for c in hub.get(f"/api/sessions/{session.id}/checkpoints")})
    assert list(session.files("turn:2")) == ["two.txt"]
    hub.git("add", "one.txt", cwd=session.worktree)
    hub.git("commit", "-q", "-m", "One", cwd=session.worktree)
    assert list(session.files("uncommitted")) == ["two.txt"]
    assert list(session.files("base")) == ["one.txt", "two.txt"]
    with pytest.raises(Refused, match="nothing to compare"):
        session.files("yesterday")


def test_a_viewed_box_unticks_when_the_file_changes_and_shows_what_changed(
    session: Reviewed,
) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    (session.worktree / "old_name.txt").unlink()
    session.view("code.py")
    session.view("old_name.txt")
    assert {f["viewed"] for f in session.files().values()} == {"yes"}
    session.edit("code.py", "line 30\n", "line thirty\n")
    assert session.files()["code.py"]["viewed"] == "changed"
    since = session.ask("/patches", path="code.py", against="viewed")["patch"]
    assert "+line thirty" in since
    assert "line ten\n" not in since.replace(" line ten", "")
    session.edit("code.py", "line thirty\n", "line 30\n")
    assert session.files()["code.py"]["viewed"] == "yes"
    session.do("viewed", path="code.py", viewed=False)
    assert session.files()["code.py"]["viewed"] == "no"


def test_what_changed_before_the_tick_is_not_ticked(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    seen = session.files()["code.py"]["new_blob"]
    session.edit("code.py", "line 30\n", "line thirty\n")
    with pytest.raises(Refused, match="changed while you looked"):
        session.do("viewed", path="code.py", blob=seen)


def test_viewed_contents_survive_a_garbage_collection(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    session.view("code.py")
    session.edit("code.py", "line 30\n", "line thirty\n")
    eventually(lambda: pool_is_full(session.hub))  # git refuses while a worktree is half made
    session.hub.git("gc", "-q", "--prune=now", cwd=session.worktree)
    assert "+line thirty" in session.ask("/patches", path="code.py", against="viewed")["patch"]


def revert(session: Reviewed, path: str, **more: object) -> None:
    file = session.files()[path]
    old = file["old_path"] or ""
    session.do("revert", path=path, blob=file["new_blob"], old_path=old, **more)


def test_a_hunk_goes_back_and_the_rest_stays(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\nline ten and a half\n")
    session.edit("code.py", "line 30\n", "")
    hunk = {"old_start": 10, "old_count": 1, "new_start": 10, "new_count": 2}
    revert(session, "code.py", hunk=hunk)
    assert (session.worktree / "code.py").read_text() == CODE.replace("line 30\n", "")
    revert(
        session,
        "code.py",
        hunk={"old_start": 30, "old_count": 1, "new_start": 29, "new_count": 0},
    )
    assert session.files() == {}


def test_whole_files_go_back_whatever_happened_to_them(session: Reviewed) -> None:
    tree = session.worktree
    (tree / "old_name.txt").rename(tree / "new_name.txt")
    (tree / "code.py").chmod(0o755)
    (tree / "flake.lock").unlink()
    (tree / "added.txt").write_text("x\n")
    for path in ("new_name.txt", "code.py", "flake.lock", "added.txt"):
        revert(session, path)
    assert session.files() == {}
    assert not (tree / "added.txt").exists()
    assert "change_reverted" in session.hub.types(session.id)


def test_line_endings_of_the_file_are_kept_by_a_hunk_that_goes_back(session: Reviewed) -> None:
    windows = CODE.replace("\n", "\r\n")
    (session.worktree / "code.py").write_bytes(windows.replace("line 10", "ten").encode())
    hunk = {"old_start": 10, "old_count": 1, "new_start": 10, "new_count": 1}
    revert(session, "code.py", hunk=hunk)
    assert (session.worktree / "code.py").read_bytes() == windows.encode()


def test_a_file_that_changed_under_the_view_is_left_alone(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    seen = session.files()["code.py"]["new_blob"]
    session.edit("code.py", "line 30\n", "line thirty\n")
    before = (session.worktree / "code.py").read_text()
    with pytest.raises(Refused, match="changed while you looked"):
        session.do("revert", path="code.py", blob=seen)
    assert (session.worktree / "code.py").read_text() == before


def test_what_was_reverted_is_in_the_checkpoint_made_first(session: Reviewed) -> None:
    session.edit("code.py", "line 10\n", "line ten\n")
    done = session.do("revert", path="code.py", blob=session.files()["code.py"]["new_blob"])
    assert session.files() == {}
    session.hub.act(session.id, "rewind", checkpoint=done["checkpoint"])
    assert "line ten" in (session.worktree / "code.py").read_text()
