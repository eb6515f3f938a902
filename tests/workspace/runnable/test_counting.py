"""Nothing that could run escapes the count: by number, size, a link, a name or a place."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from manyhands.errors import BadInput, NotTrusted
from manyhands.model.ids import Oid
from manyhands.model.repo.runnable import Runnable
from manyhands.workspace.repo_config import load_repo_config
from manyhands.workspace.runnable import (
    pieces,
    runnable_at,
    runnable_beside,
    runnable_git,
    runnable_in,
    worktree_files,
)
from manyhands.workspace.runnable.table import TABLE
from tests.support.workspace_hub import git, repo

__all__ = ["repo"]
SETTINGS = '{"hooks": {}}'


def write(repo: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)


def commit(repo: Path) -> Oid:
    git(repo, "add", "-A", "--force")
    git(repo, "commit", "-q", "-m", "x", "--allow-empty")
    return Oid(git(repo, "rev-parse", "HEAD").strip())


def both(repo: Path, *, installing: bool = False) -> dict[str, Runnable]:
    """What counts here, and the same in a commit of it."""
    here = runnable_in(repo, installing=installing)
    there = runnable_at(repo, commit(repo), installing=installing)
    assert {(p.path, p.digest) for p in here} == {(p.path, p.digest) for p in there}
    return {p.path: p for p in here}


def digests(found: tuple[Runnable, ...]) -> set[str]:
    return {p.digest for p in found}


def test_six_hundred_files_hide_nothing(repo: Path) -> None:
    write(repo, {f".claude/commands/{n:04}.md": "words\n" for n in range(600)})
    write(repo, {".claude/settings.json": SETTINGS})
    before = both(repo)
    assert ".claude/settings.json" in before
    assert len(before) == 601
    write(repo, {".claude/settings.json": '{"hooks": {"Stop": []}}'})
    assert digests(runnable_in(repo)) != {p.digest for p in before.values()}


def test_more_than_anybody_would_look_at_is_not_trusted_and_says_so(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pieces.MOST > 600
    monkeypatch.setattr(pieces, "MOST", 50)
    write(repo, {f".claude/skills/{n}.md": "words\n" for n in range(51)})
    said = r"more than 50 files that could run.*not trusted"
    with pytest.raises(NotTrusted, match=said) as refused:
        runnable_in(repo)
    assert ".claude/skills" in refused.value.hint
    with pytest.raises(NotTrusted, match=said):
        runnable_at(repo, commit(repo))


def test_the_end_of_a_large_file_counts_and_what_is_not_shown_is_said(repo: Path) -> None:
    script = "#!/bin/sh\n" + "# padding\n" * 200_000
    write(repo, {".claude/hooks/big.sh": script})
    before = both(repo)[".claude/hooks/big.sh"]
    assert before.size == len(script)
    left = len(script) - 256 * 1024
    note = before.text.splitlines()[-1]
    assert note.startswith(f"… {left:,} of {len(script):,} bytes are not shown; look at them: ")
    write(repo, {".claude/hooks/big.sh": script[:-2] + "!\n"})
    after = both(repo)[".claude/hooks/big.sh"]
    assert after.digest != before.digest


@pytest.mark.parametrize("in_commit", [True, False])
def test_what_is_not_shown_is_found_by_the_command_that_is_told(
    repo: Path, in_commit: bool
) -> None:
    name, text = ".claude/hooks/it's $(id).sh", "#!/bin/sh\n" + "# x\n" * 100_000
    write(repo, {name: text})
    made = commit(repo)
    [found] = runnable_at(repo, made) if in_commit else runnable_in(repo)
    way = found.text.splitlines()[-1].partition("look at them: ")[2]
    shell = way if in_commit else f"cat {way}"
    assert subprocess.run(["sh", "-c", shell], capture_output=True, check=True).stdout == (
        text.encode()
    )


def test_a_binary_says_that_it_is_one(repo: Path) -> None:
    (repo / ".husky").mkdir()
    (repo / ".husky/pre-commit").write_bytes(b"\x7fELF\0\1\2")
    assert both(repo)[".husky/pre-commit"].text.startswith("binary, 7 bytes, not shown")


def test_a_link_out_of_the_worktree_counts_as_itself_and_is_not_followed(
    repo: Path, tmp_path: Path
) -> None:
    write(tmp_path / "outside", {"settings.json": SETTINGS, "skills/secret.md": "private\n"})
    (repo / ".claude").symlink_to(tmp_path / "outside")
    (repo / ".husky").symlink_to("../outside")
    found = both(repo)
    assert set(found) == {".claude", ".husky"}
    assert str(tmp_path / "outside") in found[".claude"].text
    assert not any("private" in p.text for p in found.values())
    (repo / ".claude").unlink()
    (repo / ".claude").symlink_to(tmp_path)
    assert both(repo)[".claude"].digest != found[".claude"].digest


def test_a_link_within_the_worktree_is_followed(repo: Path) -> None:
    write(repo, {"shared/settings.json": SETTINGS, "shared/notes.txt": "words\n"})
    (repo / ".claude").symlink_to("shared")
    found = both(repo)
    assert set(found) == {".claude", ".claude/settings.json"}
    write(repo, {"shared/settings.json": '{"hooks": {"Stop": []}}'})
    assert both(repo)[".claude/settings.json"].digest != found[".claude/settings.json"].digest


def test_links_in_a_circle_end(repo: Path) -> None:
    write(repo, {".claude/skills/a/SKILL.md": "words\n"})
    (repo / ".claude/skills/b").symlink_to("../skills")
    (repo / ".claude/skills/c").symlink_to("c")
    found = both(repo)
    assert {".claude/skills/a/SKILL.md", ".claude/skills/b", ".claude/skills/c"} <= set(found)


def test_no_config_is_taken_through_a_link_from_elsewhere(repo: Path, tmp_path: Path) -> None:
    write(tmp_path, {"else.toml": "[setup]\nrun = ['true']\n"})
    (repo / ".manyhands.toml").symlink_to(tmp_path / "else.toml")
    with pytest.raises(BadInput, match="a link out of the repository"):
        load_repo_config(repo)


def test_capitals_hide_nothing(repo: Path) -> None:
    write(repo, {".Claude/Settings.JSON": SETTINGS, ".MCP.json": "{}"})
    assert set(both(repo)) == {".Claude/Settings.JSON", ".MCP.json"}


def test_a_script_that_a_hook_of_the_settings_names_counts(repo: Path) -> None:
    hook = {"type": "command", "command": 'python3 "$CLAUDE_PROJECT_DIR"/tools/x.py --fast'}
    bare = {"type": "command", "command": "node lint"}
    allowed = {"allow": ["Bash(python3 src/app.py)"]}
    settings = {"hooks": {"Stop": [{"hooks": [hook, bare]}]}, "permissions": allowed}
    write(repo, {".claude/settings.json": json.dumps(settings)})
    write(repo, {"tools/x.py": "pass\n", "lint": "1\n", "src/app.py": "pass\n"})
    server = '{"mcpServers": {"own": {"command": "python3", "args": ["-u", "serve"]}}}'
    write(repo, {".mcp.json": server, "serve": "pass\n"})
    named = {"tools/x.py", "lint", "serve"}
    assert set(both(repo)) == {".claude/settings.json", ".mcp.json", *named}


def test_a_named_script_that_is_a_link_out_of_the_worktree_counts_as_itself(
    repo: Path, tmp_path: Path
) -> None:
    write(tmp_path, {"private.py": "private\n"})
    write(repo, {".manyhands.toml": "[setup]\nrun = ['python3 tools/x.py']\n", "tools/y": ""})
    (repo / "tools/x.py").symlink_to(tmp_path / "private.py")
    found = both(repo)
    assert set(found) == {".manyhands.toml", "tools/x.py"}
    assert "private\n" not in found["tools/x.py"].text


@pytest.mark.parametrize("command", ["cd web && make deps", "make -C web", "npm --prefix web ci"])
def test_programs_are_found_where_a_command_goes(repo: Path, command: str) -> None:
    write(repo, {".manyhands.toml": f"[setup]\nrun = ['{command}']\n", "web/Makefile": "deps:\n"})
    write(repo, {"web/package.json": '{"scripts": {"build": "x"}}'})
    found = set(both(repo))
    assert ("web/package.json scripts" if "npm" in command else "web/Makefile") in found


def test_what_decides_an_install_counts_only_where_one_is_made(repo: Path) -> None:
    write(
        repo,
        {
            "package.json": '{"dependencies": {"x": "1"}, "version": "1"}',
            "package-lock.json": "{}",
            "web/yarn.lock": "",
            "pyproject.toml": "[project]\nname = 'x'\n",
            "lib/setup.py": "pass\n",
        },
    )
    decide = {"package.json dependencies", "package-lock.json", "web/yarn.lock", "pyproject.toml"}
    assert both(repo) == {}
    assert set(both(repo, installing=True)) == {*decide, "lib/setup.py"}
    write(repo, {".manyhands.toml": "[setup]\nrun = []\n"})
    assert set(both(repo, installing=True)) == {".manyhands.toml"}


def test_every_row_says_who_runs_what_and_when_and_finds_its_own_paths(repo: Path) -> None:
    for row in TABLE:
        assert row.tool
        assert row.runs
        assert row.when
    names = {
        path.replace("**/", "deep/").replace("/**", "/file").replace("*", "x")
        for row in TABLE
        for path in row.paths
    }
    write(repo, dict.fromkeys((*names, "package-lock.json"), "x\n") | {".manyhands.toml": ""})
    assert names <= set(both(repo, installing=True))


def test_a_file_that_cannot_be_read_counts(repo: Path) -> None:
    if os.geteuid() == 0:
        (repo / ".mcp.json").mkdir()  # root reads everything: at least a folder is no error
        assert runnable_in(repo) == ()
        return
    write(repo, {".mcp.json": "{}"})
    (repo / ".mcp.json").chmod(0)
    [found] = runnable_in(repo)
    assert "cannot be read" in found.text


def test_local_settings_of_the_main_checkout_bring_their_scripts(repo: Path) -> None:
    text = '{"statusLine": {"type": "command", "command": "sh tools/line.sh"}}'
    write(repo, {".claude/settings.local.json": text, "tools/line.sh": "echo\n"})
    assert {p.path for p in runnable_beside(repo)} == {
        ".claude/settings.local.json",
        "tools/line.sh",
    }


def test_a_hook_that_is_a_link_is_read_only_within_the_checkout(repo: Path, tmp_path: Path) -> None:
    write(repo, {"tools/hook": "#!/bin/sh\n"})
    write(tmp_path, {"private": "private\n"})
    hooks = repo / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "pre-commit").symlink_to("../../tools/hook")
    (hooks / "post-commit").symlink_to(tmp_path / "private")
    found = {(p.path, p.text.strip()) for p in runnable_git(repo)}
    assert (".git/hooks/pre-commit", "#!/bin/sh") in found
    assert not any("private\n" in text for _, text in found)
    assert {path for path, _ in found} == {".git/hooks/pre-commit", ".git/hooks/post-commit"}


def test_a_large_file_that_rests_is_not_hashed_again(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    big = repo / ".claude/hooks/big.sh"
    write(repo, {".claude/hooks/big.sh": "x" * (5 * 1024 * 1024)})
    hashed: list[str] = []
    real = worktree_files._hash_rest

    def counting(file: object, name: str, head: bytes) -> tuple[str, int]:
        hashed.append(name)
        return real(file, name, head)  # type: ignore[arg-type]

    monkeypatch.setattr(worktree_files, "_hash_rest", counting)
    monkeypatch.setattr(worktree_files, "TICK_SECONDS", -1.0)
    before = runnable_in(repo)
    assert runnable_in(repo) == before
    assert len(hashed) == 1
    # Changed in place, with its size and its time of change put back: not taken for the same.
    about = big.stat()
    with big.open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"!")
    os.utime(big, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert digests(runnable_in(repo)) != digests(before)


def test_what_was_just_written_is_not_remembered(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repo, {".claude/hooks/big.sh": "x" * (5 * 1024 * 1024)})
    monkeypatch.setattr(worktree_files, "TICK_SECONDS", 3600.0)
    known = dict(worktree_files._remembered)
    runnable_in(repo)
    assert worktree_files._remembered == known


def test_names_are_shown_as_they_can_be_typed(repo: Path) -> None:
    name = ".claude/hooks/a'b c.sh"
    write(repo, {name: "x" * 300_000})
    [found] = runnable_in(repo)
    assert shlex.quote(str(repo / name)) in found.text
