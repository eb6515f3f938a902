"""A user's home with all that must not be reached, and the real box of a session in it."""

from __future__ import annotations

import hashlib
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from msgspec.structs import replace

from manyhands.agents.known import RUN_BY_CLAUDE
from manyhands.agents.places import agent_places
from manyhands.box.making import make_box, make_ready
from manyhands.box.probe import find_means
from manyhands.box.twins import with_twin
from manyhands.config import Home
from manyhands.git.worktrees import add_worktree
from manyhands.model.box import Box, BoxMeans, BoxTerms, BoxWish, Means, Network
from manyhands.model.ids import Oid, SessionId
from manyhands.model.wire import AgentSpec
from tests.support.samples import git, write

CANARY = "canary-of-a-secret"
"""Part of every secret; whoever says it has read one."""
MARK = "MANYHANDS_ESCAPE_MARK"
GITCONFIG = "[user]\n\tname = Person\n\temail = person@example.invalid\n"
PYTHON = f"{sys.base_prefix}/bin"


class Listeners:
    """Services outside; who was reached is on record."""

    def __init__(self, place: Path, run: Path) -> None:
        self.reached: set[str] = set()
        self._sockets: dict[str, socket.socket] = {}
        self.abstract = f"manyhands-escape-{os.getpid()}-{place.parent.name}"
        for name in ("agent", "docker", "bus"):
            self._listen(name, socket.AF_UNIX, str(place / name))
        self._listen("hub", socket.AF_UNIX, str(run / "s2.sock"))
        self._listen("abstract", socket.AF_UNIX, f"\0{self.abstract}")
        self.tcp = self._listen("tcp", socket.AF_INET, ("127.0.0.1", 0))
        self._listen("tcp", socket.AF_INET6, ("::1", self.tcp))
        self.udp = self._listen("udp", socket.AF_INET, ("127.0.0.1", 0), socket.SOCK_DGRAM)
        self._listen("udp", socket.AF_INET6, ("::1", self.udp), socket.SOCK_DGRAM)
        self._threads = [
            threading.Thread(target=self._serve, args=(key.split()[0], made))
            for key, made in self._sockets.items()
        ]
        for thread in self._threads:
            thread.start()

    def _listen(
        self,
        name: str,
        family: int,
        address: str | tuple[str, int],
        kind: int = socket.SOCK_STREAM,
    ) -> int:
        made = socket.socket(family, kind)
        made.bind(address)
        if kind == socket.SOCK_STREAM:
            made.listen()
        self._sockets[f"{name} {family}"] = made
        return 0 if family == socket.AF_UNIX else int(made.getsockname()[1])

    def _serve(self, name: str, made: socket.socket) -> None:
        try:
            while True:
                if made.type == socket.SOCK_DGRAM:
                    if not made.recv(1000):
                        return
                else:
                    link, _ = made.accept()
                    link.close()
                self.reached.add(name)
        except OSError:
            return

    def close(self) -> None:
        for made in self._sockets.values():
            try:
                made.shutdown(socket.SHUT_RDWR)
            except OSError:
                # Not connected, as any socket for datagrams; it is woken by one that is empty.
                with socket.socket(made.family, made.type) as waker:
                    waker.sendto(b"", made.getsockname())
        for thread in self._threads:
            thread.join()
        for made in self._sockets.values():
            made.close()


