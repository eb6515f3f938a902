"""Databases of real sessions: made by the saga, pointed at, reset, kept, let go and found."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from manyhands.workspace.databases.names import home_prefix
from tests.support.console import Console
from tests.support.driver import Refused, RunningHub, bash, eventually, of_type, script
from tests.support.neon_description import Description
from tests.support.neon_server import KEY, PROJECT, neon_server
from tests.support.postgres import Postgres

pytestmark = pytest.mark.xdist_group("postgres")
COUNT = "SELECT count(*) FROM people"
PRINT_URL = '[setup]\nrun = ["printenv > $PWD/printed.ignored"]\n'


class DatabaseHub(RunningHub):
    """A hub whose repository has a database; `more` is its own part of the environment."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.more: dict[str, str] = {}

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, **self.more}

    def begin(self, toml: str, url: str = "") -> None:
        """The repository is trusted with `toml` in it, and `url` in the .env of its checkout."""
        self.start()
        self.make_repo(trust=False)
        (self.repo / ".manyhands.toml").write_text(toml)
        if url:
            (self.repo / ".env").write_text(f"OTHER=1\nDATABASE_URL={url}\n")
        self.git("add", "-A", cwd=self.repo)
        self.git("commit", "-q", "-m", "Config", cwd=self.repo)
        self.post("/api/repos/trust", {"path": str(self.repo)})

    def session(self, name: str = "One") -> Any:
        made = self.new("", name=name, start=False)
        [at_rest] = self.wait_idle(made["id"])
        return at_rest

    def env_of(self, session: Any) -> str:
        return (Path(session["worktree"]) / ".env").read_text()

    def leaks(self) -> list[Any]:
        return [f for f in self.get("/api/doctor") if f["check"] == "database" and not f["ok"]]


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[DatabaseHub]:
    hub = DatabaseHub(tmp_path / "hub")
    try:
        yield hub
    finally:
        hub.close()


@pytest.fixture
def with_postgres(hub: DatabaseHub, postgres: Postgres, app: str) -> DatabaseHub:
    hub.begin(f'[database]\nkind = "postgres"\n{PRINT_URL}', postgres.url(app))
    return hub


def test_a_session_gets_its_own_database_in_env_file_and_environment(
    with_postgres: DatabaseHub, postgres: Postgres, app: str
) -> None:
    hub = with_postgres
    before = (hub.repo / ".env").read_bytes()
    one, two = hub.session("One"), hub.session("Two")
    names = [s["database"]["name"] for s in (one, two)]
    assert len(set(names)) == 2
    for session, name in zip((one, two), names, strict=True):
        assert hub.env_of(session) == f"OTHER=1\nDATABASE_URL={postgres.url(name)}\n"
        printed = (Path(session["worktree"]) / "printed.ignored").read_text()
        assert f"DATABASE_URL={postgres.url(name)}\n" in printed
        assert session["database"] == {
            "kind": "postgres",
            "name": name,
            "place": f"127.0.0.1:{postgres.port}",
            "ready": True,
        }
    postgres.sql("DROP TABLE people", names[0])
    assert (postgres.sql(COUNT, names[1]), postgres.sql(COUNT, app)) == ("2", "2")
    assert (hub.repo / ".env").read_bytes() == before
    assert [d["name"] for d in hub.get("/api/databases")] == names
    [branched] = of_type(hub.events(one["id"]), "database_branched")
    assert branched["method"] == "template"


def test_the_agent_sees_the_sessions_database(
    hub: DatabaseHub, postgres: Postgres, app: str
) -> None:
    hub.start_model()
    hub.begin('[database]\nkind = "postgres"\n', postgres.url(app))
    made = hub.new(script(bash("echo $DATABASE_URL > told.ignored")), name="Ask")
    [session] = hub.wait_idle(made["id"])
    told = (Path(session["worktree"]) / "told.ignored").read_text().strip()
    assert told == postgres.url(session["database"]["name"])


@pytest.mark.parametrize(
    "point", ["before:create.database", "done:create.database", "after:create.database"]
)
def test_a_hub_that_dies_around_the_step_converges(
    with_postgres: DatabaseHub, postgres: Postgres, point: str
) -> None:
    hub = with_postgres
    hub.fate.write_text(point)
    made = hub.new("", name="Cut off", start=False, detach=True)
    assert hub.process is not None
    hub.process.communicate(timeout=60)
    hub.fate.unlink()
    hub.start()
    [session] = hub.wait_idle(made["id"])
    ours = {n for n in postgres.databases() if n.startswith(home_prefix(hub.home.root))}
    assert ours == {session["database"]["name"]}
    assert postgres.sql(COUNT, session["database"]["name"]) == "2"
    assert postgres.url(session["database"]["name"]) in hub.env_of(session)


