"""Repositories and refs: where git keeps them, what they name, and moving them safely."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import BadInput, GitFailed, NotPossible
from manyhands.git.repository import load_commit_id, load_git_dirs
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

DURABLE = {"core.fsync": "committed,reference", "core.fsyncMethod": "batch"}
"""Config for what must survive a power cut; by default git flushes no loose object."""

_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_PLAIN_NAME = re.compile(r"[a-z0-9]+([-/][a-z0-9]+)*")


@dataclass(frozen=True)
class Repository:
    toplevel: Path
    """The working tree around the path; a bare repository's own directory."""
    common_dir: Path
    """Shared by all worktrees: identifies the repository."""
    git_dir: Path
    """This worktree's own part of it."""
    bare: bool


def find_repository(path: Path) -> Repository | None:
    """The repository around `path`, if there is one."""
    if not path.is_dir():
        return None
    # The last has no answer in a bare repository, nor inside a .git directory.
    asked = ("--is-bare-repository", "--absolute-git-dir", "--git-common-dir", "--show-toplevel")
    said = Git(path).run("rev-parse", *asked, check=False).stdout.split(b"\n", 3)
    if len(said) < 4:
        return None
    bare, git_dir, common, top = map(os.fsdecode, said)
    toplevel = git_dir if bare == "true" else top.removesuffix("\n")
    if not toplevel:
        return None
    return Repository(Path(toplevel), (path / common).resolve(), Path(git_dir), bare == "true")


def common_dir(repo: Path) -> Path:
    """What all worktrees of the repository share; no process where `repo` is a checkout of it."""
    plain = repo / ".git"
    if plain.is_dir() and not plain.is_symlink():
        return plain.resolve()
    return (_load_linked(repo) or require_repository(repo)).common_dir


def require_repository(path: Path) -> Repository:
    found = find_repository(path)
    if found is None:
        raise BadInput(
            f"{path} is not inside a git repository", hint="run `git init` there, or name another"
        )
    return found


def require_worktree(worktree: Path) -> Repository:
    """The repository of which `worktree` is a whole working tree.

    Git looks for a repository in the directories above, so that a worktree which lost its
    `.git` would otherwise be taken for a part of whatever lies around it.
    """
    if worktree.is_symlink():
        raise NotPossible(f"{worktree} is a symbolic link, not a worktree")
    if (linked := _load_linked(worktree)) is not None:
        return linked
    found = find_repository(worktree)
    if found is None or found.bare or found.toplevel.resolve() != worktree.resolve():
        raise NotPossible(f"{worktree} is not a git worktree (any more)")
    return found


def _load_linked(worktree: Path) -> Repository | None:
    """A worktree that `git worktree add` made and that its repository knows, without a process."""
    here = worktree.resolve()
    try:
        own, common = load_git_dirs(here)
        knows = own / os.fsdecode((own / "gitdir").read_bytes().rstrip(b"\n"))
        is_known = knows == here / ".git" or knows.resolve() == here / ".git"
        if not is_known or not (own / "HEAD").exists():
            return None
    except OSError:
        return None
    return Repository(here, common.resolve(), own.resolve(), bare=False)


def resolve(cwd: Path, ref: str) -> Oid | None:
    """The commit that `ref` names."""
    argv = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if not ref or "\0" in ref:
        return None
    if ref == "HEAD" or ref.startswith("refs/"):
        with suppress(NotPossible):
            return Oid(load_commit_id(cwd, ref)) or None
    found = Git(cwd).run(*argv, check=False)
    return None if found.returncode else Oid(found.line)


def tree_of(repo: Path, commit: Oid) -> Oid:
    named = ("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}")
    return Oid(Git(repo).run(*named).line)


def has_commits(repo: Path) -> bool:
    return resolve(repo, "HEAD") is not None


def current_branch(cwd: Path) -> str | None:
    """The branch that HEAD is on, born or not; None when detached."""
    head = _load_head(cwd) or Git(cwd).run("symbolic-ref", "--quiet", "HEAD", check=False).line
    return head.removeprefix(_HEADS) if head.startswith(_HEADS) else None


def _load_head(checkout: Path) -> str:
    """The ref that HEAD names, where a plain file tells."""
    try:
        said = (load_git_dirs(checkout)[0] / "HEAD").read_bytes()
    except OSError:
        return ""
    name = os.fsdecode(said.removeprefix(b"ref:").strip()) if said.startswith(b"ref:") else ""
    return "" if name.endswith(".invalid") else name  # so in repositories that keep refs in tables


def default_base(repo: Path) -> str:
    """Where new work starts: the remote's default branch, else the local one."""
    return load_ref_table(repo).default_base


