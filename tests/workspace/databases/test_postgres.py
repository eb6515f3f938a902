"""Postgres: branches are whole, apart, ours, and the source is never touched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from manyhands.errors import DatabaseFailed, ManyhandsError, NotPossible
from manyhands.workspace.databases.names import Claim, claim_for, home_prefix
from manyhands.workspace.databases.postgres import PostgresSource
from manyhands.workspace.databases.source import SourceContext
from manyhands.workspace.repo_config import DatabaseTable
from tests.support.postgres import Postgres
from tests.workspace.databases.conftest import MakePlace

pytestmark = pytest.mark.xdist_group("postgres")
COUNT = "SELECT count(*) FROM people"


def source(postgres: Postgres, app: str, at: SourceContext, **more: str) -> PostgresSource:
    return PostgresSource(DatabaseTable(kind="postgres", url=postgres.url(app), **more), at)


def claim(at: SourceContext, slug: str = "fix-login") -> Claim:
    return claim_for(at.home.root, at.session, slug)


def test_a_branch_has_the_data_and_a_migration_in_it_is_seen_nowhere_else(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    one, two = make_place("s1"), make_place("s2")
    made = source(postgres, app, one).branch(claim(one))
    source(postgres, app, two).branch(claim(two))
    assert made.method == "template"
    first, second = claim(one).name, claim(two).name
    assert made.url == postgres.url(first)
    postgres.sql("ALTER TABLE people ADD COLUMN born int; DELETE FROM people", first)
    columns = "SELECT count(*) FROM information_schema.columns WHERE table_name = 'people'"
    assert (postgres.sql(COUNT, first), postgres.sql(columns, first)) == ("0", "2")
    for other in (second, app):
        assert (postgres.sql(COUNT, other), postgres.sql(columns, other)) == ("2", "1")


def test_a_source_that_somebody_uses_is_dumped_and_nobody_is_sent_away(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    with postgres.connect(app) as user:
        made = source(postgres, app, at).branch(claim(at))
        assert made.method == "dump"
        assert user.stdin is not None
        assert user.stdout is not None
        user.stdin.write(b"SELECT 'still here';\n")
        user.stdin.flush()
        assert user.stdout.readline() == b"still here\n"
        user.stdin.close()
        user.wait(30)
    assert postgres.sql(COUNT, claim(at).name) == "2"


def test_branching_again_keeps_what_the_session_did(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    data = source(postgres, app, at)
    data.branch(claim(at))
    postgres.sql("INSERT INTO people VALUES ('Mary')", claim(at).name)
    assert data.branch(claim(at)).method == "kept"
    assert postgres.sql(COUNT, claim(at).name) == "3"


def test_a_reset_starts_from_the_source_again_even_while_the_branch_is_in_use(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    data = source(postgres, app, at)
    data.branch(claim(at))
    postgres.sql("DROP TABLE people", claim(at).name)
    with postgres.connect(claim(at).name) as user:
        assert data.branch(claim(at), anew=True).method == "template"
        user.kill()
        user.communicate(timeout=120)
    assert postgres.sql(COUNT, claim(at).name) == "2"
    data.branch(claim(at), anew=True)
    assert postgres.sql(COUNT, claim(at).name) == "2"


def test_a_drop_is_done_once_and_harmless_twice(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    data = source(postgres, app, at)
    data.branch(claim(at))
    assert data.drop(claim(at)) is True
    assert data.drop(claim(at)) is False
    assert postgres.databases() >= {app}
    assert claim(at).name not in postgres.databases()


def test_a_half_made_branch_is_made_whole(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    postgres.sql(f"CREATE DATABASE {claim(at).name}")
    assert source(postgres, app, at).branch(claim(at)).method == "template"
    assert postgres.sql(COUNT, claim(at).name) == "2"


def test_a_database_of_somebody_else_under_our_name_is_left_alone(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    data = source(postgres, app, at)
    postgres.sql(f"CREATE DATABASE {claim(at).name}")
    postgres.sql(f"COMMENT ON DATABASE {claim(at).name} IS 'payroll'")
    for act in (data.branch, data.drop):
        with pytest.raises(NotPossible, match="not made for this session"):
            act(claim(at))
    with pytest.raises(NotPossible):
        data.branch(claim(at), anew=True)
    assert claim(at).name in postgres.databases()


def test_the_source_is_never_dropped_whatever_is_claimed(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    data = source(postgres, app, at)
    for act in (data.branch, data.drop):
        with pytest.raises(NotPossible, match="source itself"):
            act(Claim(app, "any"))
    with pytest.raises(NotPossible):
        source(postgres, app, at, template="other").drop(Claim("other", "any"))
    assert app in postgres.databases()


def test_a_template_other_than_the_source_can_be_named(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    postgres.sql("CREATE DATABASE seed")
    postgres.sql("CREATE TABLE people AS SELECT 'Only'::text AS name", "seed")
    source(postgres, app, at, template="seed").branch(claim(at))
    assert postgres.sql(COUNT, claim(at).name) == "1"


def test_many_sessions_at_once_all_get_their_own(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    places = [make_place(f"s{n}") for n in range(12)]
    with ThreadPoolExecutor(12) as pool:
        made = list(pool.map(lambda at: source(postgres, app, at).branch(claim(at)), places))
    assert len({m.url for m in made}) == 12
    prefix = home_prefix(places[0].home.root)
    listed = source(postgres, app, places[0]).branches(prefix)
    assert {b.name for b in listed} == {claim(at).name for at in places}
    assert all(b.mark and b.bytes for b in listed)


def test_a_role_that_may_not_create_databases_is_told_so(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    postgres.sql("DROP ROLE IF EXISTS plain; CREATE ROLE plain LOGIN PASSWORD 'word'")
    url = postgres.url(app, user="plain", password="word")
    with pytest.raises(DatabaseFailed) as caught:
        PostgresSource(DatabaseTable(kind="postgres", url=url), at).branch(claim(at))
    assert "permission denied" in caught.value.message
    assert "CREATEDB" in caught.value.hint


def test_a_role_that_does_not_own_the_source_gets_the_data_by_a_dump(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    postgres.sql("DROP ROLE IF EXISTS maker; CREATE ROLE maker LOGIN CREATEDB PASSWORD 'word'")
    postgres.sql("GRANT SELECT ON people TO maker", app)
    url = postgres.url(app, user="maker", password="word")
    data = PostgresSource(DatabaseTable(kind="postgres", url=url), at)
    assert data.branch(claim(at)).method == "dump"
    assert postgres.sql(COUNT, claim(at).name) == "2"
    data.drop(claim(at))


def test_a_dump_keeps_encoding_and_locale(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    like = "TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'sv-SE'"
    postgres.sql(f"CREATE DATABASE nordic {like}")
    with postgres.connect("nordic") as user:
        assert source(postgres, "nordic", at).branch(claim(at)).method == "dump"
        user.communicate(timeout=120)
    order = "SELECT string_agg(x, '' ORDER BY x) FROM unnest('{ö,z,a}'::text[]) x"
    assert postgres.sql(order, claim(at).name) == "azö"


def test_a_dump_that_fails_leaves_nothing_half_done(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    postgres.sql("DROP ROLE IF EXISTS blind; CREATE ROLE blind LOGIN CREATEDB PASSWORD 'word'")
    url = postgres.url(app, user="blind", password="word")
    with pytest.raises(DatabaseFailed, match="permission denied for table people"):
        PostgresSource(DatabaseTable(kind="postgres", url=url), at).branch(claim(at))
    assert claim(at).name not in postgres.databases()


def test_a_wrong_password_is_told_without_telling_it(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    table = DatabaseTable(kind="postgres", url=postgres.url(app, password="sesame-canary"))
    with pytest.raises(DatabaseFailed) as caught:
        PostgresSource(table, at).branch(claim(at))
    assert "password authentication failed" in caught.value.message
    assert "sesame-canary" not in str(caught.value) + caught.value.hint


def test_a_server_that_is_down_and_a_source_that_is_gone_are_named(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place()
    with pytest.raises(DatabaseFailed, match="nowhere"):
        source(postgres, "nowhere", at).branch(claim(at))
    table = DatabaseTable(kind="postgres", url="postgres://me@127.0.0.1:1/app")
    with pytest.raises(DatabaseFailed, match=r"127\.0\.0\.1:1"):
        PostgresSource(table, at).branch(claim(at))


def test_a_missing_program_is_named_with_the_way_to_get_it(
    postgres: Postgres,
    app: str,
    make_place: MakePlace,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    at = make_place()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DatabaseFailed, match="psql is not installed") as caught:
        source(postgres, app, at).branch(claim(at))
    assert "apt install" in caught.value.hint


def test_the_password_is_in_no_command_line(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    """The copy waits for a lock that the test holds, so its programs can be looked at."""
    at = make_place()
    with postgres.connect(app) as user:
        assert user.stdin is not None
        assert user.stdout is not None
        user.stdin.write(b"BEGIN; LOCK TABLE people; SELECT 'locked';\n")
        user.stdin.flush()
        assert user.stdout.readline() == b"locked\n"
        worker = threading.Thread(target=source(postgres, app, at).branch, args=(claim(at),))
        worker.start()
        lines = dump_command_lines(postgres, worker.is_alive)
        user.stdin.close()
        user.wait(30)
        worker.join(60)
    assert len(lines) >= 2
    assert not any(postgres.password in line or "p%40ss" in line for line in lines)
    assert postgres.sql(COUNT, claim(at).name) == "2"


def dump_command_lines(postgres: Postgres, copies: Callable[[], bool]) -> list[str]:
    """The command lines of our children, once the dump waits for the table."""
    waits = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    while postgres.sql(waits) == "0":
        assert copies()
    lines = []
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            lines.append(" ".join(child.cmdline()))
    return [line for line in lines if f":{postgres.port}" in line]


BRANCH = """
import sys
from pathlib import Path
from manyhands.config import Home, Neon
from manyhands.workspace.databases.names import claim_for
from manyhands.workspace.databases.postgres import PostgresSource
from manyhands.workspace.databases.source import SourceContext
from manyhands.workspace.repo_config import DatabaseTable
home, url = Home(Path(sys.argv[1])), sys.argv[2]
at = SourceContext(home, "s1", Path("/"), Path("/"), Neon())
PostgresSource(DatabaseTable(kind="postgres", url=url), at).branch(
    claim_for(home.root, "s1", "fix-login"))
