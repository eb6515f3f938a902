"""Prints the directory of the agents that the tests drive, and installs them where they are not.

They come from npm in exactly these versions, into a cache outside the tree: MANYHANDS_TEST_AGENTS
where it is set, else the user's cache directory. Nothing of the user's own agents is used.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import build_ui
from filelock import FileLock

PACKAGES = {
    "codex-acp": "@agentclientprotocol/codex-acp@2.6.0",
    "opencode": "opencode-ai@1.18.33",
}


class NoAgents(Exception):
    """The agents could not be installed; the message says why."""


def say(text: str) -> None:
    print(f"agents: {text}", file=sys.stderr, flush=True)


def cache() -> Path:
    """By the user database: tests move HOME before they ask."""
    named = os.environ.get("MANYHANDS_TEST_AGENTS")
    if named:
        return Path(named)
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    top = home / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return top / "manyhands" / "test-agents"


def place() -> Path:
    """One directory for each set of versions."""
    pins = "+".join(name.rsplit("/", 1)[-1].replace("@", "-") for name in PACKAGES.values())
    return cache() / pins


def program(name: str) -> Path:
    return place() / "node_modules" / ".bin" / name


def is_complete() -> bool:
    return all(program(name).exists() for name in PACKAGES)


def find() -> Path:
    """The directory of their programs."""
    target = place()
    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{target}.lock"):
        if not is_complete():
            install(target)
    return target / "node_modules" / ".bin"


def install(target: Path) -> None:
    """Whole or not at all: a broken download must not be taken for an installation."""
    node = build_ui.find_node()
    if node is None:
        raise NoAgents("no usable Node was found; `make setup` brings one")
    say(f"installing {', '.join(PACKAGES.values())}")
    with tempfile.TemporaryDirectory(dir=target.parent) as fresh:
        Path(fresh, "package.json").write_text("{}\n")
        words = ("install", "--no-audit", "--no-fund", "--loglevel=error", *PACKAGES.values())
        env = {**os.environ, "PATH": f"{node.directory}{os.pathsep}{os.environ['PATH']}"}
        # However long it takes: npm itself gives up on a network that does not answer.
        done = subprocess.run(
            [*node.npm, *words],
            cwd=fresh,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise NoAgents(f"npm failed: {done.stderr.strip() or done.stdout.strip()}")
        shutil.rmtree(target, ignore_errors=True)
        Path(fresh).rename(target)
        Path(fresh).mkdir()


def main() -> int:
    try:
        print(find())
    except NoAgents as problem:
        say(str(problem))
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
