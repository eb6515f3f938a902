"""Git in the user's name: with the user's settings, and without the repository's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from manyhands.git.outside.apart import apart
from manyhands.git.outside.fetching import Fetching, fetch_branch, load_addresses
from manyhands.git.outside.hooks import Hooks
from manyhands.git.runner import Git
from manyhands.model.surroundings import Surroundings
from tests.support.samples import commit_all, git, write


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose git config holds what is hard to pass on."""
    place = tmp_path / "user"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(place / ".gitconfig"))
    repo = tmp_path / "my répo"
    (place / ".gitconfig").write_text(
        f'[includeIf "gitdir:{repo}/"]\n\tpath = work\n[core]\n\tpager\n'
        '[alias]\n\tsay = "!f() { echo \\"a\\\\\\\\b\\tc\\"; }; f"\n'
        '[some "odd \\"name\\""]\n\tkey = " spaced # and ; more"\n\tkey = second\n'
    )
    (place / "work").write_text("[core]\n\tsshCommand = ssh -i work\n[user]\n\tname = At Work\n")
    return place


def settings(where: Git) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for entry in where.run("config", "--list", "-z").records:
        key, _, value = entry.decode().partition("\n")
        found.setdefault(key, []).append(value)
    return found


def test_the_users_settings_hold_as_in_the_repository_and_its_own_do_not(
    repo: Path, user: Path
) -> None:
    git(repo, "config", "core.sshCommand", "evil")
    git(repo, "config", "credential.helper", "!evil")
    git(repo, "config", "url.http://evil/.insteadOf", "http://good/")
    (repo / "included").write_text("[http]\n\tproxy = http://evil\n")
    git(repo, "config", "include.path", str(repo / "included"))
    with apart(repo) as own:
        found = settings(own)
    assert (found["core.sshcommand"], found["user.name"]) == (["ssh -i work"], ["At Work"])
    assert found['some.odd "name".key'] == [" spaced # and ; more", "second"]
    assert found["alias.say"] == [Git(repo).run("config", "alias.say").line]
    assert "\\" in found["alias.say"][0]
    assert "evil" not in str(found)


def test_a_branch_is_fetched_by_its_address_into_a_shallow_clone(
    repo: Path, user: Path, tmp_path: Path
) -> None:
    git(repo, "config", "user.name", "Somebody")
    git(repo, "config", "user.email", "somebody@example.invalid")
    write(repo, {"second.txt": "2\n"})
    commit_all(repo, "second")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", str(clone))
    write(repo, {"third.txt": "3\n"})
    newest = commit_all(repo, "third")
    [branch] = git(repo, "branch", "--show-current").split()
    git(clone, "remote", "set-url", "origin", "http://evil.invalid/")
    fetch_branch(clone, "origin", branch, Fetching(f"file://{repo}", 60))
    assert git(clone, "rev-parse", f"origin/{branch}").strip() == newest
    assert git(clone, "log", "--format=%s", f"origin/{branch}").split() == ["third", "second"]
    assert git(clone, "fsck", "--connectivity-only") is not None


def test_an_address_is_as_every_config_rewrites_it(repo: Path, user: Path) -> None:
    git(repo, "remote", "add", "origin", "short:a/b.git")
    git(repo, "config", "--file", str(user / "work"), "url.https://forge/.insteadOf", "short:")
    git(repo, "config", "url.ssh://git@forge/.pushInsteadOf", "short:")
    [(name, address)] = load_addresses(repo).items()
    assert (name, address.fetch) == ("origin", "https://forge/a/b.git")
    assert address.push == ("ssh://git@forge/a/b.git",)
    with apart(repo, {"origin": (address.fetch, *address.push)}) as own:
        assert own.run("remote", "get-url", "origin").line == "https://forge/a/b.git"
        pushes = own.run("remote", "get-url", "--push", "--all", "origin").line.splitlines()
    assert pushes == ["https://forge/a/b.git", "ssh://git@forge/a/b.git"]


def test_a_hook_gets_the_given_environment_its_words_and_its_input(
    repo: Path, tmp_path: Path
) -> None:
    hook = repo / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('echo "$0 $*"; env; cat; exit 3\n')  # no interpreter is named
    hook.chmod(0o755)
    env = Surroundings({"PATH": "/usr/bin:/bin", "MINE": "1"})
    ran = Hooks(repo, env, {"GIT_INDEX_FILE": "i"}).run("pre-push", "a b", stdin=b"in", seconds=60)
    assert ran is not None
    said = ran.stderr.decode().splitlines()
    assert (ran.returncode, said[-1]) == (3, "in")
    assert said[0].endswith("/pre-push a b")
    names = {line.partition("=")[0] for line in said[1:-1]} - {"PWD", "OLDPWD", "SHLVL", "_"}
    assert names == {"PATH", "MINE", "GIT_INDEX_FILE", "GIT_EDITOR", "GIT_PREFIX"}
    hook.chmod(0o644)
    assert Hooks(repo, env, {}).run("pre-push", seconds=60) is None
