"""Tokens and keys go to where the remotes led when a repository was trusted, and no further."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from manyhands.config import Home
from manyhands.git.outside.credentials import credential_helper
from manyhands.hub.house import open_hub
from manyhands.hub.repos.pins import Pins
from manyhands.model import events as e
from tests.support.driver import Json, Refused, of_type
from tests.support.forge.github_server import TOKEN, GitHubServer
from tests.support.forge.hub import AGENT, ForgeHub
from tests.support.forge.listener import Stranger, stranger
from tests.support.samples import git


@pytest.fixture
def evil() -> Iterator[Stranger]:
    with stranger() as found:
        yield found


def with_worktree_config(hub: ForgeHub, at: Path, key: str, value: str) -> None:
    hub.git("config", "extensions.worktreeConfig", "true", cwd=at)
    hub.git("config", "--worktree", key, value, cwd=at)


Redirect = Callable[[ForgeHub, Path, str, str], object]
"""Leads the remote of a worktree from the forge's address to another."""

REDIRECTS: dict[str, Redirect] = {
    "set-url": lambda hub, at, forge, evil: git(at, "remote", "set-url", "origin", f"{evil}/a/b"),
    "pushurl": lambda hub, at, forge, evil: git(
        at, "config", "remote.origin.pushurl", f"{evil}/a/b"
    ),
    "worktree": lambda hub, at, forge, evil: with_worktree_config(
        hub, at, "remote.origin.pushurl", f"{evil}/a/b"
    ),
    "insteadOf": lambda hub, at, forge, evil: git(at, "config", f"url.{evil}.insteadOf", forge),
    "pushInsteadOf": lambda hub, at, forge, evil: git(
        at, "config", f"url.{evil}.pushInsteadOf", forge
    ),
}


@pytest.mark.parametrize("way", sorted(REDIRECTS))
def test_a_remote_that_was_led_elsewhere_gets_nothing_and_is_told_of(
    hub: ForgeHub, forge: GitHubServer, evil: Stranger, way: str
) -> None:
    session = hub.work()
    id, worktree = session["id"], Path(session["worktree"])
    REDIRECTS[way](hub, worktree, forge.url, evil.url)
    with pytest.raises(Refused) as caught:
        hub.get(f"/api/sessions/{id}/pr/plan")
    assert (caught.value.code, caught.value.status) == ("not_trusted", 403)
    assert f"origin now points to {evil.url}/" in caught.value.message
    assert f"it was {forge.remote} when you trusted this repository" in caught.value.message
    assert hub.refusal(id, "pr").message == caught.value.message
    assert (evil.heard, forge.asked, forge.pushes) == ([], [], 0)


def test_after_set_url_every_way_to_the_forge_is_shut_until_a_person_trusts_it(
    hub: ForgeHub, forge: GitHubServer, evil: Stranger
) -> None:
    session = hub.work()
    id = session["id"]
    hub.act(id, "pr")
    before = len(forge.asked)
    hub.git("remote", "set-url", "origin", f"{evil.url}/acme/widgets.git", cwd=hub.repo)
    ways: tuple[Callable[[], Json], ...] = (
        lambda: hub.get(f"/api/sessions/{id}/pr/plan"),
        lambda: hub.get(f"/api/sessions/{id}/pr"),
        lambda: hub.get("/api/issues", repo=str(hub.repo)),
        lambda: hub.act(id, "pr"),
        lambda: hub.act(id, "pr/merge"),
        lambda: hub.new("x", name="from-issue", issue=1, start=False),
    )
    for way in ways:
        with pytest.raises(Refused, match="origin now points to") as caught:
            way()
        assert f"manyhands repo trust {hub.repo}" in caught.value.hint
    assert (evil.heard, len(forge.asked)) == ([], before)
    [found] = [f for f in hub.get("/api/doctor") if f["check"] == "remote"]
    assert (found["ok"], "origin now points to" in found["detail"]) == (False, True)
    brought = hub.get("/api/repos/runnable", repo=str(hub.repo))
    assert brought["remotes"] == {"origin": f"{evil.url}/acme/widgets.git"}
    assert forge.remote in brought["moved"][0]
    hub.trust()
    with pytest.raises(Refused, match="refused"):
        hub.get(f"/api/sessions/{id}/pr/plan")
    assert TOKEN in evil.heard[0]
    assert not [f for f in hub.get("/api/doctor") if f["check"] == "remote"]


