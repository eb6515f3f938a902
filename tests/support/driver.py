"""A real hub under test: its own process, home and environment, driven over HTTP and WebSocket.

`RunningHub` starts ``python -m manyhands.api`` and knows when it is ready from the line that it
prints. It can be killed and started again at will; whatever it and its agents leave behind is
ended by pid when the test is over.
"""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self, TypeVar
from urllib.parse import quote, urlencode

import psutil
from websockets.sync.client import ClientConnection, connect

from manyhands.config import Home
from manyhands.rehearsal.provider import ready_file
from tests.support.actor import ACTOR, actor_table
from tests.support.brief import BRIEF
from tests.support.hub_nursery import ROOT, WORKS, HubProcess, start_hub, start_model
from tests.support.mortal import fate
from tests.support.reserved import PortRange, ReservedPort
from tests.support.steps import bash, hold, script, write
from tests.support.talk import SECONDS, Answer, Json, Reader, Refused

__all__ = [
    "ACTOR",
    "CONFIG",
    "REHEARSAL",
    "SECONDS",
    "Answer",
    "Json",
    "Reader",
    "Refused",
    "RunningHub",
    "bash",
    "eventually",
    "gone",
    "hold",
    "of_type",
    "pool_is_full",
    "script",
    "spare_places",
    "write",
]

READY_SECONDS = 120.0
REHEARSAL = "rehearsal"
"""Claude Code on the scripted model."""
T = TypeVar("T")
GITCONFIG = """\
[user]
  name = Test Person
  email = person@example.invalid
[init]
  defaultBranch = main
[commit]
  gpgSign = false
"""
CONFIG = f"""\
[environment]
pass = {json.dumps(list(BRIEF))}
[limits]
working = {{working}}
linger_seconds = {{linger}}
[defaults]
agent = "{{agent}}"
"""


