"""Submodules of a worktree, initialised without a word in the config that all worktrees share.

Where the main checkout has a submodule's commit already, it is taken from there, with no network;
objects are linked, and the copy's remote is the real one. What must be fetched is first cloned with
the user's own credentials and settings, without the repository's, which may name programs. It is
checked out, filters and all, by the git that the caller chose.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from manyhands.errors import GitFailed
from manyhands.git import lfs, refs
from manyhands.git.repository import load_git_dirs
from manyhands.git.runner import Git
from manyhands.git.settings import ALONE, load_settings, write_settings
from manyhands.model.clock import monotonic
from manyhands.model.quoting import quoted

TIMEOUT = 600.0
"""For all of one level that must be fetched."""
JOBS = 4
MOST_NAMED = 5
_ACTIVE = {"submodule.active": "."}
_UPDATE = ("submodule", "--quiet", "update")
_CLONE = ("clone", "--quiet", "--bare")
_LAST = re.compile(r"([/:])[^/:]*$")
_NO_NETWORK = re.compile(
    r"resolve host|unable to access|onnection (?:refused|timed out|reset)|unreachable"
    r"|Could not read from remote|timed out|no end after|Temporary failure|No route to host"
)


@dataclass(frozen=True)
class Submodule:
    name: str
    path: str
    url: str = ""
    """As `.gitmodules` or the repository's config has it; may be relative."""
    shallow: bool = False


def complete(worktree: Path, git: Git) -> list[str]:
    """Bring along what a checkout leaves out, submodules and large files; what did not work."""
    common = refs.common_dir(worktree)
    notes = initialise_submodules(worktree, common, git) if has_submodules(worktree) else []
    missing = lfs.missing_files_note(worktree)
    return [*notes, missing] if missing else notes


def has_submodules(worktree: Path) -> bool:
    return (worktree / ".gitmodules").is_file()


def list_submodules(worktree: Path) -> list[Submodule]:
    said, own = (_load_tables(worktree, *file) for file in (("--file", ".gitmodules"), ()))
    return [
        Submodule(
            name,
            table["path"],
            own.get(name, {}).get("url") or table.get("url", ""),
            table.get("shallow") == "true",
        )
        for name, table in said.items()
        if table.get("path")
    ]


def _load_tables(worktree: Path, *file: str) -> dict[str, dict[str, str]]:
    """Settings of submodules, by the submodule's name."""
    listing = ("config", "-z", *file, "--get-regexp", r"^submodule\..*\.(path|url|shallow)$")
    found: dict[str, dict[str, str]] = {}
    for record in Git(worktree).run(*listing, check=False).records:
        key, _, value = os.fsdecode(record).partition("\n")
        name, _, setting = key.removeprefix("submodule.").rpartition(".")
        found.setdefault(name, {})[setting] = value
    return found


def initialise_submodules(worktree: Path, common_dir: Path, git: Git) -> list[str]:
    """Bring every submodule to the commit that the worktree names; what did not work, in words.

    Those within submodules too, one level after the other: names repeat from level to level.
    """
    found = list_submodules(worktree)
    local = {submodule: common_dir / "modules" / submodule.name for submodule in found}
    near = [s for s in found if _is_near(worktree, s, local[s])]
    problems = _take_near(git, worktree, {s: local[s] for s in near})
    problems += _fetch(git, worktree, [s for s in found if s not in near])
    for submodule in found:
        inside = worktree / submodule.path
        if has_submodules(inside):
            problems += initialise_submodules(inside, local[submodule], replace(git, cwd=inside))
    return problems


def _is_near(worktree: Path, submodule: Submodule, local: Path) -> bool:
    wanted = _wanted(worktree, submodule)
    return bool(wanted) and (local / "HEAD").is_file() and _holds(local, wanted)


def _take_near(git: Git, worktree: Path, near: dict[Submodule, Path]) -> list[str]:
    problems = []
    for submodule, local in near.items():
        url = {f"submodule.{submodule.name}.url": str(local), "protocol.file.allow": "always"}
        try:
            git.having(_ACTIVE | url).run(*_UPDATE, "--", submodule.path, timeout=TIMEOUT)
            real = Git(local).run("config", "remote.origin.url", check=False).line
            if real:
                Git(worktree / submodule.path).run("config", "remote.origin.url", real)
        except GitFailed as error:
            problems.append(_problem([submodule], error))
    return problems