"""


def test_a_kill_in_the_middle_of_a_copy_converges(
    postgres: Postgres, app: str, make_place: MakePlace
) -> None:
    at = make_place("s1")
    with postgres.connect(app) as user:
        assert user.stdin is not None
        assert user.stdout is not None
        user.stdin.write(b"BEGIN; LOCK TABLE people; SELECT 'locked';\n")
        user.stdin.flush()
        assert user.stdout.readline() == b"locked\n"
        words = [sys.executable, "-c", BRANCH, str(at.home.root), postgres.url(app)]
        killed = subprocess.Popen(words)
        assert dump_command_lines(postgres, lambda: killed.poll() is None)
        assert claim(at).name in postgres.databases()
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait(30)
        user.stdin.close()
        user.wait(30)
    assert source(postgres, app, at).branch(claim(at)).method in ("template", "dump")
    assert postgres.sql(COUNT, claim(at).name) == "2"


@pytest.mark.parametrize("slug", ["", "x" * 300, '"; DROP DATABASE postgres; --', "🙈", "a-b"])
def test_hostile_slugs_make_plain_names(slug: str, make_place: MakePlace) -> None:
    at = make_place()
    name = claim(at, slug).name
    assert name.isascii()
    assert len(name) <= 63
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_")
    assert name.startswith(home_prefix(at.home.root) + at.session)


def test_equal_slugs_of_200_sessions_make_200_names(make_place: MakePlace) -> None:
    home = make_place().home.root
    names = {claim_for(home, f"s{n:07}", "y" * 100).name for n in range(200)}
    assert len(names) == 200


def test_an_address_that_is_none_is_refused_without_repeating_it(make_place: MakePlace) -> None:
    for url in ("mysql://root:canary@h/db", "canary", "postgres://u:canary@h/?dbname=x"):
        with pytest.raises(ManyhandsError) as caught:
            PostgresSource(DatabaseTable(kind="postgres", url=url), make_place(f"s{len(url)}"))
        assert "canary" not in str(caught.value)
