"""A hub whose repository is a clone of a bare one, and somebody else who pushes there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.driver import GITCONFIG, Json, RunningHub, eventually, of_type
from tests.support.sshd import Sshd, sshd

__all__ = ["hub", "lasting_hub", "sshd"]

CONFIG = """\
[defaults]
agent = "rehearsal"
[limits]
linger_seconds = 1
[workspaces]
pool = 0
fetch_seconds = {wait}
fetch_every_seconds = 0
[base]
poll_seconds = {poll}
"""
END = """#!/bin/sh\necho "$@" >> '{log}'\n{then}\n"""


class RemoteHub(RunningHub):
    bare = other = Path()

    def settle(self, *, wait: float = 60, poll: float = 0) -> None:
        """How long remotes are waited for, and how often they are asked quietly."""
        self.configure(CONFIG.format(wait=wait, poll=poll))

    def begin(self, server: Sshd | None = None) -> None:
        """A repository of its own with a remote of its own, by its path or by ssh."""
        self._repos += 1
        place = self.root / f"place-{self._repos}"
        self.bare, self.other, self.repo = (place / n for n in ("bare.git", "other", "repo"))
        command = f"[core]\n  sshCommand = {server.command}\n" if server else ""
        (self.user / ".gitconfig").write_text(GITCONFIG + command)
        place.mkdir()
        self.git("init", "-q", "--bare", "-b", "main", str(self.bare), cwd=place)
        self.git("clone", "-q", str(self.bare), str(self.other), cwd=place)
        self.push({name: lines(30) for name in ("one.txt", "two.txt")})
        address = server.address(self.bare) if server else str(self.bare)
        self.git("clone", "-q", address, str(self.repo), cwd=place)
        self.post("/api/repos/trust", {"path": str(self.repo)})

    def commit(self, cwd: Path, files: dict[str, str], message: str = "More") -> str:
        for name, text in files.items():
            (cwd / name).write_text(text)
        self.git("add", "-A", cwd=cwd)
        self.git("commit", "-q", "-m", message, cwd=cwd)
        return self.at("HEAD", cwd)

    def push(self, files: dict[str, str], message: str = "Theirs", branch: str = "main") -> str:
        """Somebody else's commit on the remote's branch."""
        commit = self.commit(self.other, files, message)
        self.git("push", "-q", "origin", f"HEAD:{branch}", cwd=self.other)
        return commit

    def at(self, ref: str, cwd: Path | None = None) -> str:
        return self.git("rev-parse", ref, cwd=cwd or self.repo).strip()

    def plain(self, name: str, **more: Any) -> Json:
        """A session without an agent."""
        return self.new("", name=name, start=False, **more)

    def work(self, name: str, files: dict[str, str], **more: Any) -> Json:
        """A session with a commit of its own."""
        made = self.plain(name, **more)
        self.commit(Path(made["worktree"]), files, f"{name}'s own")
        return made

    def base(self, made: Json, *, fetch: bool = False) -> Json:
        return self.get(f"/api/sessions/{quote(made['id'])}/base", fetch=fetch)

    def moves(self, made: Json) -> list[tuple[str, str]]:
        """What the session was told of its base."""
        found = of_type(self.events(made["id"]), "base_moved")
        return [(moved["base"], moved["commit"]) for moved in found]

    def await_move(self, commit: str, *sessions: Json) -> None:
        eventually(lambda: all(commit in [c for _, c in self.moves(s)] for s in sessions))

    def remote_end(self, then: str) -> None:
        """The remote's end becomes a script; the user's own config says so."""
        program, log = self.bare.parent / "upload-pack", self.bare.parent / "asked"
        program.write_text(END.format(log=log, then=then))
        program.chmod(0o755)
        log.touch()
        self.git("config", "--global", "remote.origin.uploadpack", str(program), cwd=self.repo)

    def asked(self) -> int:
        """How often it was asked for this repository, or for another in the same place."""
        calls = (self.bare.parent / "asked").read_text().splitlines()
        return sum(str(self.bare.parent) in call for call in calls)


def lines(count: int, changed: dict[int, str] | None = None) -> str:
    return "".join(f"{(changed or {}).get(n, f'line {n}')}\n" for n in range(1, count + 1))


@pytest.fixture(scope="module")
def lasting_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteHub]:
    hub = RemoteHub(tmp_path_factory.mktemp("remote"))
    try:
        hub.settle()
        hub.start()
        yield hub
    finally:
        hub.close()


@pytest.fixture
def hub(lasting_hub: RemoteHub) -> RemoteHub:
    """One that a module shares; repository and remote are the test's own."""
    lasting_hub.settle()
    lasting_hub.fate.unlink(missing_ok=True)
    if not lasting_hub.runs:
        lasting_hub.start()
    lasting_hub.begin()
    return lasting_hub
