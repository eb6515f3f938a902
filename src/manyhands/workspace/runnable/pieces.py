"""The pieces that could run in a worktree or a commit, with the files that their commands name."""

from __future__ import annotations

import functools
import os
from collections import deque
from collections.abc import Iterable
from os.path import normpath
from pathlib import Path

from msgspec.structs import replace

from manyhands.errors import BadInput, NotTrusted
from manyhands.git.tree_edit import load_tree_files
from manyhands.model.ids import Oid
from manyhands.model.repo.runnable import Runnable
from manyhands.workspace.installers import GROUPS
from manyhands.workspace.repo_config import FILE, RepoConfig, parse_repo_config
from manyhands.workspace.runnable.commit_files import CommitFiles
from manyhands.workspace.runnable.files import (
    Files,
    Reached,
    piece,
    reached,
    reached_file,
    runnable,
)
from manyhands.workspace.runnable.git_settings import hook_folders, load_settings
from manyhands.workspace.runnable.parts import (
    all_scripts,
    build_backend,
    dependencies,
    install_scripts,
)
from manyhands.workspace.runnable.table import PACKAGE, Reading, RunnableRow, row_of
from manyhands.workspace.runnable.words import (
    any_file_in,
    called_in,
    is_package_runner,
    is_script,
    is_shell_script,
    named_by,
    named_in_json,
    named_in_words,
)
from manyhands.workspace.runnable.worktree_files import WorktreeFiles

LOCAL_SETTINGS = ".claude/settings.local.json"
MOST = 1000
"""More nobody would look at."""
MOST_SHOWN = 8 * 1024 * 1024
NAMED = "named by what runs"


@functools.lru_cache(maxsize=64)
def runnable_at(repo: Path, commit: Oid, *, installing: bool = False) -> tuple[Runnable, ...]:
    """What a checkout of the commit would bring along; `installing` where that is to follow."""
    return _Search(CommitFiles(repo, commit), str(repo), installing=installing).all()


def runnable_in(
    root: Path, base: Oid | None = None, *, installing: bool = False
) -> tuple[Runnable, ...]:
    """What a working tree holds now. A file that commands only mention counts where `base` has it:
    what they make by themselves, such as a copied example, is nobody's program."""
    return _Search(WorktreeFiles(root), str(root), root, base, installing=installing).all()


def runnable_beside(repo: Path) -> tuple[Runnable, ...]:
    """What the main checkout adds to every worktree: Claude Code reads its local settings too."""
    search = _Search(WorktreeFiles(repo), str(repo))
    search.take(LOCAL_SETTINGS)
    return search.ended()


def runnable_git(checkout: Path, commit: Oid | None = None) -> tuple[Runnable, ...]:
    """The hooks that git itself would run, without its inactive samples, what its settings name,
    and the files of the checkout, or of the commit, that either leads to."""
    files = CommitFiles(checkout, commit) if commit else WorktreeFiles(checkout)
    search, settings = _Search(files, str(checkout)), load_settings(checkout)
    for one in settings:
        search.add(piece(f".git/config {one.key}", os.fsencode(one.value), one.runs))
        if one.key == "core.hookspath":
            search.take(one.value, "shell")
        search.follow(named_by(one.value))
    for hooks in hook_folders(checkout, settings):
        there = WorktreeFiles(hooks.root)
        for path in there.children(hooks.folder):
            name = f"{hooks.shown}/{path.rpartition('/')[2]}"
            for found in () if path.endswith(".sample") else reached_file(there, path):
                search.put(Reached(name, found.path, found.target), "a git hook", "shell", there)
    return search.ended()


