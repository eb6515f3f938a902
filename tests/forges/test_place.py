"""Which forge a remote belongs to, by its host or by what the user's config says."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.config import INHERITED, ForgeConfig, GitHubConfig, Settings, parse_toml
from manyhands.errors import BadInput, NotPossible
from manyhands.forges.place import place_of
from manyhands.forges.remote import parse_remote

OWN = Settings(
    forges={
        "git.example.org": ForgeConfig(kind="forgejo", token="env:TEA"),
        "code.example.org:8443": ForgeConfig(kind="gitlab"),
        "example.org": ForgeConfig(kind="gitlab", api="https://example.org/lab/api/v4/"),
        "hub.example.org": ForgeConfig(kind="github", timeout_seconds=7),
    }
)


@pytest.mark.parametrize(
    ("url", "kind", "api", "slug"),
    [
        ("git@github.com:o/r.git", "github", "https://api.github.com", "o/r"),
        ("https://github.com/o/r", "github", "https://api.github.com", "o/r"),
        ("ssh://git@ghe.example:2222/o/r.git", "github", "https://ghe.example/api/v3", "o/r"),
        ("https://ghe.example/o/r.git", "github", "https://ghe.example/api/v3", "o/r"),
        ("git@gitlab.com:g/s/r.git", "gitlab", "https://gitlab.com/api/v4", "g/s/r"),
        ("ssh://git@altssh.gitlab.com:443/g/r", "gitlab", "https://gitlab.com/api/v4", "g/r"),
        ("https://gitlab.gnome.org/g/r.git", "gitlab", "https://gitlab.gnome.org/api/v4", "g/r"),
        ("git@codeberg.org:o/r.git", "gitea", "https://codeberg.org/api/v1", "o/r"),
        ("https://git.example.org/o/r", "gitea", "https://git.example.org/api/v1", "o/r"),
        ("ssh://git@git.example.org:22/o/r", "gitea", "https://git.example.org/api/v1", "o/r"),
        (
            "https://code.example.org:8443/g/s/t/r.git",
            "gitlab",
            "https://code.example.org:8443/api/v4",
            "g/s/t/r",
        ),
        ("https://example.org/lab/g/r.git", "gitlab", "https://example.org/lab/api/v4", "g/r"),
        ("git@example.org:lab/r.git", "gitlab", "https://example.org/lab/api/v4", "lab/r"),
        ("https://hub.example.org/o/r", "github", "https://hub.example.org/api/v3", "o/r"),
    ],
)
def test_kind_address_and_name_follow_from_the_remote(
    url: str, kind: str, api: str, slug: str
) -> None:
    place = place_of(parse_remote("origin", url), OWN)
    assert (place.kind, place.api, place.slug) == (kind, api, slug)


def test_the_token_and_patience_are_the_hosts_own() -> None:
    tea = place_of(parse_remote("origin", "git@git.example.org:o/r"), OWN)
    assert (tea.token, tea.seconds, tea.host) == ("env:TEA", 30.0, "git.example.org")
    settings = Settings(github=GitHubConfig(token="env:HUB"), forges=OWN.forges)
    hub = place_of(parse_remote("origin", "git@hub.example.org:o/r"), settings)
    assert (hub.token, hub.seconds) == ("env:HUB", 7.0)
    assert place_of(parse_remote("origin", "git@gitlab.com:o/r"), settings).token == ""


def test_what_is_no_forge_and_what_is_not_safe() -> None:
    for url in ("/srv/git/r.git", "https://example.com/r.git", "https://example.com/o/r r"):
        with pytest.raises(NotPossible, match="no repository of a forge"):
            place_of(parse_remote("origin", url), Settings())
    with pytest.raises(BadInput, match="not https"):
        place_of(parse_remote("origin", "http://gitlab.example.com/o/r"), Settings())


def test_a_token_itself_is_refused_where_a_reference_belongs() -> None:
    text = '[forges."git.example.org"]\nkind = "gitlab"\ntoken = "glpat-c0ffee"\n'
    with pytest.raises(BadInput, match=r"line 3: forges\.git\.example\.org\.token") as caught:
        parse_toml(text, Path("config.toml"), Settings)
    assert "c0ffee" not in str(caught.value)


def test_the_hub_is_given_the_variables_that_forges_name() -> None:
    given = Settings(forges={"git.example.org": ForgeConfig(token="env:MY_TOKEN")}).hub_variables
    assert {"MY_TOKEN", "GITLAB_TOKEN", "GH_TOKEN"} <= set(given)
    assert not {"MY_TOKEN", "GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN"} & INHERITED