@dataclass
class Rig:
    root: Path
    by: BoxMeans = "bubblewrap"
    network: Network = "open"
    listeners: Listeners = field(init=False)
    victim: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.host, self.ran = self.root / "u", self.root / "ran"
        self.repo, self.remote = self.host / "project", self.host / "remote.git"
        self.hub = Home(self.host / ".mh")
        self.worktree, self.other = self.hub.worktrees / "otter", self.hub.worktrees / "heron"
        self.own = self.hub.sessions / "s1"
        self.evil = self.worktree / "evil.sh"
        path = (f"{self.host}/.local/bin", PYTHON, "/usr/local/bin", "/usr/bin", "/bin")
        self.env = {
            "PATH": os.pathsep.join(path),
            "HOME": str(self.host),
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self.host / "run"),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.host}/run/bus",
        }

    # What is outside

    def lay_out(self) -> None:
        for place in (self.host, self.ran, self.host / "run", Path(f"{self.host}-target")):
            place.mkdir()
        self.hub.make()
        self._fill_home()
        self._fill_repository()
        base = Oid(git(self.repo, "rev-parse", "HEAD"))
        for worktree, branch in ((self.worktree, "mh/otter"), (self.other, "mh/heron")):
            session = SessionId("s1" if worktree == self.worktree else "s2")
            add_worktree(
                self.repo, worktree, branch, base, session=session, lock_dir=self.hub.locks
            )
        write(self.other, {".env": f"KEY={CANARY}", "file.txt": f"{CANARY} of another session"})
        self._make_other()
        self.evil.write_text(f"#!/bin/sh\ntouch {self.ran}/outside\nexit 0\n")
        self.evil.chmod(0o755)

    def _fill_home(self) -> None:
        tool = "#!/bin/sh\necho tool works\n"
        write(
            self.host,
            {
                **{f"{name}": f"{CANARY} in {name}\n" for name in SECRETS},
                ".bashrc": "# mine\n",
                ".profile": "# mine\n",
                ".gitconfig": GITCONFIG,
                ".cache/pip/wheel": "cached\n",
                ".local/bin/tool": tool,
                ".claude/settings.json": "{}\n",
                ".claude/projects/x": "",
                ".claude.json": "{}\n",
                "private/run": tool,
                "private/objects/notes": CANARY,
            },
        )
        write(self.hub.root, {"token": CANARY, "store.db": CANARY, "config.toml": f"# {CANARY}\n"})
        (self.host / ".local/bin/tool").chmod(0o755)
        (self.host / "private/run").chmod(0o755)

    def _fill_repository(self) -> None:
        git(self.host, "init", "-q", "--bare", "-b", "main", self.remote)
        git(self.host, "init", "-q", "-b", "main", self.repo)
        write(self.repo, {"file.txt": "one\n", ".gitignore": ".env\n"})
        git(self.repo, "add", "-A")
        git(self.repo, "commit", "-qm", "first")
        git(self.repo, "tag", "-a", "-m", "tagged", "v1")
        git(self.repo, "branch", "theirs")
        git(self.repo, "remote", "add", "origin", self.remote)
        git(self.repo, "push", "-q", "origin", "main", "theirs", "v1")
        git(self.repo, "config", "remote.private.url", f"https://me:{CANARY}@example.invalid/x")
        git(self.repo, "config", "http.extraHeader", f"Authorization: {CANARY}")
        write(self.repo, {"file.txt": "one\nstashed\n", ".env": f"KEY={CANARY}\n"})
        git(self.repo, "stash")
        write(self.repo, {"file.txt": "one\nin the middle of it\n"})
        hook = self.repo / ".git/hooks/pre-commit"
        write(self.repo, {".git/hooks/pre-commit": "#!/bin/sh\nexit 0\n"})
        hook.chmod(0o755)

    def _make_other(self) -> None:
        """Another session's, with a twin of its own."""
        own = self.hub.sessions / "s2"
        box = make_box(self.hub, own, self.other, terms=self.terms, env=self.env)
        made = with_twin(box, own, "s2", "mh/heron")
        make_ready(made)
        write(own, {"spool": CANARY})
        with (Path(made.twin) / "config").open("a") as config:
            config.write(f"# {CANARY}\n")

    # The box

    @property
    def terms(self) -> BoxTerms:
        means = find_means() if self.by == "bubblewrap" else Means(level="files", by="landlock")
        assert means.by == self.by, means.reason
        return BoxTerms(BoxWish(network=self.network), means)

    def make_box(self) -> Box:
        """As the hub and a keeper do before every start."""
        spec = AgentSpec(name="claude", kind="claude", env=self.env)
        box = make_box(
            self.hub,
            self.own,
            self.worktree,
            terms=self.terms,
            env=self.env,
            places=agent_places(spec),
            use="main",
        )
        made = with_twin(box, self.own, "s1", "mh/otter")
        make_ready(made)
        return replace(made, processes=200)

    @property
    def variables(self) -> dict[str, str]:
        return {
            **self.env,
            MARK: str(self.root),
            "HOST": str(self.host),
            "REPO": str(self.repo),
            "HUB": str(self.hub.root),
            "HUBS": str(self.hub.run),
            "OTHER": str(self.other),
            "OWN": str(self.own),
            "TWIN": str(self.own / "box" / "twin"),
            "EVIL": str(self.evil),
            "VICTIM": str(self.victim.pid),
            "TCP": str(self.listeners.tcp),
            "UDP": str(self.listeners.udp),
            "SOCKETS": str(self.host / "run"),
            "ABSTRACT": self.listeners.abstract,
        }

    # What must be the same afterwards

    def digests(self) -> dict[str, str]:
        """Everything outside but for what is the session's own."""
        theirs = {
            self.worktree,
            *(self.own / "box" / name for name in ("home", "twin", "layers")),
            *(self.own / name for name in ("tmp", "landing")),
            # What the agent keeps for itself, apart from what would be run.
            self.host / ".claude",
        }
        found = dict(_digests(self.root, theirs))
        for name in RUN_BY_CLAUDE:
            found |= _digests(self.host / ".claude" / name, set())
        return found

    def refs_of_user(self) -> str:
        """All but the session's branch and what is ours."""
        said = git(self.repo, "for-each-ref", "--format=%(refname) %(objectname)")
        lines = (line for line in said.splitlines() if not line.startswith("refs/manyhands/"))
        return "\n".join(line for line in lines if "refs/heads/mh/otter" not in line)

    def settings_of_user(self) -> dict[str, str]:
        """What no sync may change either."""
        top = self.repo / ".git"
        names = ("config", "hooks", "HEAD", "index", "logs/refs/stash", "logs/HEAD", "info")
        return {k: v for name in names for k, v in _digests(top / name, set())}

    def left(self) -> list[psutil.Process]:
        """Processes that the attempt has left behind."""
        # What runs the box has ended by then, and the kernel takes the rest along.
        return psutil.wait_procs(self.running(), timeout=10)[1]

    def running(self) -> list[psutil.Process]:
        """Of the attempt's, at this moment."""
        return [p for p in psutil.process_iter() if _variable(p, MARK) == str(self.root)]


