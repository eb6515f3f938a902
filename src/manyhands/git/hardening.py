"""What keeps a repository from running its own code while we only read it.

A repository's config can name programs (fsmonitor, hooks, filters, diff and merge drivers).
Overrides travel in the environment, where a driver's name may hold any character. Drivers
from the user's own config (git-lfs, say) are the user's choice and stay.

Which settings a repository brings hardly ever changes between two commands, so they are remembered
for as long as its config files are the same ones: by inode, size and both times, of which one
cannot be set back. Where the config includes other files nothing is remembered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from manyhands.git.repository import Mark, file_mark, load_git_dirs
from manyhands.model import clock

Setting = tuple[str, str]
Argument = str | bytes | Path

NO_HOOKS: tuple[Setting, ...] = (("core.hooksPath", "/dev/null"),)

READ_ONLY: tuple[Setting, ...] = (
    *NO_HOOKS,
    ("core.fsmonitor", "false"),
    ("core.splitIndex", "false"),
    ("core.pager", "cat"),
    ("core.alternateRefsCommand", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("log.showSignature", "false"),
    ("submodule.recurse", "false"),
    ("diff.ignoreSubmodules", "dirty"),
)

ALWAYS: Mapping[str, str] = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": ":",
    "GIT_LITERAL_PATHSPECS": "1",
}

READING: Mapping[str, str] = {
    "GIT_OPTIONAL_LOCKS": "0",
    # An empty list allows no transport at all: a promisor remote would otherwise be asked
    # for missing objects by whatever program the repository names.
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
}

# A diff driver cannot be unset, an empty command would be run: these flags pass it by.
_DIFF_FLAGS = ("--no-ext-diff", "--no-textconv")
_DIFF_COMMANDS = {"diff", "diff-index", "diff-tree", "diff-files", "log", "show"}

_DRIVER = re.compile(r"(filter|merge|submodule)\.(.+)\.[^.]+", re.DOTALL)
_REPOSITORY_SCOPES = {"local", "worktree"}
_OVERRIDES: Mapping[str, tuple[Setting, ...]] = {
    "filter": (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")),
    "merge": (("driver", "false"),),
    # Looking whether a submodule is dirty would run a git there, with drivers of its own.
    "submodule": (("ignore", "dirty"),),
}

ELSEWHERE = ("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_CONFIG")
MOST_KNOWN = 500
TICK_SECONDS = 1.0

_known: dict[tuple[Path, Mark, Mark], list[Setting]] = {}


def repository_overrides(listing: bytes) -> list[Setting]:
    """Overrides for the drivers in `git config --list -z --show-scope --name-only`."""
    fields = listing.decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(fields[0::2], fields[1::2], strict=False)
    drivers = {
        (match[1], match[2])
        for scope, key in pairs
        if scope in _REPOSITORY_SCOPES and (match := _DRIVER.fullmatch(key))
    }
    return [
        (f"{section}.{name}.{key}", value)
        for section, name in sorted(drivers)
        for key, value in _OVERRIDES[section]
    ]


def guarded(argv: Sequence[Argument]) -> list[Argument]:
    """The command with the flags that only its own options can set."""
    flags = _DIFF_FLAGS if argv[0] in _DIFF_COMMANDS else ()
    return [argv[0], *flags, *argv[1:]]


def as_environment(settings: Iterable[Setting]) -> dict[str, str]:
    """Settings in the form that git reads from its environment."""
    chosen = list(settings)
    env = {"GIT_CONFIG_COUNT": str(len(chosen))}
    for n, (key, value) in enumerate(chosen):
        env |= {f"GIT_CONFIG_KEY_{n}": key, f"GIT_CONFIG_VALUE_{n}": value}
    return env


def settings_in(env: Mapping[str, str]) -> list[Setting]:
    """The reverse of it."""
    numbers = range(int(env.get("GIT_CONFIG_COUNT", "0")))
    return [(env[f"GIT_CONFIG_KEY_{n}"], env[f"GIT_CONFIG_VALUE_{n}"]) for n in numbers]


def load_overrides(cwd: Path, variables: Iterable[str], ask: Callable[[], bytes]) -> list[Setting]:
    """`ask` is git's own listing, with scopes and names."""
    key = None if any(name.startswith(ELSEWHERE) for name in variables) else _key(cwd)
    if key is not None and key in _known:
        return _known[key]
    listing = ask()
    found = repository_overrides(listing)
    # Asked again: a file that was changed meanwhile is not what was listed.
    if key is not None and b"include" not in listing.lower() and _key(cwd) == key and _rests(key):
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[key] = found
    return found


def _rests(key: tuple[Path, Mark, Mark]) -> bool:
    """Two changes within one tick of the file system's clock look like one."""
    return clock.seconds_since(max(key[1][3], key[2][3]) / 1e9) > TICK_SECONDS


def _key(cwd: Path) -> tuple[Path, Mark, Mark] | None:
    """None where `cwd` is not the top of a checkout, whose files could not be told at a glance."""
    try:
        own, common = load_git_dirs(cwd)
        return own, file_mark(common / "config"), file_mark(own / "config.worktree")
    except OSError:
        return None
