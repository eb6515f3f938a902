"""A benchmark's own small world: a HOME, a home, a built environment, and its removal.

Nothing of the person's own reaches it: no login, no key, no config. Every process in it
carries the temporary HOME, by which what is still there at the end is found and stopped.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

from bench.repository import FILES, make_repository
from manyhands.client.calls import Client
from manyhands.config import Home
from manyhands.rehearsal.provider import ready_file

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
GITCONFIG = "[user]\n  name = Bench\n  email = bench@example.invalid\n[commit]\n  gpgSign = false\n"
STOP_SECONDS = 20.0
MEMORY, ROOM = Path("/dev/shm"), 4 << 30


class World:
    def __init__(self, place: Path, config: str) -> None:
        self.place = place
        self.user_home = place / "user"
        self.home = Home(place / "home")
        self.client = Client(self.home)
        self.environment = built_environment(self.user_home, self.home)
        self.model_url = ""
        self.hub_pid = 0
        self._started: list[subprocess.Popen[str]] = []
        self.user_home.mkdir()
        (self.user_home / ".gitconfig").write_text(GITCONFIG, encoding="utf-8")
        self.home.make()
        self.home.config.write_text(config, encoding="utf-8")

    def start(self, *argv: str) -> subprocess.Popen[str]:
        """A process of this world that is talked to by lines, stopped at the world's end."""
        process = subprocess.Popen(
            argv,
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(self.home.logs / f"{argv[2]}.stderr").open("ab"),
            text=True,
            bufsize=1,
            start_new_session=True,
        )
        self._started.append(process)
        return process

    def module(self, name: str, *words: str) -> subprocess.Popen[str]:
        return self.start(sys.executable, "-m", name, *words)

    def start_model(self) -> None:
        """The scripted model, where the built-in agent `rehearsal` looks for it."""
        mark = ("--ready-file", str(ready_file(self.home)))
        self.model_url = str(told(self.module("manyhands.rehearsal", *mark))["url"])

    def start_hub(self) -> int:
        self.hub_pid = int(told(self.module("manyhands.api"))["pid"])
        return self.hub_pid

    def stop_hub(self) -> None:
        self.client.post("/api/down", {"all": True}, timeout=60)
        psutil.wait_procs([psutil.Process(self.hub_pid)] if alive(self.hub_pid) else [], 20)

    def repository(self, name: str, files: int = FILES) -> Path:
        """A repository of this many files that the hub, if it is up, knows and trusts."""
        path = self.place / name
        path.mkdir()
        make_repository(path, self.environment, files)
        if self.hub_pid:
            self.trust(path)
        return path

    def trust(self, path: Path) -> None:
        self.client.add_repo(str(path))
        self.client.trust_repo(str(path))

    def processes(self) -> list[psutil.Process]:
        """Every process that lives in this world."""
        return [p for p in psutil.process_iter() if self._holds(p)]

    def keeper_of(self, session: str) -> psutil.Process:
        """The process that holds the session's lock."""
        lock = str(self.home.keeper_lock(session))
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                if any(file.path == lock for file in process.open_files()):
                    return process
        raise LookupError(f"no keeper holds the lock of {session}")

    def _holds(self, process: psutil.Process) -> bool:
        try:
            return bool(process.environ().get("HOME", "").startswith(str(self.place)))
        except (psutil.Error, OSError):
            return False

    def close(self) -> list[str]:
        """Stop everything that this world started; what had to be stopped by force."""
        with contextlib.suppress(Exception):
            if alive(self.hub_pid):
                self.stop_hub()
        for started in self._started:
            _end(started)
        left = self.processes()
        names = [" ".join(p.cmdline()[:4]) for p in left if p.is_running()]
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(left, STOP_SECONDS)
        shutil.rmtree(self.home.run, ignore_errors=True)
        return names


def alive(pid: int) -> bool:
    return bool(pid) and psutil.pid_exists(pid)


def _end(process: subprocess.Popen[str]) -> None:
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if stream:
                stream.close()
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The next line that the process says."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"{process.args!r} ended with {process.wait()} and said nothing")
    said: dict[str, Any] = json.loads(line)
    return said


def tell(process: subprocess.Popen[str], **order: object) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(order) + "\n")
    process.stdin.flush()


def built_environment(user_home: Path, home: Home) -> dict[str, str]:
    """Everything a process here may know; a `claude` of the person's own is not on the path."""
    return {
        "PATH": os.pathsep.join(_search_path()),
        "HOME": str(user_home),
        "LANG": "C.UTF-8",
        "TMPDIR": tempfile.gettempdir(),
        "MANYHANDS_HOME": str(home.root),
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    }


def model_variables(url: str) -> dict[str, str]:
    """What makes Claude Code talk to the scripted model and to nobody else."""
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def _search_path() -> Sequence[str]:
    given = [str(BIN), *os.environ.get("PATH", os.defpath).split(os.pathsep)]
    return [place for place in given if not (Path(place) / "claude").exists()]


def in_memory() -> Path | None:
    """For many small files: where many were just deleted, ext4 takes 600 µs for one, else 25."""
    has_room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
    return MEMORY if has_room else None


@contextlib.contextmanager
def open_world(config: str = "", *, within: Path | None = None) -> Iterator[World]:
    # The hub derives its socket directory from these, and so must we.
    os.environ.pop("XDG_RUNTIME_DIR", None)
    place = Path(tempfile.mkdtemp(prefix="mh-bench-", dir=within))
    world = World(place, config)
    try:
        yield world
    finally:
        world.close()
        if not os.environ.get("BENCH_KEEP"):
            shutil.rmtree(place, ignore_errors=True)