SECRETS = (
    *(".ssh/id", ".aws/credentials", ".config/gh/hosts.yml", ".docker/config.json"),
    *(".netrc", ".pgpass", "notes.txt"),
)


def _variable(process: psutil.Process, name: str) -> str:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return ""
        return process.environ().get(name, "")
    except (psutil.Error, OSError):
        return ""


def _digests(top: Path, but: set[Path]) -> Iterator[tuple[str, str]]:
    """Kind, mode, owner and content of everything, by path."""
    if top in but or not os.path.lexists(top):
        return
    about = top.lstat()
    kind = f"{stat.filemode(about.st_mode)} {about.st_uid}"
    if stat.S_ISLNK(about.st_mode):
        yield str(top), f"{kind} -> {top.readlink()}"
    elif stat.S_ISREG(about.st_mode):
        yield str(top), f"{kind} {hashlib.sha256(top.read_bytes()).hexdigest()}"
    else:
        yield str(top), kind
    if stat.S_ISDIR(about.st_mode):
        for entry in sorted(top.iterdir()):
            yield from _digests(entry, but)


@contextmanager
def open_rig(rig: Rig) -> Iterator[None]:
    """What listens and runs outside meanwhile."""
    with ExitStack() as stack:
        rig.listeners = Listeners(rig.host / "run", rig.hub.run)
        stack.callback(rig.listeners.close)
        rig.victim = subprocess.Popen(
            ["/bin/cat"],
            cwd=rig.host / ".ssh",
            env={"SECRET": CANARY},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        stack.callback(_end, rig.victim)
        yield


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()
