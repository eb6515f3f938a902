"""What of the user's own a box has by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.box.nesting import outermost
from manyhands.box.toolchains import caches, program_places, toolchains


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def found(home: Path, *entries: Path, **roots: str) -> set[str]:
    env = {"PATH": ":".join(map(str, (*entries, "/usr/bin", "/bin"))), **roots}
    return set(toolchains(home, env))


def test_what_path_names_is_there_as_a_whole_installation(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "data" / "node-22"
    program(home / ".pyenv" / "shims" / "python")
    program(elsewhere / "bin" / "node")
    (elsewhere / "lib").mkdir()
    there = found(home, home / ".pyenv" / "shims", elsewhere / "bin")
    assert there == {str(home / ".pyenv"), str(elsewhere)}


def test_a_directory_that_many_share_is_taken_for_itself_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    program(home / ".local" / "bin" / "tool")
    (home / ".local" / "share" / "keyrings").mkdir(parents=True)
    program(home / "scripts" / "bin" / "mine")
    there = found(home, home / ".local" / "bin", home / "scripts" / "bin")
    assert there == {str(home / ".local" / "bin"), str(home / "scripts")}


def test_links_and_interpreters_are_followed_to_where_they_lead(tmp_path: Path) -> None:
    home = tmp_path / "home"
    python = program(tmp_path / "pythons" / "3.12" / "bin" / "python3")
    script = program(home / ".local" / "share" / "tools" / "x" / "bin" / "x", f"#!{python}\n")
    (home / ".local" / "bin").mkdir(parents=True)
    (home / ".local" / "bin" / "x").symlink_to(script)
    there = found(home, home / ".local" / "bin")
    assert str(home / ".local" / "share" / "tools" / "x") in there
    assert str(tmp_path / "pythons" / "3.12") in there


@pytest.mark.parametrize("secret", [".ssh", ".aws", ".gnupg", ".kube", ".config/gh"])
def test_keys_are_never_there_even_if_path_names_their_directory(
    tmp_path: Path, secret: str
) -> None:
    home = tmp_path / "home"
    program(home / secret / "bin" / "helper")
    assert not found(home, home / secret / "bin")
    assert not found(home, home / secret)


@pytest.mark.parametrize("whole", ["", "bin/.."])
def test_a_home_as_a_whole_is_never_there(tmp_path: Path, whole: str) -> None:
    home = tmp_path / "home"
    program(home / "run")
    assert str(home) not in found(home, home / whole)
    assert str(tmp_path) not in found(home, home)


def test_cargo_comes_without_its_credentials(tmp_path: Path) -> None:
    home = tmp_path / "home"
    program(home / ".cargo" / "bin" / "cargo")
    (home / ".cargo" / "credentials.toml").write_text("token")
    assert found(home, home / ".cargo" / "bin") == {str(home / ".cargo" / "bin")}


def test_a_variable_that_names_a_toolchain_brings_it(tmp_path: Path) -> None:
    java = tmp_path / "jdk"
    java.mkdir()
    assert found(tmp_path / "home", JAVA_HOME=str(java)) == {str(java)}


def test_the_system_is_not_listed_again(tmp_path: Path) -> None:
    assert found(tmp_path / "home") == set()
    assert program_places("/usr/bin/env", tmp_path) == ()
    assert outermost(["/a/b", "/a", "/ab", "/b/c"]) == ["/a", "/ab", "/b/c"]


def test_caches_are_those_that_are_there(tmp_path: Path) -> None:
    (tmp_path / ".cache" / "pip").mkdir(parents=True)
    (tmp_path / ".npm" / "_cacache").mkdir(parents=True)
    assert set(caches(tmp_path)) == {str(tmp_path / ".cache/pip"), str(tmp_path / ".npm/_cacache")}