def test_what_was_looked_at_is_what_is_pinned(hub: ForgeHub, evil: Stranger) -> None:
    seen = hub.get("/api/repos/runnable", repo=str(hub.repo))
    hub.git("remote", "set-url", "origin", f"{evil.url}/a/b", cwd=hub.repo)
    with pytest.raises(Refused, match="changed since it was looked at"):
        hub.post("/api/repos/trust", {"path": str(hub.repo), "digest": seen["digest"]})


def test_no_secret_of_an_address_goes_on_record(hub: ForgeHub, forge: GitHubServer) -> None:
    secret = "pass" + "word-of-an-address"
    url = forge.remote.replace("http://", f"http://me:{secret}@")
    hub.git("remote", "set-url", "origin", url, cwd=hub.repo)
    seen = hub.get("/api/repos/runnable", repo=str(hub.repo))
    hub.trust()
    assert (secret in str(seen), seen["moved"]) == (False, [])
    assert secret.encode() not in b"".join(
        path.read_bytes() for path in hub.home.root.glob("store.db*")
    )


def test_settings_of_the_repository_have_no_say_in_a_push(
    hub: ForgeHub, forge: GitHubServer, evil: Stranger, tmp_path: Path
) -> None:
    session = hub.work()
    worktree, dump = Path(session["worktree"]), tmp_path / "dump"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nenv >> '{dump}'\ncat >> '{dump}'\n")
    program.chmod(0o755)
    settings = {
        "http.proxy": evil.url,
        f"http.{forge.url}.proxy": evil.url,
        "remote.origin.proxy": evil.url,
        "http.extraHeader": "X-Evil: 1",
        "core.sshCommand": str(program),
        "core.gitProxy": str(program),
        "core.askPass": str(program),
        "credential.helper": f"!{program}",
        f"credential.{forge.url}.helper": f"!{program}",
        "remote.origin.receivepack": str(program),
        "remote.origin.uploadpack": str(program),
        "remote.origin.vcs": "evil",
        "core.fsmonitor": str(program),
    }
    for key, value in settings.items():
        hub.git("config", key, value, cwd=worktree)
    assert hub.act(session["id"], "pr")["created"]
    assert (evil.heard, dump.exists()) == ([], False)
    assert forge.state.bare.tip(session["branch"])


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("https://forge.example/acme/widgets.git", True),
        ("https://forge.example/acme/widgets.git/info/lfs", True),
        ("http://forge.example/acme/widgets.git", False),
        ("https://forge.example:8443/acme/widgets.git", False),
        ("https://evil.example/acme/widgets.git", False),
        ("https://forge.example.evil.example/acme/widgets.git", False),
        ("https://forge.example/evil/widgets.git", False),
        ("https://forge.example/acme/widgets.git.evil", False),
        ("https://forge.example/", False),
    ],
)
def test_the_token_is_given_for_one_address_alone(tmp_path: Path, asked: str, told: bool) -> None:
    token = tmp_path / "token"
    token.write_text("username=me\npassword=canary\n")
    with token.open() as file:
        urls = ("https://someone@forge.example/acme/widgets.git",)
        helper = credential_helper(file.fileno(), urls)
        settings = ["-c", "credential.useHttpPath=true", "-c", "credential.helper="]
        done = subprocess.run(
            ["git", *settings, "-c", f"credential.helper={helper}", "credential", "fill"],
            input=f"url={asked}\n\n",
            env={"PATH": "/usr/bin:/bin", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"},
            pass_fds=(file.fileno(),),
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
    assert ("canary" in done.stdout) is told


async def test_a_home_from_before_is_pinned_once_when_the_hub_starts(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    git(repo, "remote", "add", "origin", "https://forge.example/acme/widgets.git")
    home = Home(tmp_path / "mh")
    async with open_hub(home) as hub:
        await hub.part(Pins).settled.wait()
        await hub.record(e.RepoAdded(path=str(repo)), e.RepoTrusted(path=str(repo)))
        assert hub.state.repos[str(repo)].remotes is None
    for _ in range(2):
        async with open_hub(home) as hub:
            await hub.part(Pins).settled.wait()
            pinned = hub.state.repos[str(repo)].remotes or {}
            assert pinned["origin"].push == ("https://forge.example/acme/widgets.git",)
        git(repo, "remote", "set-url", "origin", "https://evil.example/acme/widgets.git")


def test_the_newest_base_is_fetched_from_where_it_was_and_with_nothing_of_the_repositorys(
    hub: ForgeHub, forge: GitHubServer, evil: Stranger, tmp_path: Path
) -> None:
    dump = tmp_path / "dump"
    hub.configure(hub.home.config.read_text().replace("fetch_seconds = 0", FETCHING))
    for key in ("remote.origin.uploadpack", "core.sshCommand", "core.gitProxy"):
        hub.git("config", key, f"env > '{dump}'; false", cwd=hub.repo)
    bare = hub.root / f"bare-{tmp_path.name}.git"
    hub.git("clone", "-q", "--bare", str(forge.state.bare.path), str(bare), cwd=hub.root)
    hub.git("remote", "set-url", "origin", str(bare), cwd=hub.repo)
    hub.trust()
    other = tmp_path / "other"
    hub.git("clone", "-q", str(bare), str(other), cwd=tmp_path)
    hub.git("commit", "-q", "--allow-empty", "-m", "Newer", cwd=other)
    hub.git("push", "-q", "origin", "HEAD:main", cwd=other)
    newest = hub.git("rev-parse", "HEAD", cwd=other).strip()
    session = hub.new("From the newest", name="newest", start=False)
    assert (session["base_commit"], dump.exists()) == (newest, False)
    assert hub.git("rev-parse", "origin/main", cwd=hub.repo).strip() == newest
    hub.git("remote", "set-url", "origin", f"{evil.url}/a/b", cwd=hub.repo)
    again = hub.new("Led elsewhere", name="elsewhere", start=False)
    [note] = of_type(hub.events(again["id"]), "note_made")
    assert "origin now points to" in note["text"]
    assert (again["base_commit"], evil.heard) == (newest, [])


FETCHING = "fetch_seconds = 60\nfetch_every_seconds = 0"


def test_the_hub_has_what_must_not_leak(hub: ForgeHub) -> None:
    """Else the others would show nothing."""
    assert (hub.environment["FORGE_TOKEN"], hub.environment["SSH_AUTH_SOCK"]) == (TOKEN, AGENT)


def test_over_ssh_the_users_own_command_and_agent_are_used_and_not_the_repositorys(
    hub: ForgeHub, forge: GitHubServer, tmp_path: Path
) -> None:
    """A stand-in for ssh runs on this machine what the other side was asked to run."""
    place = tmp_path / "acme"
    place.mkdir()
    (place / "widgets.git").symlink_to(forge.state.bare.path)
    ssh, used, evil = tmp_path / "ssh", tmp_path / "used", tmp_path / "evil"
    ssh.write_text(f"#!/bin/sh\nenv >> '{used}'\nfor asked; do :; done\nexec sh -c \"$asked\"\n")
    ssh.chmod(0o755)
    hub.configure(
        hub.home.config.read_text().replace("[github]", f'[github]\napi = "{forge.url}/api/v3"')
    )
    hub.git("config", "--global", "core.sshCommand", str(ssh), cwd=hub.repo)
    hub.git(
        "remote", "set-url", "origin", f"ssh://git@forge.example{place}/widgets.git", cwd=hub.repo
    )
    hub.git("config", "core.sshCommand", f"env > '{evil}'; false", cwd=hub.repo)
    hub.trust()
    session = hub.work()
    assert hub.act(session["id"], "pr")["created"]
    assert f"SSH_AUTH_SOCK={AGENT}\n" in used.read_text()
    assert TOKEN not in used.read_text()
    assert not evil.exists()
    hub.git("config", "--global", "core.sshCommand", "false", cwd=hub.repo)
    again = hub.work("again")
    refused = hub.refusal(again["id"], "pr")
    assert "the repository's own core.sshcommand is not used with your credentials" in refused.hint
