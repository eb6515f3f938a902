"""`.env` files: one variable changes, all else and every original stays byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.workspace.databases.dotenv import point_at, variable_in, with_variable
from manyhands.workspace.databases.psql import parse_address
from tests.workspace.databases.conftest import MakePlace, git

OLD = "postgres://me:secret@db.example.invalid:5432/app?schema=public"
NEW = "postgres://me:secret@db.example.invalid:5432/mh_1?schema=public"


def point(worktree: Path, new: str = NEW) -> list[str]:
    return point_at(worktree, "DATABASE_URL", new, others={OLD}, prefix="mh_")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("DATABASE_URL=plain", "plain"),
        ("DATABASE_URL = spaced ", "spaced"),
        ('export DATABASE_URL="quoted # not a comment"', "quoted # not a comment"),
        ("DATABASE_URL='single' # comment", "single"),
        ("DATABASE_URL=a#b # comment", "a#b"),
        ("DATABASE_URL=crlf\r", "crlf"),
        ("DATABASE_URL=first\nDATABASE_URL=second", "second"),
        ("DATABASE_URL=", ""),
        ("# DATABASE_URL=no\nMY_DATABASE_URL=no\nDATABASE_URL_2=no", None),
    ],
)
def test_a_variable_is_read_as_dotenv_does(line: str, value: str | None) -> None:
    assert variable_in(f"A=1\n{line}\nB=2\n", "DATABASE_URL") == value


@given(value=st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x00"), max_size=40))
def test_what_is_set_is_what_is_read(value: str) -> None:
    text = with_variable("A=1\r\nexport KEY='old' # why\r\nB=2", "KEY", value.strip())
    assert variable_in(text, "KEY") == value.strip()
    assert text.startswith("A=1\r\nexport KEY=")
    assert text.endswith("\r\nB=2")


def test_the_copied_files_are_changed_and_nothing_else(make_place: MakePlace) -> None:
    at = make_place()
    top = at.worktree
    (top / ".env").write_text(f"A=1\nDATABASE_URL={OLD}\n")
    (top / ".env.local").write_text(f'DATABASE_URL="{OLD}"\n')
    (top / ".env.test").write_text("DATABASE_URL=postgres://h/tests\n")
    (top / ".env.example").write_text(f"DATABASE_URL={OLD}\n")
    git(top, "add", "-f", ".env.example")
    (top / "apps" / "web").mkdir(parents=True)
    (top / "apps" / "web" / ".env").write_text(f"DATABASE_URL={OLD}\n")
    (top / "node_modules" / "x").mkdir(parents=True)
    (top / "node_modules" / "x" / ".env").write_text(f"DATABASE_URL={OLD}\n")
    assert sorted(point(top)) == [".env", ".env.local", "apps/web/.env"]
    assert (top / ".env").read_text() == f"A=1\nDATABASE_URL={NEW}\n"
    assert "tests" in (top / ".env.test").read_text()
    assert OLD in (top / ".env.example").read_text()
    assert point(top) == []


def test_a_link_is_replaced_and_what_it_led_to_stays(make_place: MakePlace) -> None:
    at = make_place()
    original = at.repo / ".env"
    original.write_text(f"DATABASE_URL={OLD}\n")
    original.chmod(0o600)
    (at.worktree / ".env").symlink_to(original)
    (at.worktree / ".env.local").hardlink_to(original)
    assert point(at.worktree) == [".env", ".env.local"]
    assert original.read_text() == f"DATABASE_URL={OLD}\n"
    for name in (".env", ".env.local"):
        assert NEW in (at.worktree / name).read_text()
        assert (at.worktree / name).stat().st_mode & 0o777 == 0o600


def test_a_forks_files_that_name_another_branch_are_pointed_at_its_own(
    make_place: MakePlace,
) -> None:
    at = make_place()
    (at.worktree / ".env.local").write_text("DATABASE_URL=postgres://h/mh_parent\n")
    assert point(at.worktree) == [".env.local"]


def test_binary_huge_and_broken_files_are_left_alone(make_place: MakePlace) -> None:
    at = make_place()
    (at.worktree / ".env").write_bytes(b"DATABASE_URL=\xff\xfe\n")
    (at.worktree / ".env.big").write_bytes(b"DATABASE_URL=x\n" + b"#" * 2**21)
    (at.worktree / ".env.dir").mkdir()
    (at.worktree / ".env.gone").symlink_to("nowhere")
    assert point(at.worktree) == []


@pytest.mark.parametrize(
    ("url", "other", "libpq"),
    [
        ("postgres://h/app", "postgres://h/x", "postgresql://h/x"),
        (
            "postgresql+asyncpg://u:p@h:1/app",
            "postgresql+asyncpg://u:p@h:1/x",
            "postgresql://u@h:1/x",
        ),
        (
            "postgres://u:p%40@[::1]/a%20b?schema=s&sslmode=require#f".partition("#")[0],
            "postgres://u:p%40@[::1]/x?schema=s&sslmode=require",
            "postgresql://u@[::1]/x?sslmode=require",
        ),
        (
            "postgresql:///app?host=/run/pg&password=p",
            "postgresql:///x?host=/run/pg&password=p",
            "postgresql:///x?host=%2Frun%2Fpg",
        ),
    ],
)
def test_an_address_changes_in_its_database_alone(url: str, other: str, libpq: str) -> None:
    address = parse_address(url)
    assert address.of("x") == other
    assert address.libpq("x") == libpq
    assert "p@" not in libpq