def test_a_failed_branch_says_which_step_and_why_and_can_be_retried(
    hub: DatabaseHub, postgres: Postgres, app: str
) -> None:
    hub.begin('[database]\nkind = "postgres"\n', postgres.url(app, password="wrong-canary"))
    failed = hub.new("", name="One", start=False)
    assert failed["status"] == "failed"
    assert "password authentication failed" in failed["error"]
    assert "canary" not in json.dumps(hub.events(failed["id"]))
    (hub.repo / ".env").write_text(f"DATABASE_URL={postgres.url(app)}\n")
    hub.act(failed["id"], "resume")
    [session] = hub.wait_idle(failed["id"])
    assert session["database"]["ready"]
    assert postgres.url(session["database"]["name"]) in hub.env_of(session)


def test_reset_drop_and_list_by_the_command_line_are_idempotent(
    with_postgres: DatabaseHub, postgres: Postgres, app: str
) -> None:
    hub = with_postgres
    name = hub.session("One")["database"]["name"]

    console = Console(hub.home.root, hub.repo)
    console.variables = hub.environment

    def cli(*words: str) -> Any:
        return console.json("db", *words)

    assert [(d["name"], d["ready"]) for d in cli("list", "one")] == [(name, True)]
    postgres.sql("DELETE FROM people", name)
    for _ in range(2):
        assert cli("reset", "one")["name"] == name
        assert postgres.sql(COUNT, name) == "2"
    assert cli("drop", "one")["ready"] is False
    assert cli("drop", "one") is None
    assert name not in postgres.databases()
    assert cli("list", "one") == []
    assert cli("reset", "one")["name"] == name
    assert postgres.sql(COUNT, name) == "2"
    assert postgres.sql(COUNT, app) == "2"
    assert hub.leaks() == []


def test_an_archive_keeps_the_data_a_restore_finds_it_and_a_removal_lets_it_go(
    with_postgres: DatabaseHub, postgres: Postgres, app: str
) -> None:
    hub = with_postgres
    session = hub.session("One")
    id, name = session["id"], session["database"]["name"]
    postgres.sql("INSERT INTO people VALUES ('mine')", name)
    plan = hub.act(id, "archive", dry_run=False)
    assert any(name in kept["what"] for kept in plan["kept"])
    assert postgres.sql(COUNT, name) == "3"
    with pytest.raises(Refused, match="archived"):
        hub.act(id, "db/reset")
    hub.act(id, "restore")
    assert postgres.url(name) in hub.env_of(session)
    assert postgres.sql(COUNT, name) == "3"
    plan = hub.act(id, "rm", yes=True)
    assert any(name in lost["what"] for lost in plan["lost"])
    assert name not in postgres.databases()
    assert app in postgres.databases()
    assert hub.leaks() == []


def test_what_a_removal_had_to_leave_is_found_by_doctor_and_dropped_by_its_name(
    with_postgres: DatabaseHub, postgres: Postgres, app: str
) -> None:
    hub = with_postgres
    leaked = hub.session("One")
    kept = hub.session("Two")["database"]["name"]
    name = leaked["database"]["name"]
    postgres.stop()
    try:
        hub.act(leaked["id"], "rm", yes=True)
        [silent] = hub.leaks()
        assert "could not be asked" in silent["detail"]
    finally:
        postgres.start()
    [found] = hub.leaks()
    assert name in found["detail"]
    assert f"manyhands db drop {name}" in found["fix"]
    for other in (kept, app, "postgres", f"{home_prefix(hub.home.root)}nobody_x"):
        with pytest.raises(Refused):
            hub.post("/api/databases/drop", {"name": other})
    assert {kept, app} <= postgres.databases()
    assert hub.post("/api/databases/drop", {"name": name})["name"] == name
    assert hub.leaks() == []
    assert name not in postgres.databases()


def test_another_homes_branches_are_no_leaks_of_ours(
    with_postgres: DatabaseHub, postgres: Postgres
) -> None:
    hub = with_postgres
    other = home_prefix(Path("/another/home")) + "abc_fix"
    postgres.sql(f"CREATE DATABASE {other}")
    postgres.sql("CREATE DATABASE mh_of_somebody")
    assert hub.leaks() == []
    with pytest.raises(Refused):
        hub.post("/api/databases/drop", {"name": other})


def test_no_password_is_stored_in_the_log(with_postgres: DatabaseHub, postgres: Postgres) -> None:
    hub = with_postgres
    session = hub.session("One")
    hub.act(session["id"], "db/reset")
    hub.terminate()
    secrets = [postgres.password, postgres.url("").split(":")[2].split("@")[0]]
    for path in (hub.home.store, *hub.home.root.glob("store.db-*"), *hub.home.logs.iterdir()):
        held = path.read_bytes()
        assert not any(word.encode() in held for word in secrets), path
    private = hub.home.sessions / session["id"] / "database.json"
    assert private.stat().st_mode & 0o777 == 0o600


