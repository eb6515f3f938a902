"""Migrate the user model: asks one question, whose answer ends up in the migration."""

from __future__ import annotations

from manyhands.rehearsal.scenarios.scenario import (
    TESTS,
    Expected,
    Scenario,
    bash,
    edit,
    read,
    write,
)
from manyhands.rehearsal.script import Step, ToolCall

_QUESTION = "Existing users have no time zone yet. Which one should the migration give them?"

# The chosen label as Claude Code reports it; without one, the default named in the task.
_CHOSEN = {"$ZONE": r'(?:give them\?"="|in doubt, )([A-Za-z][\w+/-]*)'}

_MIGRATION = """\
-- People choose how they are called, and see times where they are.
ALTER TABLE users RENAME COLUMN name TO display_name;
ALTER TABLE users ADD COLUMN time_zone TEXT NOT NULL DEFAULT '$ZONE';
"""

_OLD_MODEL = """\
class User:
    id: int
    name: str
    email: str
"""

_NEW_MODEL = """\
class User:
    id: int
    display_name: str
    email: str
    time_zone: str = DEFAULT_TIME_ZONE
"""

_OLD_ADD = """\
    def add(self, name: str, email: str) -> User:
        try:
            with self._connection:
                cursor = self._connection.execute(
                    "INSERT INTO users (name, email) VALUES (?, ?)", (name, email)
                )
        except sqlite3.IntegrityError:
            raise EmailTaken(email) from None
        return User(cursor.lastrowid or 0, name, email)
"""

_NEW_ADD = """\
    def add(
        self, display_name: str, email: str, time_zone: str = DEFAULT_TIME_ZONE
    ) -> User:
        try:
            with self._connection:
                cursor = self._connection.execute(
                    "INSERT INTO users (display_name, email, time_zone) VALUES (?, ?, ?)",
                    (display_name, email, time_zone),
                )
        except sqlite3.IntegrityError:
            raise EmailTaken(email) from None
        return User(cursor.lastrowid or 0, display_name, email, time_zone)
"""

_NEW_TEST = '''\
"""An old database gets the new user schema without losing anybody."""

import sqlite3
import unittest

from waypost.database import MIGRATIONS, migrate
from waypost.users import DEFAULT_TIME_ZONE, User, Users


class UserMigrationTest(unittest.TestCase):
    def test_existing_users_keep_their_name_and_get_a_time_zone(self) -> None:
        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)
        connection.executescript((MIGRATIONS / "001_initial.sql").read_text())
        connection.execute("INSERT INTO users VALUES (1, 'Ada Lovelace', 'ada@example.com')")
        connection.execute("PRAGMA user_version = 1")

        migrate(connection)

        ada = User(1, "Ada Lovelace", "ada@example.com", DEFAULT_TIME_ZONE)
        self.assertEqual(Users(connection).find(1), ada)
'''

_OLD_APP = """\
        missing = missing_fields(given, ["name", "email"])
        if missing:
            return BAD_REQUEST, {"error": f"missing: {', '.join(missing)}"}
        try:
            user = self.users.add(given["name"], given["email"])
"""

_NEW_APP = """\
        missing = missing_fields(given, ["display_name", "email"])
        if missing:
            return BAD_REQUEST, {"error": f"missing: {', '.join(missing)}"}
        time_zone = given.get("time_zone") or DEFAULT_TIME_ZONE
        try:
            user = self.users.add(given["display_name"], given["email"], time_zone)
"""

_IMPORT = "from waypost.users import EmailTaken, Users\n"
_NEW_IMPORT = "from waypost.users import DEFAULT_TIME_ZONE, EmailTaken, Users\n"

_ASK = ToolCall(
    "AskUserQuestion",
    {
        "questions": [
            {
                "question": _QUESTION,
                "header": "Time zone",
                "multiSelect": False,
                "options": [
                    {
                        "label": "UTC",
                        "description": "Neutral; every user can change it later (recommended)",
                    },
                    {
                        "label": "Europe/Berlin",
                        "description": "Where most of today's users are",
                    },
                    {
                        "label": "America/New_York",
                        "description": "Matches the times in the current exports",
                    },
                ],
            }
        ]
    },
)

