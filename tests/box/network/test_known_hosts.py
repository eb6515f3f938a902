"""What a listed network reaches by itself, and what follows from remotes and an environment."""

from __future__ import annotations

import pytest

from manyhands.box.network.hosts import patterns
from manyhands.box.network.known_hosts import (
    BESIDE,
    MODELS,
    REGISTRIES,
    forge_hosts,
    known_hosts,
    loopback_ports,
    own_hosts,
)

ALL = [host for table in (REGISTRIES, MODELS, BESIDE) for hosts in table.values() for host in hosts]


def test_every_entry_is_a_pattern_of_its_own() -> None:
    assert len(patterns(ALL)) == len(set(ALL))


def test_registries_and_models_are_known() -> None:
    assert {"pypi.org", "registry.npmjs.org", "proxy.golang.org"} <= set(known_hosts())
    assert {"api.anthropic.com", "api.openai.com"} <= set(known_hosts())


def test_no_entry_is_open_to_whoever_makes_a_name_below_it() -> None:
    wide = [host for host in ALL if host.startswith("*.")]
    assert wide == ["*.archive.ubuntu.com", "*.githubcopilot.com"]


@pytest.mark.parametrize(
    ("remote", "host"),
    [
        ("https://github.com/owner/repo.git", "github.com"),
        ("git@github.com:owner/repo.git", "github.com"),
        ("ssh://git@ssh.github.com:443/owner/repo.git", "github.com"),
        ("forge.example:team/repo", "forge.example"),
        ("ssh://git@forge.example:2222/team/repo", "forge.example"),
        ("https://user:token@forge.example:8443/team/repo", "forge.example:8443"),
        ("git://forge.example/repo", "forge.example"),
    ],
)
def test_a_remote_names_its_forge(remote: str, host: str) -> None:
    assert forge_hosts(remote)[0] == host


@pytest.mark.parametrize(
    "remote", ["/srv/repo.git", "../repo", "./a:b", "file:///srv/repo", "", "ext::sh -c x", "://"]
)
def test_a_path_names_none(remote: str) -> None:
    assert forge_hosts(remote) == []


def test_a_forge_brings_what_it_serves_under_other_names() -> None:
    assert "codeload.github.com" in forge_hosts("git@github.com:a/b")
    assert forge_hosts("git@forge.example:a/b") == ["forge.example"]


def test_what_a_user_has_set_up_is_reached() -> None:
    env = {
        "MODEL_BASE_URL": "https://models.example:8443/v1",
        "LOCAL_URL": "http://localhost:11434",
        "OTHER": "http://127.0.0.1:4000/ and http://[::1]:4001",
        "PLAIN": "words",
    }
    remotes = ["git@forge.example:a/b", "/srv/repo"]
    assert own_hosts(remotes, env) == ["forge.example", "models.example:8443"]
    assert loopback_ports(env) == [11434, 4000, 4001]