class RunningHub:
    """Use as a context manager. `config` is written before the start and may be changed later.
    `agent` is who plays a session's script where the test does not say it: Claude Code on the
    scripted model, or the actor, which needs no model."""

    def __init__(
        self,
        root: Path,
        *,
        working: int = 4,
        linger: float = 10.0,
        box: str = "none",
        agent: str = REHEARSAL,
    ) -> None:
        self.root = root
        self.box = box
        self.agent = agent
        self.home = Home(root / "mh")
        self.user = root / "user"
        self.repo = root / "repo"
        self.fate = fate(self.home.root)
        """Where a point of a job is written at which the hub is to die."""
        self.process: subprocess.Popen[str] | HubProcess | None = None
        self.port = 0
        self.url = ""
        self._model: subprocess.Popen[str] | HubProcess | None = None
        self._ports: dict[int, ReservedPort] = {}
        """Those to which somebody comes back, so that nobody else gets them meanwhile."""
        self._leasable: PortRange | None = None
        self._model_port = 0
        self._repos = 0
        self.model_url = ""
        for place in (self.home.root, self.user):
            place.mkdir(mode=0o700, parents=True)
        (self.user / ".gitconfig").write_text(GITCONFIG)
        self.configure(CONFIG.format(working=working, linger=linger, agent=agent))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def configure(self, text: str, *, whole: bool = False) -> None:
        """At one go: a hub that runs may look at any moment. The hub's box is added, and the actor
        where it plays, unless the text is the `whole` of it or says them."""
        fresh = self.home.config.with_suffix(".fresh")
        box = f'[box]\nlevel = "{self.box}"\n'
        ours = (box, actor_table()) if self.agent == ACTOR else (box,)
        added = [part for part in ours if not whole and part.partition("\n")[0] not in text]
        fresh.write_text("".join(added) + text)
        fresh.replace(self.home.config)

    def lease_own_ports(self, more: str = "") -> None:
        """Where something is to listen on them; before the start."""
        own = self._leasable = PortRange()
        ports = f"[workspaces]\nports = [{own.first}, {own.last}]\n{more}\n"
        self.configure(self.home.config.read_text() + ports)

    def ignore_conflicts(self) -> None:
        """For tests that share a hub and change the same files."""
        self.configure(self.home.config.read_text() + "[radar]\nenabled = false\n")

    # The processes

    @property
    def environment(self) -> dict[str, str]:
        """All that the hub gets: nothing of the person at the machine."""
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "TMPDIR", "LANG", "LC_ALL")}
        mine = {
            "HOME": str(self.user),
            "MANYHANDS_HOME": str(self.home.root),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        return kept | mine | BRIEF

    def spawn(self, *words: str, module: str = "manyhands.api") -> subprocess.Popen[str]:
        """A hub process that may or may not become ready."""
        return subprocess.Popen(
            [sys.executable, "-m", module, *words],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def start(self, *words: str) -> None:
        """Returns when the hub has said where it listens."""
        process: subprocess.Popen[str] | HubProcess
        if WORKS:
            process = start_hub(words, self.environment)
        else:
            process = self.spawn(*words, module="tests.support.mortal")
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            _, errors = process.communicate(timeout=READY_SECONDS)
            raise AssertionError(f"the hub did not start: {errors}")
        self.process = process
        about = json.loads(line)
        self.url, self.port = about["url"], about["port"]

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def kill(self) -> None:
        """kill -9, and nothing but the hub itself."""
        self._end(signal.SIGKILL)

    def terminate(self) -> int:
        """The polite end; the exit code."""
        return self._end(signal.SIGTERM)

    @property
    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def restart(self) -> None:
        self.kill()
        self.start()

    def find_again(self) -> None:
        """Another process is the hub now, which somebody else started."""
        process, self.process = self.process, None
        if process is not None:
            process.communicate(timeout=SECONDS)
        about = json.loads(self.home.hub_file.read_bytes())
        self.url, self.port = about["url"], about["port"]

    def _end(self, how: signal.Signals) -> int:
        process, self.process = self.process, None
        assert process is not None
        process.send_signal(how)
        process.communicate(timeout=SECONDS)
        assert process.returncode is not None
        self._reserve(self.port)
        return process.returncode

    def _reserve(self, port: int) -> None:
        if port not in self._ports:
            with suppress(OSError):  # somebody was quicker, or what it started listens on
                self._ports[port] = ReservedPort(port=port)

    def start_model(self) -> None:
        """The scripted model; outlives the hub, and comes back on the same port."""
        if not self._model_port:
            reserved = ReservedPort()
            self._model_port = reserved.number
            self._ports[reserved.number] = reserved
        words = ["--port", str(self._model_port), "--ready-file", str(ready_file(self.home))]
        if WORKS:
            self._model = start_model(words, self.environment)
        else:
            self._model = self.spawn(*words, module="manyhands.rehearsal")
        assert self._model.stdout is not None
        self.model_url = json.loads(self._model.stdout.readline())["url"]

    def configure_hasty(self) -> None:
        """An agent "hasty": Claude Code that tries a failing model only once more."""
        if "[agents.hasty]" in self.home.config.read_text():
            return
        env = {
            "ANTHROPIC_BASE_URL": self.model_url,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
        }
        lines = ["[agents.hasty]", 'kind = "claude"', "[agents.hasty.env]"]
        lines += [f"{name} = {json.dumps(value)}" for name, value in env.items()]
        self.configure(self.home.config.read_text() + "\n".join(lines) + "\n")

    def stop_model(self) -> None:
        if self._model is not None:
            self._model.send_signal(signal.SIGKILL)
            self._model.communicate()
            self._model = None

    def processes(self) -> list[psutil.Process]:
        """Everything that runs for this home: by its words, its directory or its environment."""
        return [p for p in psutil.process_iter() if p.pid != os.getpid() and self._is_mine(p)]

    def _is_mine(self, process: psutil.Process) -> bool:
        mark = str(self.root)
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            words = [*process.cmdline(), process.cwd(), *process.environ().values()]
        except (psutil.Error, OSError):
            return False
        return any(mark in word for word in words)

    def keeper(self, session: str) -> psutil.Process:
        """The living keeper of a session: whoever holds its lock."""
        path = self.home.keeper_lock(session)
        with path.open("rb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return psutil.Process(int(json.load(lock)["pid"]))
        raise AssertionError(f"nobody holds {path}")

    def has_keeper(self, session: str) -> bool:
        try:
            self.keeper(session)
        except (AssertionError, FileNotFoundError, psutil.NoSuchProcess):
            return False
        return True

    def close(self) -> None:
        if self.process is not None:
            self.kill()
        self.stop_model()
        for port in self._ports.values():
            port.close()
        # More than once: what dies last may have started another meanwhile.
        while left := self.processes():
            for process in left:
                with suppress(psutil.Error):
                    process.kill()
            assert all(map(gone, left)), left
        shutil.rmtree(self.home.run, ignore_errors=True)
        if self._leasable is not None:
            self._leasable.close()

    # HTTP

    @property
    def token(self) -> str:
        return self.home.token.read_text().strip()

    @property
    def authority(self) -> str:
        return f"127.0.0.1:{self.port}"

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
    ) -> Answer:
        """One request with exactly these headers; only `Host` is added where it is missing."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            link.request(method, path, body, dict(headers or {}))
            answer = link.getresponse()
            return Answer(answer.status, dict(_lowered(answer.getheaders())), answer.read())
        finally:
            link.close()

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(self, path: str, **query: object) -> Json:
        asked = {name: _text(value) for name, value in query.items()}
        target = f"{path}?{urlencode(asked)}" if asked else path
        return _required(self.request("GET", target, headers=self.bearer))

    def post(
        self, path: str, body: Json = None, *, command: str = "", seconds: float = SECONDS
    ) -> Json:
        headers = {**self.bearer, "Content-Type": "application/json"}
        if command:
            headers["Command-Id"] = command
        data = json.dumps({} if body is None else body).encode()
        return _required(self.request("POST", path, data, headers, seconds))

    @contextmanager
    def reader(
        self, *, after: int | None = None, session: str | None = None, ahead: int = 16
    ) -> Iterator[Reader]:
        """A WebSocket of events, as the command line opens it; reads so many frames ahead."""
        given = {"after": after, "session": session}
        query = urlencode({name: value for name, value in given.items() if value is not None})
        with self.socket(f"/api/events?{query}", headers=self.bearer, ahead=ahead) as socket:
            yield Reader(socket)

    def socket(
        self,
        target: str,
        *,
        headers: Mapping[str, str] | None = None,
        origin: str | None = None,
        ahead: int = 16,
    ) -> ClientConnection:
        given = {**(headers or {}), **({"Origin": origin} if origin is not None else {})}
        return connect(
            f"ws://{self.authority}{target}",
            additional_headers=given,
            compression=None,
            open_timeout=SECONDS,
            max_size=None,
            max_queue=ahead,
            ping_interval=None,  # a test that reads nothing for long has not gone away
            close_timeout=0.2,  # with frames left unread, the hub's goodbye never gets through
        )

    # Shorthands

    def make_repo(self, path: Path | None = None, *, trust: bool = True) -> Path:
        """A repository with one commit, added and trusted."""
        path = path or self.repo
        path.mkdir(parents=True)
        (path / "README.md").write_text("# Sample\n")
        (path / ".gitignore").write_text("*.ignored\n.env\n")
        self.git("init", "-q", "-b", "main", cwd=path)
        self.git("add", "-A", cwd=path)
        self.git("commit", "-q", "-m", "First", cwd=path)
        if trust:
            self.post("/api/repos/trust", {"path": str(path)})
        return path

    def change_repo(self) -> Path:
        """Go on in a repository of its own: for tests that share the hub."""
        self._repos += 1
        self.repo = self.root / f"repo-{self._repos}"
        return self.make_repo()

    def git(self, *words: str, cwd: Path) -> str:
        environment = self.environment
        done = subprocess.run(
            ["git", *words], cwd=cwd, env=environment, capture_output=True, check=True, text=True
        )
        return done.stdout

    def new(self, text: str, *, command: str = "", **more: object) -> Json:
        asked = {"text": text, "repo": str(self.repo), "agent": self.agent, "mode": "auto", **more}
        return self.post("/api/sessions", asked, command=command)

    def act(self, ref: str, operation: str, **body: object) -> Json:
        """Any operation of a session by its name."""
        return self.post(f"/api/sessions/{quote(ref, safe='')}/{operation}", body)

    def say(self, ref: str, text: str, *, follow_up: bool = False) -> Json:
        return self.act(ref, "say", text=text, follow_up=follow_up)

    def answer(self, ref: str, *options: str, text: str = "", item: str = "") -> Json:
        return self.act(ref, "answer", options=options, text=text, item=item)

    def here(self) -> list[Json]:
        """The sessions of the test's own repository."""
        return [s for s in self.get("/api/sessions") if s["repo"] == str(self.repo)]

    def show(self, ref: str) -> Json:
        return self.get(f"/api/sessions/{quote(ref, safe='')}")

    def wait(self, *refs: str, goal: str = "idle", seconds: float = SECONDS) -> Json:
        asked = {"sessions": refs, "for": goal, "timeout": seconds}
        return self.post("/api/wait", asked, seconds=seconds + 10)

    def wait_idle(self, *refs: str) -> list[Json]:
        """The sessions at rest, all turns done; anything else fails the test."""
        waited = self.wait(*refs)
        assert waited["outcome"] == "reached", waited
        sessions: list[Json] = waited["sessions"]
        return sessions

    def wait_attention(self, ref: str) -> Json:
        """The session's oldest open item, once there is one."""
        waited = self.wait(ref, goal="attention")
        assert waited["outcome"] == "reached", waited
        return waited["sessions"][0]["attention"][0]

    def events(self, ref: str, after: int = 0) -> list[Json]:
        """All stored events of a session."""
        found: list[Json] = []
        while page := self.get(f"/api/sessions/{ref}/events", after=after, limit=1000):
            found += page
            after = page[-1]["seq"]
        return found

    def types(self, ref: str) -> list[str]:
        return [event["type"] for event in self.events(ref)]


def eventually(condition: Callable[[], T], seconds: float = SECONDS) -> T:
    """Looks until it is so, ever more rarely; for what only a file or a process table can tell."""
    began = time.monotonic()
    while not (found := condition()):
        waited = time.monotonic() - began
        assert waited < seconds, "it never came about"
        time.sleep(max(0.02, min(waited / 8, 0.1)))
    return found


def pool_is_full(hub: RunningHub) -> bool:
    """Whether each repository that is worked in has its spare, so that no more is being made."""
    used = {session["repo"] for session in hub.get("/api/sessions")}
    return all(
        all(spare["ready"] for spare in repo["spares"])
        and (repo["spares"] or repo["path"] not in used)
        for repo in hub.get("/api/repos")
    )


def spare_places(hub: RunningHub) -> list[str]:
    return [spare["worktree"] for repo in hub.get("/api/repos") for spare in repo["spares"]]


def of_type(events: Iterable[Json], kind: str) -> list[Json]:
    return [event for event in events if event["type"] == kind]


def gone(process: psutil.Process, seconds: float = SECONDS) -> bool:
    """Whether the process ends in time; a zombie that nobody reaps has ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
                return True
            process.wait(timeout=0.05)
        except psutil.TimeoutExpired:
            continue
        except psutil.NoSuchProcess:
            return True
    return False


def _lowered(headers: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, value in headers:
        yield name.lower(), value


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _required(answer: Answer) -> Json:
    if answer.status >= http.client.BAD_REQUEST:
        raise Refused(answer)
    return answer.json if answer.body else None
