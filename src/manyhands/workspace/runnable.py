"""What a repository could make git, an agent or us run: the content that trust is about.

Each piece is known by a hash of its name and content. A piece that a person has approved stays
approved; a new or changed one must be shown first. What package managers fetch is not among it:
the lock file pins that.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from manyhands.errors import BadInput
from manyhands.git import refs
from manyhands.git.tree_edit import load_tree_files
from manyhands.model.ids import Oid
from manyhands.model.repo.runnable import Runnable
from manyhands.workspace.repo_config import FILE, parse_repo_config

PATTERNS = (
    FILE,
    ".mcp.json",
    ".claude/settings*.json",
    *(f".claude/{kind}/*" for kind in ("hooks", "commands", "agents", "skills", "plugins")),
    ".githooks/*",
    ".husky/*",
)
LOCAL_SETTINGS = ".claude/settings.local.json"
ROOTS = (FILE, ".mcp.json", ".claude", ".githooks", ".husky", "package.json")
INSTALL_SCRIPTS = ("preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare")
SCRIPTS = (".sh", ".bash", ".zsh", ".py", ".js", ".cjs", ".mjs", ".ts", ".rb", ".pl", ".php")
SHELLS = ("sh", "bash", "zsh", "dash", ".", "source")
INTERPRETERS = (*SHELLS, "python", "python3", "node", "ruby", "perl")
MAKEFILES = ("GNUmakefile", "Makefile", "makefile")
WRITTEN = re.compile(r">>?\s*[\w./-]+")
"""What a command writes to is no program of it."""
LARGEST = 1024 * 1024
MOST = 500


Load = Callable[[list[str]], dict[str, bytes]]
"""Contents of the named files, as far as there are such."""


@functools.lru_cache(maxsize=64)
def runnable_at(repo: Path, commit: Oid) -> tuple[Runnable, ...]:
    """What a checkout of the commit would bring along."""
    load = functools.partial(load_tree_files, repo, commit, largest=LARGEST, most=MOST)
    return tuple(_pieces(load(ROOTS), load))


def runnable_in(root: Path, base: Oid | None = None) -> tuple[Runnable, ...]:
    """What a working tree holds now. A file that commands only mention counts where `base` has it:
    what they make by themselves, such as a copied example, is nobody's program."""
    found: dict[str, bytes] = {}
    for top in ROOTS:
        where = root / top
        inside = [where] if not where.is_dir() else sorted(where.rglob("*"))
        found |= _load_files(root, (str(p.relative_to(root)) for p in inside[:MOST]))

    def load(names: list[str]) -> dict[str, bytes]:
        mentioned = [name for name in names if not _is_program(name)]
        if base and mentioned:
            at_base = load_tree_files(root, base, mentioned, largest=1, most=MOST)
            names = [name for name in names if _is_program(name) or name in at_base]
        return _load_files(root, names)

    return tuple(_pieces(found, load))


def runnable_beside(repo: Path) -> tuple[Runnable, ...]:
    """What the main checkout adds to every worktree: Claude Code reads its local settings too."""
    found = _load_files(repo, [LOCAL_SETTINGS])
    return tuple(_piece(path, data) for path, data in found.items())


def runnable_hooks(repo: Path) -> tuple[Runnable, ...]:
    """The hooks that git itself would run; its inactive samples are left out."""
    where = refs.common_dir(repo) / "hooks"
    try:
        names = sorted(p.name for p in where.iterdir() if p.is_file() and p.suffix != ".sample")
    except OSError:
        return ()
    contents = _load_files(where, names[:MOST])
    return tuple(_piece(f".git/hooks/{name}", data) for name, data in contents.items())


def _load_files(root: Path, names: Iterable[str]) -> dict[str, bytes]:
    found = {}
    for name in names:
        path = root / name
        try:
            if path.is_symlink():
                found[name] = os.fsencode(path.readlink())
            if path.is_file():
                with path.open("rb") as file:
                    found[name] = found.get(name, b"") + file.read(LARGEST)
        except OSError:
            continue
    return found


def _pieces(found: Mapping[str, bytes], load: Load) -> Iterator[Runnable]:
    for path, data in found.items():
        if any(fnmatchcase(path, pattern) for pattern in PATTERNS):
            yield _piece(path, data)
    if scripts := _install_scripts(found.get("package.json", b"")):
        yield _piece("package.json scripts", scripts)
    if FILE in found:
        named = _named_files(found[FILE])
        for path, data in load(named).items():
            if path in named:  # and not all that lies below a folder that is mentioned
                yield _piece(path, data)


def _piece(path: str, data: bytes) -> Runnable:
    digest = hashlib.sha256(os.fsencode(path) + b"\0" + data).hexdigest()
    shown = os.fsencode(path).decode("utf-8", "backslashreplace")
    return Runnable(shown, digest, data.decode("utf-8", "replace"))


def _install_scripts(package: bytes) -> bytes:
    """Only what an install runs: a new dependency or a renamed test changes nothing here."""
    try:
        scripts = json.loads(package).get("scripts", {})
        kept = {name: scripts[name] for name in INSTALL_SCRIPTS if name in scripts}
    except (ValueError, AttributeError, TypeError):
        return b""
    return json.dumps(kept, indent=2).encode() if kept else b""


def _named_files(config: bytes) -> list[str]:
    """Words of the commands that may be programs of the repository, such as scripts/setup."""
    try:
        parsed = parse_repo_config(config, Path(FILE))
    except BadInput:
        return []
    names: set[str] = set()
    for command in (*(parsed.setup.run or ()), *parsed.teardown.run, *parsed.checks.run):
        words = [word.strip("\"'`;&|()<>") for word in WRITTEN.sub(" ", command).split()]
        before = ["", *(word for word in words if not word.startswith("-"))]
        names |= {
            os.path.normpath(word)
            for last, word in itertools.pairwise(before)
            if "/" in word or word.endswith(SCRIPTS) or last in INTERPRETERS
        }
        names |= set(MAKEFILES) if "make" in words else set()
    return sorted(n for n in names if "\0" not in n and not n.startswith(("/", "..", ".git/")))


def _is_program(name: str) -> bool:
    """Whether the file is a program wherever it came from."""
    return name.endswith(SCRIPTS) or name in MAKEFILES