def _fetch(git: Git, worktree: Path, missing: list[Submodule]) -> list[str]:
    """From their remotes: the first one by itself, and if there is a way out, the others several at
    a time. Where there is none, the others are not tried one by one."""
    if not missing:
        return []
    scratch, _ = load_git_dirs(worktree)
    with _cloning(worktree, scratch) as (users, place), ThreadPoolExecutor(JOBS) as pool:
        users = replace(users, inherit=git.inherit, background=git.background)
        fetching = _Fetching(users.having(dict(git.settings)), worktree, place)
        first = fetching.clone(missing[0])
        if isinstance(first, GitFailed) and _NO_NETWORK.search(first.stderr):
            return [_problem(missing, first)]
        tried = dict(zip(missing, [first, *pool.map(fetching.clone, missing[1:])], strict=True))
        problems = _problems({s: e for s, e in tried.items() if isinstance(e, GitFailed)})
        near = {s: copy for s, copy in tried.items() if isinstance(copy, Path)}
        return problems + _take_near(git, worktree, near)


@contextlib.contextmanager
def _cloning(repo: Path, scratch: Path) -> Iterator[tuple[Git, Path]]:
    """Git that makes copies of other repositories for `repo`, and a place for them in `scratch`."""
    with tempfile.TemporaryDirectory(prefix="manyhands-", dir=scratch) as made:
        own = Path(made) / "settings"
        found = load_settings(repo).of_user
        write_settings(own, (entry for entry in found if not entry[0].startswith("include")))
        git = Git(Path("/"), hardened=False).having(None, **ALONE)
        yield git.having(GIT_CONFIG_GLOBAL=own, GIT_PROTOCOL_FROM_USER="0"), Path(made)


@dataclass(frozen=True)
class _Fetching:
    git: Git
    worktree: Path
    place: Path
    deadline: float = field(default_factory=lambda: monotonic() + TIMEOUT)

    def clone(self, submodule: Submodule) -> Path | GitFailed:
        copy = self.place / f"{hashlib.sha256(submodule.path.encode()).hexdigest()[:16]}.git"
        depth = ("--depth=1",) if submodule.shallow else ()
        wanted = _wanted(self.worktree, submodule)
        try:
            url = _whole_url(self.worktree, submodule.url)
            self._run(*_CLONE, *depth, "--", url, copy)
            if wanted and not _holds(copy, wanted):
                # On no branch: many hosts give it all the same.
                inside = replace(self.git, cwd=copy)
                self._run("fetch", "--quiet", *depth, "origin", wanted, git=inside)
        except GitFailed as error:
            return error
        return copy

    def _run(self, *argv: str | Path, git: Git | None = None) -> None:
        (git or self.git).run(*argv, timeout=max(1.0, self.deadline - monotonic()))


def _whole_url(worktree: Path, url: str) -> str:
    """Relative to where the repository comes from, or to the worktree where that is nowhere."""
    if not url.startswith(("./", "../")):
        return url
    asked = ("config", "remote.origin.url")
    base = (Git(worktree).run(*asked, check=False).line or str(worktree)).rstrip("/")
    if not base.startswith("/") and ":" not in base:
        base = str(worktree / base)
    between = "/"
    while url.startswith(("./", "../")):
        step, _, url = url.partition("/")
        if step == ".." and (last := _LAST.search(base)):
            base, between = base[: last.start()], last[1]
    return f"{base}{between}{url}"


def _problems(failed: dict[Submodule, GitFailed]) -> list[str]:
    """A network that went away is told of once."""
    cut_off = [s for s, error in failed.items() if _NO_NETWORK.search(error.stderr)]
    told = [_problem([s], error) for s, error in failed.items() if s not in cut_off]
    return [*told, _problem(cut_off, failed[cut_off[0]])] if cut_off else told


def _problem(missing: list[Submodule], error: GitFailed) -> str:
    said = [line for line in error.stderr.strip().splitlines() if line.startswith("fatal:")]
    reason = said[0] if said else (error.stderr.strip().splitlines() or [error.message])[-1]
    names = ", ".join(s.path for s in missing[:MOST_NAMED])
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    what = "submodule" if len(missing) == 1 else f"{len(missing)} submodules"
    few = ("--", *(s.path for s in missing)) if len(missing) <= MOST_NAMED else ()
    again = quoted("git", "submodule", "update", "--init", *few)
    return f"the {what} {names}{more} could not be initialised: {reason}; `{again}` tries again"


def _wanted(worktree: Path, submodule: Submodule) -> str:
    listed = Git(worktree).run("ls-files", "-z", "--stage", "--", submodule.path).records
    links = [record.split()[1] for record in listed if record.startswith(b"160000 ")]
    return links[0].decode() if links else ""


def _holds(git_dir: Path, commit: str) -> bool:
    # A module's own git directory names its checkout by a relative path; none is needed here.
    asked = Git(git_dir).having(GIT_DIR=git_dir)
    return asked.ok("cat-file", "-e", f"{commit}^{{commit}}")
