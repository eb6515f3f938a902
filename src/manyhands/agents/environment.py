"""What code that an agent wrote may see: nothing that git, ssh or gh would authenticate with.

By default an agent has nothing to push with: the hub pushes, when a person says so. Its git may
still fetch by ssh, with keys that need neither passphrase nor ssh agent. A user who wants it
otherwise names SSH_AUTH_SOCK, GH_TOKEN, ... in ``[environment] pass``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from manyhands.config import Home
from manyhands.git.repository import helper_keys, ssh_command

UNPASSED = frozenset({"SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GIT_ASKPASS"})
NO_KEYS = "ssh -o BatchMode=yes -o PubkeyAuthentication=no"
TO_READ = """\
f() { for asked; do :; done; \
case $asked in "git-upload-pack '"*|"git-lfs-authenticate "*" download") \
%s -o BatchMode=yes "$@";; *) %s "$@";; esac; }; f"""
"""By the last word, which is what the other side is asked to run: a key for nothing but reading."""


def without_push(
    env: Mapping[str, str], *, passed: tuple[str, ...], home: Home, session: str, worktree: str
) -> dict[str, str]:
    """The environment without what git and forges' tools would log in with; what it says wins."""
    kept = {name: value for name, value in env.items() if name not in UNPASSED or name in passed}
    barred = {
        "GIT_TERMINAL_PROMPT": "0",
        **no_git_above(Path(worktree)),
        "GH_CONFIG_DIR": str(home.sessions / session / "gh"),
        "GLAB_CONFIG_DIR": str(home.sessions / session / "glab"),
        **_no_helpers(Path(worktree)),
    }
    if "SSH_AUTH_SOCK" not in passed:
        barred |= _reading(Path(worktree))
    return {**barred, **kept}


def no_git_above(worktree: Path) -> dict[str, str]:
    """Git in a worktree that lost its `.git` must not find the repository that it may lie in."""
    return {"GIT_CEILING_DIRECTORIES": str(worktree.parent)}


def _no_helpers(worktree: Path) -> dict[str, str]:
    """An empty value takes back every helper before it; one for a host only its own."""
    keys = sorted({"credential.helper", *helper_keys(worktree)})
    blank = {f"GIT_CONFIG_KEY_{n}": key for n, key in enumerate(keys)}
    blank |= {f"GIT_CONFIG_VALUE_{n}": "" for n in range(len(keys))}
    return {"GIT_CONFIG_COUNT": str(len(keys)), **blank}


def _reading(worktree: Path) -> dict[str, str]:
    own = ssh_command(worktree)
    if Path(own.split()[0] if own.strip() else "").name != "ssh":
        return {"GIT_SSH_COMMAND": NO_KEYS}
    return {"GIT_SSH_COMMAND": TO_READ % (own, NO_KEYS), "GIT_SSH_VARIANT": "ssh"}
