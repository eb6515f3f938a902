"""What keeps a repository from running its own code while we only read it.

A repository's config can name programs (fsmonitor, hooks, filters, diff and merge drivers).
Overrides travel in the environment, where a driver's name may hold any character. Drivers
from the user's own config (git-lfs, say) are the user's choice and stay.

Which settings a repository brings hardly ever changes between two commands, so they are remembered
for as long as its config files are the same ones, for all its worktrees: by inode, size and both
times, of which one cannot be set back. Where they include other files nothing is remembered.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from manyhands.git.repository import Mark, file_mark, is_resting, linked_dirs, load_git_dirs

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
REPOSITORY_SCOPES = ("local", "worktree")
_INCLUDE = re.compile(r"include(if)?\.", re.IGNORECASE)
_OVERRIDES: Mapping[str, tuple[Setting, ...]] = {
    "filter": (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")),
    "merge": (("driver", "false"),),
    # Looking whether a submodule is dirty would run a git there, with drivers of its own.
    "submodule": (("ignore", "dirty"),),
}

MOST_KNOWN = 500

Entry = tuple[str, str | None]
"""A setting; without a value it is one that is merely named."""
_Key = tuple[str, Mark, Mark]
_known: dict[_Key, tuple[Entry, ...]] = {}


def listed(listing: bytes, scopes: Collection[str] = REPOSITORY_SCOPES) -> tuple[Entry, ...]:
    """What a `git config --list -z --show-scope` says, of these scopes."""
    fields = listing.decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(fields[0::2], fields[1::2], strict=False)
    found = (entry.partition("\n") for scope, entry in pairs if scope in scopes)
    return tuple((key, value if is_valued else None) for key, is_valued, value in found)


def overrides(entries: Iterable[Entry]) -> list[Setting]:
    """For the drivers that a repository's settings name."""
    drivers = {(m[1], m[2]) for key, _ in entries if (m := _DRIVER.fullmatch(key))}
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


def load_entries(
    cwd: Path, variables: Mapping[str, str], ask: Callable[[], bytes]
) -> tuple[Entry, ...]:
    """The repository's own settings; `ask` is git's own listing, with scopes."""
    key = _key(cwd, variables)
    if key is not None and key in _known:
        return _known[key]
    # Asked before it is listed: a file that changes meanwhile is not what was listed.
    rests = key is not None and is_resting(key[1:])
    found = listed(ask())
    if key is not None and rests and not any(_INCLUDE.match(name) for name, _ in found):
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[key] = found
    return found


def _key(cwd: Path, variables: Mapping[str, str]) -> _Key | None:
    """None where `cwd` is not the top of a checkout, whose files could not be told at a glance."""
    if "GIT_CONFIG" in variables:
        return None
    try:
        own, common = _directories(cwd, variables)
        shared, mine = file_mark(common / "config"), file_mark(own / "config.worktree")
    except OSError:
        return None
    place = os.path.normpath(own if any(mine) else common)
    return (place, shared, mine) if any(shared) else None


def _directories(cwd: Path, variables: Mapping[str, str]) -> tuple[Path, Path]:
    given = variables.get("GIT_DIR", "")
    own, common = linked_dirs(cwd / given) if given else load_git_dirs(cwd)
    return own, cwd / variables.get("GIT_COMMON_DIR", common)
