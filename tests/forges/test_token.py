"""Where the token comes from: gh, a variable or the keyring, and never by its value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend

from manyhands.errors import ForgeFailed
from manyhands.forges.token import require_token


@pytest.fixture
def gh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of that name, which knows one host."""
    for name in ("GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    program = tmp_path / "gh"
    program.write_text(
        "#!/bin/sh\n"
        '[ "$*" = "auth token --hostname github.com" ] && echo gho_of_gh && exit\n'
        "echo no oauth token >&2; exit 1\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return program


def test_gh_is_asked_for_the_remotes_own_host(gh: Path) -> None:
    assert require_token("gh", "github", "api.github.com") == "gho_of_gh"
    assert require_token("", "github", "github.com") == "gho_of_gh"
    with pytest.raises(ForgeFailed, match=r"no token for git\.example\.com"):
        require_token("", "github", "git.example.com")


def test_a_variable_comes_before_gh_and_gh_may_be_missing(
    gh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "of_the_variable")
    assert require_token("", "github", "github.com") == "of_the_variable"
    assert require_token("env:GITHUB_TOKEN", "github", "github.com") == "of_the_variable"
    gh.unlink()
    with pytest.raises(ForgeFailed) as caught:
        require_token("gh", "github", "github.com")
    assert "gh auth login" in caught.value.hint


class Ring(KeyringBackend):
    """A keyring in memory."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.held: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.held[service, username] = password


@pytest.fixture
def ring() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(Ring())
    keyring.set_password("github", "me", "of_the_ring")
    yield
    keyring.set_keyring(before)


@pytest.mark.usefixtures("ring")
def test_the_keyring_is_asked_by_reference() -> None:
    assert require_token("keyring:github/me", "github", "github.com") == "of_the_ring"
    with pytest.raises(ForgeFailed, match=r"no token for github\.com"):
        require_token("keyring:github/nobody", "github", "github.com")


def test_a_file_and_a_command_are_read_and_nothing_else_is_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "token"
    kept.write_text("of_the_file\n")
    assert require_token(f"file:{kept}", "gitea", "codeberg.org") == "of_the_file"
    assert require_token("command:echo 'of the command'", "gitea", "x.org") == "of the command"
    with pytest.raises(ForgeFailed, match="cannot be read: No such file"):
        require_token(f"file:{kept}.gone", "gitea", "codeberg.org")
    with pytest.raises(ForgeFailed, match=r"no token for codeberg\.org") as caught:
        require_token("", "gitea", "codeberg.org")
    assert '[forges."codeberg.org"] token = "env:NAME"' in caught.value.hint


def test_a_variable_for_gitlab_is_sent_to_gitlab_com_alone(
    gh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITLAB_TOKEN", "of_the_variable")
    assert require_token("", "gitlab", "gitlab.com") == "of_the_variable"
    with pytest.raises(ForgeFailed, match=r"no token for git\.example\.org") as caught:
        require_token("", "gitlab", "git.example.org")
    assert "glab auth login --hostname git.example.org" in caught.value.hint
    glab = gh.with_name("glab")
    glab.write_text(
        "#!/bin/sh\n"
        '[ "$*" = "config get token --host git.example.org" ] && echo glpat_of_glab && exit\n'
        "exit 1\n"
    )
    glab.chmod(0o755)
    assert require_token("", "gitlab", "git.example.org") == "glpat_of_glab"
    assert require_token("glab", "gitlab", "git.example.org") == "glpat_of_glab"