USER_MODEL = Scenario(
    title="Migrate the user model to the new schema",
    mode="auto",
    task=(
        "Users get a `display_name` instead of `name`, and a `time_zone`. Migrate the model, the"
        " API and existing data, and keep the tests green. Ask me about the time zone of existing"
        " users; if in doubt, UTC."
    ),
    steps=(
        Step(
            text="First the model, the schema, and everything that uses them.",
            tools=(
                *read("waypost/users.py", "migrations/001_initial.sql", "waypost/database.py"),
                bash(r"grep -rnE 'name\b' waypost tests --include='*.py'", "Find uses of name"),
            ),
        ),
        Step(
            thinking=(
                "Renaming the column is safe: SQLite rewrites references. The new column is NOT"
                " NULL, so existing rows need a default, and which one is not mine to guess."
            ),
            text=(
                "The rename is mechanical. The new column needs a value for everyone who is"
                " already here, and that is a product decision."
            ),
            tools=(_ASK,),
        ),
        Step(
            text="Going with `$ZONE`. The migration first: rename the column, add the new one.",
            tools=(write("migrations/002_user_display_name_and_time_zone.sql", _MIGRATION),),
            subst=_CHOSEN,
        ),
        Step(
            text="Now the model and its queries.",
            tools=(
                edit(
                    "waypost/users.py",
                    "class EmailTaken(ValueError):",
                    'DEFAULT_TIME_ZONE = "$ZONE"\n\n\nclass EmailTaken(ValueError):',
                ),
                edit("waypost/users.py", _OLD_MODEL, _NEW_MODEL),
                edit("waypost/users.py", _OLD_ADD, _NEW_ADD),
                edit(
                    "waypost/users.py",
                    '"SELECT id, name, email FROM users WHERE id = ?"',
                    '"SELECT id, display_name, email, time_zone FROM users WHERE id = ?"',
                ),
            ),
            subst=_CHOSEN,
        ),
        Step(tools=(bash(TESTS, "See what the rename breaks"),)),
        Step(
            text="As expected: the API and the onboarding messages still say `name`.",
            tools=read("waypost/app.py", "waypost/onboarding.py", "tests/test_app.py", "README.md"),
        ),
        Step(
            tools=(
                edit("waypost/app.py", _IMPORT, _NEW_IMPORT),
                edit("waypost/app.py", _OLD_APP, _NEW_APP),
                edit("waypost/onboarding.py", "name=user.name", "name=user.display_name"),
                edit("tests/test_app.py", 'ADA = {"name": "Ada', 'ADA = {"display_name": "Ada'),
                edit(
                    "tests/test_app.py",
                    '"POST", "/users", {"name": "Ada"}',
                    '"POST", "/users", {"display_name": "Ada"}',
                ),
                edit(
                    "README.md",
                    "`POST /users` with `name`, `email`",
                    "`POST /users` with `display_name`, `email`, optional `time_zone`",
                ),
            ),
        ),
        Step(
            text="The migration itself deserves a test: an old database with somebody in it.",
            tools=(write("tests/test_user_migration.py", _NEW_TEST),),
        ),
        Step(tools=(bash(TESTS, "Run the whole suite"),)),
        Step(
            text=(
                "The user model is on the new schema, and the suite is green.\n\n"
                "- `migrations/002_…` renames `name` to `display_name` and adds `time_zone`,"
                " `$ZONE` for everyone who is already here.\n"
                "- `POST /users` takes `display_name` and, optionally, `time_zone`.\n"
                "- `tests/test_user_migration.py` migrates an old database and finds Ada.\n\n"
                "One thing to know: clients that still send `name` now get a 400 that names the"
                " missing field."
            ),
            subst=_CHOSEN,
        ),
    ),
    answers={"question": "UTC"},
    expected=Expected(
        files={
            "migrations/002_user_display_name_and_time_zone.sql": (
                "RENAME COLUMN name TO display_name",
                "DEFAULT 'UTC'",
            ),
            "waypost/users.py": ('DEFAULT_TIME_ZONE = "UTC"', "display_name: str"),
            "waypost/app.py": ('given["display_name"]',),
            "waypost/onboarding.py": ("user.display_name",),
            "tests/test_user_migration.py": ("UserMigrationTest",),
        }
    ),
)