def test_a_config_that_the_agent_changed_is_not_followed(
    with_postgres: DatabaseHub, postgres: Postgres
) -> None:
    hub = with_postgres
    session = hub.session("One")
    changed = '[database]\nkind = "postgres"\ntemplate = "postgres"\n'
    (Path(session["worktree"]) / ".manyhands.toml").write_text(changed)
    postgres.sql("DELETE FROM people", session["database"]["name"])
    with pytest.raises(Refused) as refused:
        hub.act(session["id"], "db/reset")
    assert refused.value.code == "not_trusted"
    assert postgres.sql(COUNT, session["database"]["name"]) == "0"
    assert hub.act(session["id"], "db/drop")["name"] == session["database"]["name"]


def test_a_session_in_the_main_checkout_keeps_the_source(
    with_postgres: DatabaseHub, postgres: Postgres, app: str
) -> None:
    hub = with_postgres
    made = hub.new("", name="Here", start=False, in_place=True)
    [session] = hub.wait_idle(made["id"])
    assert session["database"] is None
    assert postgres.url(app) in (hub.repo / ".env").read_text()
    with pytest.raises(Refused, match="main checkout"):
        hub.act(session["id"], "db/reset")
    assert hub.act(session["id"], "db/drop") is None


def test_a_repository_without_a_database_says_so(hub: DatabaseHub) -> None:
    hub.begin("")
    session = hub.session("One")
    assert session["database"] is None
    assert "step_started" in hub.types(session["id"])
    assert "database" not in [
        ev["step"] for ev in of_type(hub.events(session["id"]), "step_started")
    ]
    assert hub.get(f"/api/sessions/{session['id']}/db") == []
    with pytest.raises(Refused, match="no database to branch"):
        hub.act(session["id"], "db/reset")


def test_an_sqlite_file_comes_along_and_goes_with_the_session(hub: DatabaseHub) -> None:
    hub.begin('[database]\nkind = "sqlite"\nsource = "dev.ignored"\n')
    db = sqlite3.connect(hub.repo / "dev.ignored")
    db.executescript(
        "PRAGMA journal_mode=wal; CREATE TABLE people(name); INSERT INTO people VALUES (1)"
    )
    db.commit()
    session = hub.session("One")
    file = Path(session["worktree"]) / "dev.ignored"
    assert session["database"]["place"] == str(file)

    def rows() -> int:
        mine = sqlite3.connect(file)
        try:
            found: int = mine.execute("SELECT count(*) FROM people").fetchone()[0]
            mine.execute("INSERT INTO people VALUES (2)")
            mine.commit()
            return found
        finally:
            mine.close()

    assert [rows(), rows()] == [1, 2]
    hub.act(session["id"], "db/reset")
    assert [rows(), rows()] == [1, 2]
    hub.act(session["id"], "archive", dry_run=False)
    hub.act(session["id"], "restore")
    assert rows() == 3
    hub.act(session["id"], "db/drop")
    assert not file.exists()
    assert db.execute("SELECT count(*) FROM people").fetchone() == (1,)
    db.close()
    hub.act(session["id"], "rm", yes=True)


def test_neon_from_the_config_to_the_sessions_environment(
    hub: DatabaseHub,
) -> None:
    """The key is the hub's alone: nothing that runs for a session is given it."""
    with neon_server(Description()) as neon:
        hub.more = {"MY_NEON_KEY": KEY}
        hub.configure(f'[neon]\napi = "{neon.url}"\nkey = "env:MY_NEON_KEY"\n')
        hub.begin(f'[database]\nkind = "neon"\nproject = "{PROJECT}"\n{PRINT_URL}')
        session = hub.session("One")
        id = next(i for i in neon.branches if i != "br-main")
        printed = (Path(session["worktree"]) / "printed.ignored").read_text()
        uri = f"postgresql://casey:npg_secret@ep-{id}.neon.invalid/appdb"
        assert f"DATABASE_URL={uri}\n" in printed
        assert KEY not in printed
        assert "npg_secret" not in json.dumps(hub.events(session["id"]))
        neon.data[id].append("mine")
        hub.act(session["id"], "db/reset")
        assert neon.data[id] == ["Ada"]
        assert hub.leaks() == []
        hub.act(session["id"], "rm", yes=True)
        assert list(neon.branches) == ["br-main"]
        neon.answer(
            "POST",
            f"/projects/{PROJECT}/branches",
            {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"},
            {
                "branch": {"name": session["database"]["name"]},
                "annotation_value": {
                    "manyhands": f"manyhands {home_prefix(hub.home.root)}{session['id']}"
                },
            },
        )
        [found] = hub.leaks()
        assert session["database"]["name"] in found["detail"]
        hub.post("/api/databases/drop", {"name": session["database"]["name"]})
        eventually(lambda: list(neon.branches) == ["br-main"])
