"""Nothing that a push holds can hide a secret in it from the scan."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from manyhands.forges import scan as module
from manyhands.forges.scan import scan
from manyhands.git.diff import outgoing
from manyhands.git.diff.outgoing import Added, Outgoing, load_outgoing
from manyhands.model.ids import Oid
from manyhands.model.landing.events import ScanFinding
from manyhands.model.redaction.row import Row
from manyhands.model.redaction.table import TABLE
from tests.support.samples import commit_all, git, write

TOKEN = "ghp" + "_z7Kq9Lm2xR4vT8wY1bN5cD3fG6hJ0pSxY01"
LARGEST = 10_000_000


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """One whose remote has its first commit."""
    repo = tmp_path / "repo"
    git(tmp_path, "init", "-q", "-b", "main", repo)
    write(repo, {"a.txt": "one\n"})
    commit_all(repo)
    git(tmp_path, "init", "-q", "--bare", tmp_path / "far")
    git(repo, "remote", "add", "origin", tmp_path / "far")
    git(repo, "push", "-q", "origin", "main")
    return repo


def found(repo: Path, known: tuple[str, ...] = ()) -> list[ScanFinding]:
    tip = Oid(git(repo, "rev-parse", "HEAD"))
    return scan(tip, load_outgoing(repo, "origin", tip), largest=LARGEST, known=known)


def test_no_attribute_and_no_zero_byte_hides_a_secret(repo: Path) -> None:
    write(repo, {".gitattributes": "*.bin -diff\n*.dat binary\n", "x.bin": f"k\n{TOKEN}\n"})
    write(repo, {"y.dat": f"k {TOKEN}1\n", "z.txt": b"\0\n" + TOKEN.encode() + b"2\n"})
    write(repo, {"plain.png": b"\x89PNG\0\1\2" + TOKEN.encode() + b"3\0"})
    commit_all(repo)
    places = {(f.path, f.line, f.detail) for f in found(repo) if f.kind == "secret"}
    assert places == {
        ("x.bin", 2, "a GitHub token"),
        ("y.dat", 1, "a GitHub token"),
        ("z.txt", 2, "a GitHub token"),
        ("plain.png", 1, "a GitHub token"),
    }


def test_what_was_added_and_removed_again_is_seen(repo: Path) -> None:
    write(repo, {"b.txt": TOKEN})
    commit_all(repo)
    (repo / "b.txt").unlink()
    commit_all(repo)
    assert [(f.path, f.kind) for f in found(repo)] == [("b.txt", "secret")]


def test_messages_authors_and_names_are_looked_at(repo: Path) -> None:
    write(repo, {f"notes-{TOKEN}.txt": "x\n"})
    commit_all(repo, f"a note\n\nwith {TOKEN}2 in it")
    git(repo, "-c", f"user.name={TOKEN}3", "commit", "-q", "--allow-empty", "-m", "by whom")
    details = sorted(f.detail.split(" of commit")[0] for f in found(repo))
    assert details == [
        "a GitHub token in the file's name",
        "a GitHub token in the message or author",
        "a GitHub token in the message or author",
    ]


def test_a_value_that_is_secret_here_is_one_whatever_it_looks_like(repo: Path) -> None:
    write(repo, {"c.txt": "it is fluffy-bunny-slippers\n"})
    commit_all(repo)
    assert not found(repo)
    [one] = found(repo, ("fluffy-bunny-slippers",))
    assert one.detail == "a value that is secret here"


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.yml",
        ".gitea/workflows/ci.yaml",
        ".forgejo/workflows/ci.yml",
        ".gitlab-ci.yml",
        ".gitlab/ci/test.yml",
        "templates/test.gitlab-ci.yml",
    ],
)
def test_what_a_forge_runs_needs_a_yes(repo: Path, path: str) -> None:
    write(repo, {path: "run: it\n", ".gitlab/issue_templates/bug.md": "What?\n"})
    commit_all(repo)
    assert [(one.kind, one.path) for one in found(repo)] == [("workflow", path)]


def test_many_other_findings_leave_no_secret_out(repo: Path) -> None:
    write(repo, {f".github/workflows/{n}.yml": "on: push\n" for n in range(150)})
    write(repo, {"z.txt": TOKEN})
    commit_all(repo)
    listed = found(repo)
    assert listed[0].path == "z.txt"
    assert len(listed) == module.MOST + 1
    assert "51 more findings" in listed[-1].detail, "and these need a yes of their own"
    assert listed[-1].kind == "secret"


def test_what_is_too_much_to_look_through_is_a_finding(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outgoing, "PATCH_LIMIT", 1000)
    write(repo, {"big.txt": "word\n" * 1000})
    commit_all(repo)
    assert ["too much to look through" in f.detail for f in found(repo)] == [True]


@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.kind)
def test_the_scan_reads_the_table_of_redaction(row: Row) -> None:
    out = Outgoing(1, (), (Added("f", 7, f"x\n{row.sample}"),), (), cut=False)
    kinds = {f.detail for f in scan(Oid("0" * 40), out, largest=LARGEST)}
    assert row.kind in kinds


def test_its_time_grows_with_the_push_and_no_faster() -> None:
    def cost(times: int) -> float:
        out = Outgoing(1, (), (Added("f", 1, f"{TOKEN} " * times),), (), cut=False)
        began = time.process_time()
        scan(Oid("0" * 40), out, largest=LARGEST)
        return time.process_time() - began

    short = min(cost(500) for _ in range(3))
    assert cost(4000) < 24 * max(short, 0.002)
