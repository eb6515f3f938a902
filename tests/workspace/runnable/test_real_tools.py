"""The table against the tools themselves: what each really runs is what is counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from manyhands.model.ids import Oid
from manyhands.workspace.installers import PIP
from manyhands.workspace.runnable import runnable_at, runnable_git, runnable_in
from tests.support.package_managers import NPMRC
from tests.support.workspace_hub import git, repo

__all__ = ["repo"]


class Place:
    """A repository, a HOME, and a mark that whatever runs leaves."""

    def __init__(self, repo: Path, top: Path) -> None:
        self.repo, self.home = repo, top / "home"
        self.mark = top / "ran"
        self.home.mkdir()
        (self.home / ".npmrc").write_text(NPMRC)
        (self.home / ".gitconfig").write_text("[user]\nname = T\nemail = t@example.invalid\n")

    @property
    def touch(self) -> str:
        return f"touch '{self.mark}'"

    @property
    def script(self) -> str:
        return f"#!/bin/sh\n{self.touch}\n"

    @property
    def javascript(self) -> str:
        return f"require('fs').writeFileSync({json.dumps(str(self.mark))}, '')\n"

    @property
    def python(self) -> str:
        return f"open({str(self.mark)!r}, 'w').close()\n"

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755 if text.startswith("#!") else 0o644)
        git(self.repo, "add", "-A")
        git(self.repo, "commit", "-q", "-m", "More", "--no-verify")

    def run(self, *argv: str, path: str = "", cwd: Path | None = None) -> None:
        """As a person would; whether it succeeds is not the question."""
        search = f"{Path(sys.executable).parent}:{os.environ['PATH']}:{path}"
        env = {"PATH": search, "HOME": str(self.home), "GIT_TERMINAL_PROMPT": "0"}
        subprocess.run(
            argv,
            cwd=cwd or self.repo,
            env=env,
            input=b"protocol=https\nhost=nowhere.invalid\n\n",
            capture_output=True,
            timeout=120,
            check=False,
        )

    def counted(self, *, installing: bool = False) -> set[str]:
        here = runnable_in(self.repo, installing=installing)
        head = Oid(git(self.repo, "rev-parse", "HEAD").strip())
        there = runnable_at(self.repo, head, installing=installing)
        assert {p.digest for p in there} <= {p.digest for p in here}
        return {p.path for p in (*here, *runnable_git(self.repo))}


@pytest.fixture
def place(repo: Path, tmp_path: Path) -> Place:
    return Place(repo, tmp_path)


GIT_SETTINGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "core.fsmonitor": ("tools/run.sh", ("status",)),
    "core.sshCommand": ("tools/run.sh", ("fetch", "ssh://nowhere.invalid/x")),
    "core.editor": ("tools/run.sh", ("commit", "--allow-empty")),
    "diff.external": ("tools/run.sh", ("diff", "HEAD~1")),
    "diff.x.textconv": ("tools/run.sh", ("diff", "HEAD~1")),
    "filter.x.clean": ("tools/run.sh", ("add", "--renormalize", ".")),
    "filter.x.smudge": ("tools/run.sh", ("checkout", "HEAD~1", "--", "a.x")),
    "credential.helper": ("!tools/run.sh", ("credential", "fill")),
    "gpg.program": ("tools/run.sh", ("commit", "--allow-empty", "-S", "-m", "x")),
    "alias.go": ("!tools/run.sh", ("go",)),
    "sequence.editor": ("tools/run.sh", ("rebase", "-i", "HEAD~1")),
    "remote.r.uploadpack": ("tools/run.sh", ("ls-remote", "r")),
    "core.hooksPath": ("tools/hooks", ("commit", "--allow-empty", "-m", "x")),
}


@pytest.mark.parametrize("key", GIT_SETTINGS)
def test_git_runs_what_its_own_settings_name(place: Place, key: str) -> None:
    value, command = GIT_SETTINGS[key]
    name = "tools/hooks/pre-commit" if key == "core.hooksPath" else "tools/run.sh"
    place.write({".gitattributes": "*.x filter=x diff=x\n", "a.x": "1\n", name: place.script})
    place.write({"a.x": "2\n"})
    before = place.counted()
    git(place.repo, "config", "remote.r.url", str(place.repo))
    git(place.repo, "config", key, value)
    place.run("git", *command)
    assert place.mark.exists(), "the tool does not run it (any more)"
    assert place.counted() - before == {f".git/config {key.lower()}", name}


def test_git_runs_what_an_included_or_a_worktrees_own_config_names(
    place: Place, tmp_path: Path
) -> None:
    place.write({"tools/run.sh": place.script, "more.cfg": "[core]\nfsmonitor = tools/run.sh\n"})
    git(place.repo, "config", "include.path", "../more.cfg")
    place.run("git", "status")
    assert place.mark.exists()
    named = {".git/config include.path", ".git/config core.fsmonitor", "tools/run.sh"}
    assert named <= place.counted()
    git(place.repo, "config", "--unset", "include.path")
    place.mark.unlink()
    other = tmp_path / "other"
    git(place.repo, "worktree", "add", "-q", "--detach", str(other))
    git(place.repo, "config", "extensions.worktreeConfig", "true")
    git(other, "config", "--worktree", "core.fsmonitor", "tools/run.sh")
    place.run("git", "status", cwd=other)
    assert place.mark.exists()
    assert {p.path for p in runnable_git(other)} == {".git/config core.fsmonitor", "tools/run.sh"}
    assert runnable_git(place.repo) == ()


def test_git_runs_hooks_and_the_scripts_that_they_call(place: Place) -> None:
    place.write({"tools/inner.sh": place.script, "tools/outer.sh": "#!/bin/sh\ntools/inner.sh\n"})
    hook = place.repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexec sh tools/outer.sh\n")
    hook.chmod(0o755)
    place.run("git", "commit", "--allow-empty", "-m", "x")
    assert place.mark.exists()
    assert place.counted() == {".git/hooks/pre-commit", "tools/outer.sh", "tools/inner.sh"}


def test_what_switches_nothing_on_is_not_asked_about(place: Place) -> None:
    for key, value in {
        "core.fsmonitor": "true",
        "alias.st": "status -s",
        "pager.log": "false",
        "remote.origin.url": "https://example.invalid/x",
        "branch.main.remote": "origin",
        "user.name": "Somebody",
    }.items():
        git(place.repo, "config", key, value)
    assert runnable_git(place.repo) == ()


WORKSPACES = {
    "package.json": '{"name": "top", "version": "1.0.0", "workspaces": ["packages/*"]}',
    ".gitignore": "node_modules/\n",
}


def test_npm_runs_install_scripts_of_nested_packages(place: Place) -> None:
    nested = {"name": "x", "version": "1.0.0", "scripts": {"postinstall": "node tools/x.js"}}
    inner = {"packages/x/package.json": json.dumps(nested)}
    place.write(WORKSPACES | inner | {"packages/x/tools/x.js": place.javascript})
    place.run("npm", "install", "--package-lock-only", "--offline")
    assert not place.mark.exists()
    place.run("npm", "ci", "--offline")
    assert place.mark.exists()
    assert {"packages/x/package.json scripts", "packages/x/tools/x.js"} <= place.counted()


def test_npm_runs_the_shell_that_npmrc_names(place: Place) -> None:
    package = '{"name": "top", "version": "1.0.0", "scripts": {"postinstall": "true"}}'
    place.write(
        {"package.json": package, ".npmrc": "script-shell=./tools/sh\n", "tools/sh": place.script}
    )
    place.run("npm", "install", "--offline")
    assert place.mark.exists()
    assert {".npmrc", "tools/sh"} <= place.counted()


def test_pnpm_runs_its_file_of_hooks(place: Place, package_managers: str) -> None:
    place.write({"package.json": '{"name": "top"}', ".pnpmfile.cjs": place.javascript})
    place.run("pnpm", "install", "--offline", path=package_managers)
    assert place.mark.exists()
    assert ".pnpmfile.cjs" in place.counted()


@pytest.mark.parametrize(
    ("config", "text"),
    [(".yarnrc", 'yarn-path "./.yarn/own.cjs"\n'), (".yarnrc.yml", "yarnPath: .yarn/own.cjs\n")],
)
def test_yarn_gives_way_to_the_program_that_its_config_names(
    place: Place, package_managers: str, config: str, text: str
) -> None:
    place.write({"package.json": "{}", config: text, ".yarn/own.cjs": place.javascript})
    place.run("yarn", "--version", path=package_managers)
    assert place.mark.exists()
    assert {config, ".yarn/own.cjs"} <= place.counted()


def test_pip_runs_the_build_backend_of_what_it_installs(place: Place) -> None:
    project = '[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["build"]\n'
    place.write(
        {
            "requirements.txt": "./lib\n",
            "lib/pyproject.toml": project,
            "lib/build/own.py": place.python,
        }
    )
    place.run(sys.executable, "-m", "pip", "install", "--no-index", "-r", "requirements.txt")
    assert place.mark.exists()
    decide = {"requirements.txt", "lib/pyproject.toml", "lib/build/own.py"}
    assert place.counted(installing=True) == decide
    assert place.counted() == set()


def test_no_module_of_the_repository_is_taken_for_one_of_python_or_pip(place: Place) -> None:
    place.write({"requirements.txt": "", "subprocess.py": place.python, "pip.py": place.python})
    make, install = (
        PIP.command.replace("venv .venv", "venv --without-pip .venv")
        .replace(".venv/bin/python", sys.executable)
        .split(" && ")
    )
    for command in (make, install):
        place.run("sh", "-c", command.replace(" -I", ""))
        assert place.mark.exists(), "it would be, without -I"
        place.mark.unlink()
        place.run("sh", "-c", command)
        assert not place.mark.exists()
    assert (place.repo / ".venv/bin/python").exists()


def test_a_package_managers_script_counts_where_a_command_calls_one(place: Place) -> None:
    package = '{"scripts": {"build": "node tools/build.js", "test": "jest"}}'
    place.write({"package.json": package, "tools/build.js": place.javascript})
    assert place.counted() == set()
    place.write({".manyhands.toml": "[checks]\nrun = ['npm run build']\n"})
    place.run("npm", "run", "build")
    assert place.mark.exists()
    assert place.counted() == {".manyhands.toml", "package.json scripts", "tools/build.js"}