class _Search:
    def __init__(
        self,
        files: Files,
        place: str,
        root: Path | None = None,
        base: Oid | None = None,
        *,
        installing: bool = False,
    ) -> None:
        self._files = files
        self._place = place
        self._root, self._base = root, base
        self._installing = installing
        self._found: dict[str, Runnable] = {}
        self._named: deque[str] = deque()
        self._known_names: set[str] = set()
        self._all_scripts = False
        self._shown = 0

    def all(self) -> tuple[Runnable, ...]:
        config = self._config()
        self._installing = self._installing and _is_installing(self._files, config)
        candidates = list(self._files.candidates())
        links = [path for path in candidates if self._files.kind(path) == "link"]
        plain = [path for path in candidates if self._row(path) or _is_package(path)]
        chosen = list(dict.fromkeys((*plain, *links)))
        self._files.expect(chosen)
        for path in chosen:
            self.take(path)
        return self.ended()

    def take(self, path: str, read: Reading = "") -> None:
        """What lies at a path, or where it leads, as far as the table has it or it is `read`."""
        met = list(reached(self._files, path))
        wanted = [one for one in met if one.path and (read or self._counts(one.name))]
        is_dead_end = not any(one.path for one in met)
        for one in met:
            if not one.path and (wanted or is_dead_end or self._counts(one.name)):
                self.put(one)
        for one in wanted:
            row = self._row(one.name)
            if row is not None or read:
                self.put(one, _about(row), row.read if row else read)
            else:
                self._put_parts(one)

    def put(
        self, one: Reached, about: str = "", read: Reading = "", files: Files | None = None
    ) -> None:
        files = files or self._files
        content = files.load(one.path, one.name) if one.path else None
        if content is None and one.path:
            return  # it is gone again
        made = runnable(one, content, files.way_to(one.path), about)
        self._shown += len(made.text)
        if self._shown > MOST_SHOWN:
            text = f"{made.size:,} bytes, not shown; look at them: {files.way_to(one.path)}"
            made = replace(made, text=text)
        if self.add(made) and content is not None:
            text, folder = content.head.decode("utf-8", "replace"), one.name.rpartition("/")[0]
            named = _named(read, one.name, text)
            self.follow(named)
            if folder:  # some tools read paths from where they stand
                self.follow(normpath(f"{folder}/{name}") for name in named)

    def add(self, made: Runnable) -> bool:
        """False where it is known already."""
        if made.digest in self._found:
            return False
        self._found[made.digest] = made
        if len(self._found) > MOST:
            raise _too_many(self._place, self._found.values())
        return True

    def follow(self, names: Iterable[str]) -> None:
        for name in sorted(names):
            if name not in self._known_names:
                self._known_names.add(name)
                self._named.append(name)

    def ended(self) -> tuple[Runnable, ...]:
        """With all that is named by then, and by that in turn."""
        while self._named:
            name = self._named.popleft()
            met = reached_file(self._files, name)
            for one in met if met and self._is_from_base(name) else ():
                self.put(one, NAMED if one.path else "", "shell")
        return tuple(self._found.values())

    def _is_from_base(self, name: str) -> bool:
        if self._base is None or self._root is None or is_script(name):
            return True
        return bool(load_tree_files(self._root, self._base, [name], largest=1, most=1))

    def _row(self, path: str) -> RunnableRow | None:
        return row_of(path, installing=self._installing)

    def _counts(self, path: str) -> bool:
        return self._row(path) is not None or _is_package(path)

    def _put_parts(self, one: Reached) -> None:
        content = self._files.load(one.path, one.name)
        if content is None:
            return
        if content.size > len(content.head):
            self.put(one, "npm, pnpm, Yarn, bun: install")  # nobody reads the whole of it here
            return
        package, folder = content.head, one.name.rpartition("/")[0]
        chosen = all_scripts if self._all_scripts else install_scripts
        if scripts := chosen(package):
            self.add(piece(f"{one.name} scripts", scripts, "npm, pnpm, Yarn, bun: install"))
            named = named_in_json(scripts.decode("utf-8", "replace"))
            self.follow(f"{folder}/{name}" if folder else name for name in named)
        if self._installing and (wanted := dependencies(package)):
            self.add(piece(f"{one.name} dependencies", wanted, "npm, pnpm, Yarn, bun: install"))

    def _config(self) -> RepoConfig | None:
        """Its commands name files; None where it cannot be read, and then nothing of it runs."""
        met = reached_file(self._files, FILE)
        content = self._files.load(met[-1].path, FILE) if met and met[-1].path else None
        try:
            config = parse_repo_config(content.head, Path(FILE)) if content else RepoConfig()
        except BadInput:
            return None
        for command in (*(config.setup.run or ()), *config.teardown.run, *config.checks.run):
            self.follow(named_by(command))
            self._all_scripts = self._all_scripts or is_package_runner(command)
        return config


def _is_package(path: str) -> bool:
    return path.lower().rpartition("/")[2] == PACKAGE


def _about(row: RunnableRow | None) -> str:
    return f"{row.tool}: {row.runs}, {row.when}" if row else NAMED


def _named(read: Reading, name: str, text: str) -> set[str]:
    match read:
        case "json":
            return named_in_json(text)
        case "words":
            own = build_backend(text) if name.lower().endswith("pyproject.toml") else set()
            return named_in_words(text) | own
        case "files":
            return any_file_in(text)
        case "shell":
            return called_in(text) if is_shell_script(name, text) else set()
        case _:
            return set()


def _is_installing(files: Files, config: RepoConfig | None) -> bool:
    """Whether a setup would install anything: by its own commands, or by those of lock files."""
    if config is None or config.setup.run is not None:
        return config is not None and bool(config.setup.run)
    locks = (lock for group in GROUPS for installer in group for lock in installer.locks)
    return any(files.kind(lock) is not None for lock in locks)


def _too_many(place: str, found: Iterable[Runnable]) -> NotTrusted:
    folders: dict[str, int] = {}
    for one in found:
        folder = "/".join(one.path.split("/")[:2])
        folders[folder] = folders.get(folder, 0) + 1
    most = max(folders, key=lambda folder: folders[folder])
    return NotTrusted(
        f"{place} brings more than {MOST:,} files that could run: nobody would look at all of them,"
        " so it is not trusted",
        hint=f"most of them lie in {most}; leave out what is not needed there, then try again",
    )