def merge_base(repo: Path, one: Oid, *others: Oid) -> Oid | None:
    """The best common ancestor of the one and all that the others hold together."""
    found = Git(repo).run("merge-base", "--end-of-options", one, *others, check=False)
    return Oid(found.line) if found.returncode == 0 else None


def is_part_of(repo: Path, commit: str, of: str) -> bool:
    """Whether `of` comes from the commit, or is it."""
    return Git(repo).ok("merge-base", "--is-ancestor", commit, of)


def branch_tip(repo: Path, branch: str) -> Oid | None:
    return resolve(repo, _HEADS + branch)


def set_ref(repo: Path, ref: str, new: Oid, old: Oid | None, *, reason: str = "") -> None:
    """Move `ref` if it still is at `old` (None: does not exist); refuse otherwise."""
    message = ("-m", reason) if reason else ()
    _swap(repo, ref, *message, "--end-of-options", ref, new, old or "0" * len(new))


def put_ref(repo: Path, ref: str, new: Oid) -> None:
    """Set a ref that is ours alone, wherever it was: a call that was killed may have left it."""
    _swap(repo, ref, "--end-of-options", ref, new)


def delete_ref(repo: Path, ref: str, old: Oid) -> None:
    _swap(repo, ref, "-d", "--end-of-options", ref, old)


def _swap(repo: Path, ref: str, *argv: str) -> None:
    try:
        Git(repo).having(DURABLE).run("update-ref", "--no-deref", *argv)
    except GitFailed as error:
        raise NotPossible(f"{ref} moved meanwhile and was left alone: {error.stderr}") from error


def private_refs(repo: Path, prefix: str) -> dict[str, Oid]:
    """Refs below `refs/manyhands/<prefix>`."""
    wanted = f"refs/manyhands/{prefix}".rstrip("/")
    form = "--format=%(objectname) %(refname)"
    listed = Git(repo).run("for-each-ref", form, wanted).stdout.decode().splitlines()
    return {name: Oid(oid) for oid, name in (line.split(" ", 1) for line in listed)}


def require_branch_name(repo: Path, name: str) -> str:
    if _PLAIN_NAME.fullmatch(name):
        return name
    valid = "\0" not in name and not name.startswith("-")
    if not valid or not Git(repo).ok("check-ref-format", _HEADS + name):
        raise BadInput(f"{name!r} cannot be the name of a branch")
    return name


_FORM = "--format=%(HEAD)%00%(objectname)%00%(refname)%00%(symref)"


@dataclass(frozen=True)
class RefTable:
    """All branches of a repository in one look: where they are, which is the default."""

    heads: dict[str, Oid]
    remotes: dict[str, Oid]
    """Remote-tracking branches, such as `origin/main`."""
    current: str | None
    """The branch of the checkout that was asked; None when detached or without commits."""
    remote_default: str | None
    """What the remote's HEAD is known to be."""

    @property
    def default_base(self) -> str:
        """Where new work starts: the remote's default branch, else the local one."""
        wanted = (self.remote_default, "origin/main", "origin/master")
        for name in wanted:
            if name in self.remotes:
                return str(name)
        local = (self.current, "main", "master")
        return next((name for name in local if name and name in self.heads), "HEAD")

    def commit(self, name: str) -> Oid | None:
        """What a branch's plain name stands for, where that is beyond doubt."""
        if name in self.heads and name in self.remotes:
            return None
        return self.heads.get(name) or self.remotes.get(name)


def load_ref_table(repo: Path) -> RefTable:
    """One process that names no program of the repository: a session costs next to nothing."""
    listed = Git(repo, hardened=False).run("for-each-ref", _FORM, _HEADS, _REMOTES).stdout
    heads: dict[str, Oid] = {}
    remotes: dict[str, Oid] = {}
    defaults: dict[str, str] = {}
    current = None
    for line in listed.splitlines():
        mark, oid, ref, target = (os.fsdecode(field) for field in line.split(b"\0"))
        if ref.startswith(_HEADS):
            heads[ref.removeprefix(_HEADS)] = Oid(oid)
            current = ref.removeprefix(_HEADS) if mark == "*" else current
        elif target:
            name = ref.removeprefix(_REMOTES).removesuffix("/HEAD")
            defaults[name] = target.removeprefix(_REMOTES)
        else:
            remotes[ref.removeprefix(_REMOTES)] = Oid(oid)
    only = next(iter(defaults.values())) if len(defaults) == 1 else None
    return RefTable(heads, remotes, current, defaults.get("origin", only))
