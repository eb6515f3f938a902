"""Signed commits: by the user's own config alone, and a failure told in plain words."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.forge.hub import ForgeHub


def configure(hub: ForgeHub, **settings: str) -> None:
    """In the user's own git config."""
    for key, value in settings.items():
        hub.git("config", "--global", key.replace("_", "."), value, cwd=hub.repo)


def make_key(place: Path) -> Path:
    key = place / "key"
    argv = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(key))
    subprocess.run(argv, check=True)
    return key


def test_commits_and_merges_are_signed_with_the_users_own_key_and_no_other_program(
    hub: ForgeHub, tmp_path: Path
) -> None:
    configure(hub, commit_gpgSign="true", gpg_format="ssh")
    configure(hub, user_signingKey=str(make_key(tmp_path)))
    session = hub.work(committed=False)
    worktree, dump = Path(session["worktree"]), tmp_path / "dump"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nenv >> '{dump}'\nexit 1\n")
    program.chmod(0o755)
    for key in ("gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand"):
        hub.git("config", key, str(program), cwd=worktree)
    hub.git("config", "user.signingKey", "/nowhere", cwd=worktree)
    made = hub.act(session["id"], "commit", message="Greet")
    hub.git("commit", "-q", "--allow-empty", "--no-gpg-sign", "-m", "On", cwd=hub.repo)
    merged = hub.act(session["id"], "merge")
    for commit in (made["commit"], merged["commit"]):
        assert "BEGIN SSH SIGNATURE" in hub.git("cat-file", "commit", commit, cwd=hub.repo)
    assert not dump.exists()


@pytest.mark.parametrize(
    ("settings", "why", "way"),
    [
        ({"gpg_program": "/nowhere/gpg"}, "gpg could not sign: cannot run", "gpg --clearsign"),
        ({"user_signingKey": "NOBODY"}, "gpg could not sign: ", "gpg --clearsign"),
        (
            {"gpg_format": "ssh", "user_signingKey": "/nowhere/key.pub"},
            "ssh-keygen could not sign: ",
            "ssh-add -l",
        ),
    ],
)
def test_what_keeps_a_commit_from_being_signed_is_told(
    hub: ForgeHub, settings: dict[str, str], why: str, way: str
) -> None:
    session = hub.work(committed=False)
    worktree = Path(session["worktree"])
    configure(hub, commit_gpgSign="true", **settings)
    refused = hub.refusal(session["id"], "commit", message="Greet")
    assert f"your git config asks for signed commits, and {why}" in refused.message
    assert way in refused.hint
    assert hub.git("log", "--format=%s", "main..", cwd=worktree) == ""
    hub.git("add", "-A", cwd=worktree)
    hub.git("commit", "-q", "--no-gpg-sign", "-m", "By hand", cwd=worktree)
    assert "asks for signed commits" in hub.refusal(session["id"], "merge", method="squash").message
    configure(hub, commit_gpgSign="false")
    assert hub.act(session["id"], "merge", method="squash")["commit"]


def test_a_repository_that_asks_for_signatures_is_told_whose_config_counts(hub: ForgeHub) -> None:
    session = hub.work(committed=False)
    hub.git("config", "commit.gpgSign", "true", cwd=hub.repo)
    refused = hub.refusal(session["id"], "commit", message="Greet")
    assert "the repository's own git config asks for signed commits" in refused.message
    hub.git("config", "--unset", "commit.gpgSign", cwd=hub.repo)
    assert hub.act(session["id"], "commit", message="Greet")["commit"]


def test_an_update_that_cannot_be_signed_is_told_and_not_left_half_way(hub: ForgeHub) -> None:
    session = hub.work()
    worktree = Path(session["worktree"])
    hub.git("commit", "-q", "--allow-empty", "-m", "Newer", cwd=hub.repo)
    hub.git("update-ref", "refs/remotes/origin/main", "main", cwd=hub.repo)
    before = hub.git("rev-parse", "HEAD", cwd=worktree)
    configure(hub, commit_gpgSign="true", gpg_program="/nowhere/gpg")
    refused = hub.refusal(session["id"], "update")
    assert "/nowhere/gpg" in refused.message
    assert hub.git("rev-parse", "HEAD", cwd=worktree) == before
    git_dir = Path(hub.git("rev-parse", "--absolute-git-dir", cwd=worktree).strip())
    assert not (git_dir / "MERGE_HEAD").exists()
    configure(hub, commit_gpgSign="false")
    hub.act(session["id"], "update")
    assert "Newer" in hub.git("log", "--format=%s", cwd=worktree)
