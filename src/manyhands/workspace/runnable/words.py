"""Files that commands name: what may be a program of the repository, by the words around it."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

SCRIPTS = (".mk", ".sh", ".bash", ".zsh", ".py", ".js", ".cjs", ".mjs", ".ts", ".rb", ".pl", ".php")
SHELLS = ("sh", "bash", "zsh", "dash", ".", "source")
INTERPRETERS = (*SHELLS, "python", "python3", "node", "ruby", "perl", "deno", "bun", "uv", "exec")
MAKERS = {
    "make": ("GNUmakefile", "Makefile", "makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml"),
}
"""What each reads by itself."""
MAKEFILES = frozenset(itertools.chain(*MAKERS.values()))
FOLDERS = ("cd", "-C", "--prefix", "--cwd", "--dir", "--directory")
"""What follows one of these is where the rest of the command looks for its files."""
PACKAGE_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun", "npx"})

_WRITTEN = re.compile(r">>?\s*[\w./-]+")
"""What a command writes to is no program of it."""
_VARIABLE = re.compile(r"^[\"']?\$\{?\w+(?::-[^}]*)?\}?[\"']?/")
_EDGES = "\"'`;&|()<>,=[]{}!"
_APART = re.compile(r"[\s\"'`;&|()<>,=\[\]{}]+")
_CALLED = re.compile(
    r"(?:^|[;&|({`]|\b(?:then|do|else|exec|source|sudo|sh|bash|zsh|dash|python3?|node|ruby|perl)\b"
    r"|(?<!\S)\.)\s*(?:-\S+\s+)*([\"']?[\w$./{}~:-]*[\w.-]+[\"']?)",
    re.MULTILINE,
)


def named_by(command: str) -> set[str]:
    """Paths, scripts and what follows an interpreter, from the top and from where it goes."""
    words = [word.strip(_EDGES) or word for word in _WRITTEN.sub(" ", command).split()]
    plain = ["", *(word for word in words if not word.startswith("-") and word)]
    names = {
        word
        for last, word in itertools.pairwise(plain)
        if "/" in word or word.endswith(SCRIPTS) or last in INTERPRETERS
    }
    # An option may carry its file with it, as in --require=./x.js.
    names |= {w.partition("=")[2] for w in words if w.startswith("-") and "=" in w}
    names |= {name for maker, own in MAKERS.items() if maker in words for name in own}
    return _from_everywhere(names, words)


def is_package_runner(command: str) -> bool:
    return bool(PACKAGE_RUNNERS & {word.strip(_EDGES) for word in command.split()})


def named_in_json(text: str) -> set[str]:
    """By all its strings, each after the one before it; what only permits names nothing."""
    try:
        found = list(_strings(json.loads(text)))
    except (ValueError, RecursionError):
        return named_in_words(text)
    return named_by(" ".join(found))


def named_in_words(text: str) -> set[str]:
    words = [word for word in _APART.split(text) if word]
    return _from_everywhere({w for w in words if "/" in w or w.endswith(SCRIPTS)}, words)


def called_in(script: str) -> set[str]:
    """What a shell script calls: in the place of a command, or by an interpreter."""
    found = {match[1].strip("\"'") for match in _CALLED.finditer(script)}
    return _from_everywhere({name for name in found if "/" in name or name.endswith(SCRIPTS)}, ())


def any_file_in(text: str) -> set[str]:
    """Every word that could be a file at all."""
    return _from_everywhere(set(_APART.split(text)), ())


def is_script(name: str) -> bool:
    """Whether the file is a program wherever it came from."""
    return name.endswith(SCRIPTS) or name.rpartition("/")[2] in MAKEFILES


def is_shell_script(name: str, text: str) -> bool:
    return name.endswith((".sh", ".bash", ".zsh")) or bool(re.match(r"#!.*\b(ba|da|z)?sh\b", text))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key != "permissions":
                yield from _strings(one)


def _from_everywhere(names: Iterable[str], words: Iterable[str]) -> set[str]:
    folders = {there for one, there in itertools.pairwise(words) if one in FOLDERS}
    plain = {_VARIABLE.sub("", name).lstrip("/") for name in names}
    whole = plain | {f"{folder}/{name}" for folder in folders for name in plain}
    return {kept for name in whole if (kept := _normal(name))}


def _normal(name: str) -> str:
    """The path from the top, if it is one; ours and git's own folder aside."""
    path = os.path.normpath(name) if name and "\0" not in name and len(name) < 1000 else ""
    return "" if path in ("", ".") or path.startswith(("/", "..", ".git/")) else path
