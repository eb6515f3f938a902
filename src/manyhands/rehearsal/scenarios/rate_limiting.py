"""Add rate limiting: proposes a plan, waits, then builds what was approved."""

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

# Claude Code names the file that a plan belongs into in a note to the model.
_PLAN_FILE = {"$PLAN": r"(/\S+/plans/[\w.-]+\.md)"}

_PLAN = """\
# Rate limiting for the API

**Goal:** one client cannot slow down everybody else; a client that goes too fast is told when
to come back.

1. `waypost/rate_limit.py`: a token bucket per client address. It allows short bursts and needs
   neither a background thread nor a new dependency. The clock is a parameter, so tests never
   sleep.
2. `waypost/settings.py`: `WAYPOST_REQUESTS_PER_MINUTE`, 120 by default.
3. `waypost/app.py`: check before routing; over the limit the answer is `429` with `Retry-After`.
   `GET /health` stays unlimited for the load balancer.
4. `tests/test_rate_limit.py`: burst, refill, separate clients, health, and the header.

**Not included:** limits shared between processes. With one process per machine the limit holds
per machine, which is enough for now.
"""

_LIMITER = '''\
"""A token bucket per client: short bursts pass, steady floods do not."""

from __future__ import annotations

import time
from typing import Callable, Dict, Tuple


class RateLimiter:
    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._capacity = float(per_minute)
        self._per_second = per_minute / 60
        self._clock = clock
        self._buckets: Dict[str, Tuple[float, float]] = {}

    def wait_for(self, client: str) -> float:
        """Take a token; 0 if there was one, else the seconds until there is."""
        now = self._clock()
        tokens, since = self._buckets.get(client, (self._capacity, now))
        tokens = min(self._capacity, tokens + (now - since) * self._per_second)
        if tokens < 1:
            self._buckets[client] = (tokens, now)
            return (1 - tokens) / self._per_second
        self._buckets[client] = (tokens - 1, now)
        return 0.0
'''

_TESTS = """\
import unittest

from tests.client import Client
from waypost.rate_limit import RateLimiter


class RateLimiterTest(unittest.TestCase):
    def setUp(self) -> None:
        self.now = 0.0
        self.limiter = RateLimiter(per_minute=2, clock=lambda: self.now)

    def test_a_burst_up_to_the_limit_passes(self) -> None:
        self.assertEqual([self.limiter.wait_for("ada") for _ in range(2)], [0, 0])

    def test_over_the_limit_it_says_how_long_to_wait(self) -> None:
        self.limiter.wait_for("ada")
        self.limiter.wait_for("ada")
        self.assertEqual(self.limiter.wait_for("ada"), 30)

    def test_tokens_come_back_with_time(self) -> None:
        self.limiter.wait_for("ada")
        self.limiter.wait_for("ada")
        self.now = 30.0
        self.assertEqual(self.limiter.wait_for("ada"), 0)

    def test_clients_do_not_share_a_bucket(self) -> None:
        self.limiter.wait_for("ada")
        self.limiter.wait_for("ada")
        self.assertEqual(self.limiter.wait_for("grace"), 0)


class RateLimitedAppTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client()
        self.addCleanup(self.client.close)
        self.client.app.limiter = RateLimiter(per_minute=1, clock=lambda: 0.0)

    def test_a_client_over_the_limit_gets_429(self) -> None:
        self.assertEqual(self.client.request("GET", "/search?q=x")[0], 200)
        status, answer = self.client.request("GET", "/search?q=x")
        self.assertEqual((status, answer["error"]), (429, "too many requests"))

    def test_health_is_never_limited(self) -> None:
        answers = [self.client.request("GET", "/health")[0] for _ in range(3)]
        self.assertEqual(answers, [200, 200, 200])
"""

_OLD_CALL = """\
        status, body = self.answer(environ)
        start_response(status, [("Content-Type", "application/json")])
        return [json.dumps(body).encode()]
"""

_NEW_CALL = """\
        headers = [("Content-Type", "application/json")]
        wait = self.wait_for(environ)
        if wait:
            headers.append(("Retry-After", str(math.ceil(wait))))
            status, body = TOO_MANY_REQUESTS, {"error": "too many requests"}
        else:
            status, body = self.answer(environ)
        start_response(status, headers)
        return [json.dumps(body).encode()]

    def wait_for(self, environ: Environ) -> float:
        if environ["PATH_INFO"] == "/health":
            return 0.0
        return self.limiter.wait_for(environ.get("REMOTE_ADDR", ""))
"""

_OLD_INIT = """\
    def __init__(self, connection: sqlite3.Connection) -> None:
        self.users = Users(connection)
"""

