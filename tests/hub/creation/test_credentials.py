"""What a repository runs while a session is made has nothing that the person authenticates with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.driver import Json, eventually
from tests.support.pool_hub import PoolHub

AGENT = "/nowhere/canary-ssh-agent.sock"


class WithAgent(PoolHub):
    """A hub in whose environment there is an ssh agent."""

    @property
    def programs(self) -> Path:
        """First on its PATH, for stand-ins."""
        place = self.root / "programs"
        place.mkdir(exist_ok=True)
        return place

    @property
    def environment(self) -> dict[str, str]:
        given = super().environment
        return given | {"SSH_AUTH_SOCK": AGENT, "PATH": f"{self.programs}:{given['PATH']}"}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[WithAgent]:
    running = WithAgent(tmp_path / "hub")
    running.set_workspaces("pool = 0\nfetch_seconds = 0")
    with running:
        running.make_repo()
        yield running


def program(path: Path, dump: Path, then: str) -> Path:
    """Tells who it is and what it was given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{{ echo '{path.name}' ran; env; }} >> '{dump}'\n{then}\n")
    path.chmod(0o755)
    return path


def prepare(hub: WithAgent, tmp_path: Path) -> Path:
    """A repository with a hook, a filter and an install; where they tell of themselves."""
    dump = tmp_path / "dump"
    program(hub.repo / ".git/hooks/post-checkout", dump, "exit 0")
    smudge = program(tmp_path / "smudge", dump, "cat")
    hub.git("config", "filter.own.smudge", str(smudge), cwd=hub.repo)
    program(hub.programs / "npm", dump, "mkdir -p node_modules")
    hub.commit(
        {
            ".gitignore": "node_modules\n",
            ".gitattributes": "*.md filter=own\n",
            "package.json": '{"name": "own"}\n',
            "package-lock.json": '{"name": "own", "lockfileVersion": 3, "packages": {}}\n',
        }
    )
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    return dump


def open_pool(hub: WithAgent) -> None:
    """From the repository as it is by now."""
    hub.set_workspaces("pool = 1\nfetch_seconds = 0")
    hub.post("/api/repos/trust", {"path": str(hub.repo)})


def ran(dump: Path) -> set[str]:
    lines = dump.read_text().splitlines()
    return {line.removesuffix(" ran") for line in lines if line.endswith(" ran")}


def test_checkouts_and_installs_see_no_ssh_agent(hub: WithAgent, tmp_path: Path) -> None:
    dump = prepare(hub, tmp_path)
    hub.wait_idle(hub.plain("Cold")["id"])
    assert ran(dump) == {"post-checkout", "smudge", "npm"}
    open_pool(hub)
    eventually(lambda: [s["installed"][:4] for s in hub.ready_spares()] == ["npm:"])
    [spare] = hub.ready_spares()
    warm = hub.plain("Warm")
    assert (warm["worktree"], hub.branch(warm)) == (spare["worktree"], "mh/warm")
    said = dump.read_text()
    assert "\nHOME=" in said, "it tells what it was given"
    assert AGENT not in said
    assert "SSH_AUTH_SOCK" not in said


def test_a_setup_that_needs_the_ssh_agent_names_it(hub: WithAgent, tmp_path: Path) -> None:
    hub.configure(f'{hub.home.config.read_text()}[environment]\npass = ["SSH_AUTH_SOCK"]\n')
    dump = prepare(hub, tmp_path)
    hub.wait_idle(hub.plain("Cold")["id"])
    assert ran(dump) == {"post-checkout", "smudge", "npm"}
    assert dump.read_text().count(f"\nSSH_AUTH_SOCK={AGENT}\n") == dump.read_text().count(" ran\n")


def with_submodules(hub: WithAgent, tmp_path: Path) -> list[Path]:
    """One by its address, and one beside the repository's own origin; neither is on this disk as
    far as the main checkout knows."""
    sources = [tmp_path / "hosts" / name for name in ("parts.git", "beside.git")]
    for source in sources:
        inner = hub.make_repo(source, trust=False)
        hub.git("config", "--global", "--replace-all", "safe.directory", "*", cwd=inner)
        hub.commit({"part.txt": f"{source.name}\n"}, cwd=inner)
    hub.git("remote", "add", "origin", f"ssh://host{tmp_path}/hosts/main.git", cwd=hub.repo)
    urls = (f"ssh://host{sources[0]}", "../beside.git")
    text = ""
    for name, source, url in zip(("parts", "beside"), sources, urls, strict=True):
        head = hub.git("rev-parse", "HEAD", cwd=source).strip()
        hub.git("update-index", "--add", "--cacheinfo", f"160000,{head},{name}", cwd=hub.repo)
        text += f'[submodule "{name}"]\n\tpath = {name}\n\turl = {url}\n'
    (hub.repo / ".gitmodules").write_text(text)
    hub.git("add", ".gitmodules", cwd=hub.repo)
    hub.git("commit", "-qm", "Submodules", cwd=hub.repo)
    return sources


def fetched(session: Json) -> list[str]:
    place = Path(session["worktree"])
    return [(place / name / "part.txt").read_text() for name in ("parts", "beside")]


def test_submodules_are_fetched_by_the_users_own_ssh_and_not_the_repositorys(
    hub: WithAgent, tmp_path: Path
) -> None:
    """A stand-in for ssh runs on this machine what the other side was asked to run."""
    used, dump = tmp_path / "used", tmp_path / "dump"
    ssh = program(tmp_path / "ssh", used, 'for asked; do :; done\nexec sh -c "$asked"')
    with_submodules(hub, tmp_path)
    hub.git("config", "--global", "core.sshCommand", str(ssh), cwd=hub.repo)
    theirs = program(tmp_path / "theirs", dump, "exit 1")
    hub.git("config", "core.sshCommand", str(theirs), cwd=hub.repo)
    update = program(tmp_path / "update", dump, 'exec git checkout -q "$1"')
    hub.git("config", "submodule.parts.update", f"!{update}", cwd=hub.repo)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    config = (hub.repo / ".git/config").read_bytes()
    session = hub.plain("With parts")
    assert hub.notes(session["id"]) == []
    assert fetched(session) == ["parts.git\n", "beside.git\n"]
    asked = ("submodule", "foreach", "-q", "git config remote.origin.url")
    urls = hub.git(*asked, cwd=Path(session["worktree"])).split()
    assert sorted(urls) == [f"ssh://host{tmp_path}/hosts/{n}.git" for n in ("beside", "parts")]
    assert f"\nSSH_AUTH_SOCK={AGENT}\n" in used.read_text()
    assert ran(dump) == {"update"}
    assert AGENT not in dump.read_text()
    assert hub.status(session) == ""
    assert (hub.repo / ".git/config").read_bytes() == config
    open_pool(hub)
    spare = Path(hub.await_spare()["worktree"])
    assert (spare / "beside/part.txt").read_text() == "beside.git\n"