_NEW_INIT = """\
    def __init__(self, connection: sqlite3.Connection, per_minute: int) -> None:
        self.limiter = RateLimiter(per_minute)
        self.users = Users(connection)
"""

_OLD_CREATE = """\
def create_app(database: str) -> App:
    return App(connect(database))
"""

_NEW_CREATE = """\
def create_app(database: str, per_minute: int = Settings.requests_per_minute) -> App:
    return App(connect(database), per_minute)
"""

_OLD_MAIN = (
    "    with make_server(settings.host, settings.port, create_app(settings.database)) as server:\n"
)
_NEW_MAIN = """\
    app = create_app(settings.database, settings.requests_per_minute)
    with make_server(settings.host, settings.port, app) as server:
"""

_OLD_SENDER = '        sender=environ.get("WAYPOST_SENDER", defaults.sender),\n'
_NEW_SENDER = (
    _OLD_SENDER
    + """\
        requests_per_minute=int(
            environ.get("WAYPOST_REQUESTS_PER_MINUTE", defaults.requests_per_minute)
        ),
"""
)
_OLD_FIELD = '    sender: str = "hello@waypost.example"\n'

_APP = "waypost/app.py"
_SETTINGS = "waypost/settings.py"

RATE_LIMITING = Scenario(
    title="Add rate limiting to the API",
    mode="plan",
    task=(
        "One client hammering the API slows everybody down. Add rate limiting per client. Show me"
        " a plan before you change anything."
    ),
    steps=(
        Step(
            text="I'll look at how a request travels through the app before I propose anything.",
            tools=read(_APP, _SETTINGS, "tests/client.py"),
        ),
        Step(
            thinking=(
                "One WSGI callable, one place to put the check. A token bucket forgives short"
                " bursts, a fixed window does not. Health checks must not count."
            ),
            text=(
                "There is a single entry point, so one check before routing covers every route."
                " I'm writing the plan down."
            ),
            tools=(write("$PLAN", _PLAN),),
            subst=_PLAN_FILE,
        ),
        Step(tools=(ToolCall("ExitPlanMode"),)),
        Step(
            text="Thanks. The limiter first; it knows nothing of HTTP.",
            tools=(write("waypost/rate_limit.py", _LIMITER),),
        ),
        Step(
            text="The setting, and then the app.",
            tools=(
                edit(_SETTINGS, _OLD_FIELD, f"{_OLD_FIELD}    requests_per_minute: int = 120\n"),
                edit(_SETTINGS, _OLD_SENDER, _NEW_SENDER),
            ),
        ),
        Step(
            tools=(
                edit(
                    _APP,
                    "import json\nimport sqlite3\n",
                    "import json\nimport math\nimport sqlite3\n",
                ),
                edit(
                    _APP,
                    "from waypost.search import search\n"
                    "from waypost.settings import load_settings\n",
                    "from waypost.rate_limit import RateLimiter\n"
                    "from waypost.search import search\n"
                    "from waypost.settings import Settings, load_settings\n",
                ),
                edit(
                    _APP,
                    'CONFLICT = "409 Conflict"\n',
                    'CONFLICT = "409 Conflict"\nTOO_MANY_REQUESTS = "429 Too Many Requests"\n',
                ),
                edit(_APP, _OLD_INIT, _NEW_INIT),
                edit(_APP, _OLD_CALL, _NEW_CALL),
                edit(_APP, _OLD_CREATE, _NEW_CREATE),
                edit(_APP, _OLD_MAIN, _NEW_MAIN),
            ),
        ),
        Step(
            text="Now the tests, with a clock that only moves when told to.",
            tools=(write("tests/test_rate_limit.py", _TESTS),),
        ),
        Step(tools=(bash(TESTS, "Run the test suite"),)),
        Step(
            text=(
                "Rate limiting is in, as planned, and the suite is green.\n\n"
                "- 120 requests a minute per client address, bursts allowed;"
                " `WAYPOST_REQUESTS_PER_MINUTE` changes it.\n"
                "- Over the limit: `429`, `Retry-After`, and a JSON error like all others.\n"
                "- `GET /health` is never limited.\n\n"
                "Behind a proxy, `REMOTE_ADDR` is the proxy's address: forward the real one"
                " before relying on this."
            ),
        ),
    ),
    answers={"plan": "approve", "permission": "allow"},
    expected=Expected(
        files={
            "waypost/rate_limit.py": ("class RateLimiter",),
            "waypost/settings.py": ("requests_per_minute: int = 120",),
            "waypost/app.py": ("TOO_MANY_REQUESTS", "self.limiter.wait_for"),
            "tests/test_rate_limit.py": ("test_health_is_never_limited",),
        }
    ),
)
