"""The templates of a pull request that a repository holds, wherever forges look for them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

import msgspec

from manyhands.git.runner import Git
from manyhands.model.ids import Oid
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree

LARGEST_TEMPLATE = 64 * 1024
MOST_TEMPLATES = 100
DEFAULT = "default"
_FOLDERS = (".github", ".gitea", ".forgejo", "", "docs")
"""In which the one template lies, or a directory of several; the first that has one counts."""
_GITLAB = ".gitlab/merge_request_templates"
_ONE = re.compile(r"(?i)pull_request_template\.(?:md|markdown|txt)")
_SEVERAL = re.compile(r"(?i)pull_request_template/([^/]+)\.(?:md|markdown|txt)")
_OF_GITLAB = re.compile(r"(?i)([^/]+)\.md")
_FRONT_MATTER = re.compile(r"\A---\n(?:\w[\w-]*:.*\n|[ \t-].*\n)*---\n+")


class PrTemplate(msgspec.Struct, frozen=True):
    name: str
    """`default` for the one that stands by itself."""
    path: str


@in_thread
def load_templates(at: Worktree, commit: Oid, *, gitlab: bool = False) -> list[PrTemplate]:
    """As they are in the commit, the one by itself first."""
    tops = [f"{folder}/" if folder else "." for folder in _FOLDERS]
    git = Git(at.repository)
    listed = git.run("ls-tree", "-z", "--name-only", commit, "--", *tops).records
    inside = [
        path + b"/"
        for path in listed
        if path.rpartition(b"/")[2].lower() == b"pull_request_template"
    ]
    wanted = (*inside, f"{_GITLAB}/".encode())
    listed += git.run("ls-tree", "-z", "--name-only", commit, "--", *wanted).records
    return found_in([os.fsdecode(path) for path in listed], gitlab=gitlab)


def found_in(paths: Sequence[str], *, gitlab: bool = False) -> list[PrTemplate]:
    """Each name once: what comes first in the order of folders hides what comes later, and a
    forge's own folder comes before those of others."""
    found: dict[str, PrTemplate] = {}
    everywhere, own = _in_folders(paths), _of_gitlab(paths)
    for one in (*own, *everywhere) if gitlab else (*everywhere, *own):
        found.setdefault(one.name.lower(), one)
    by_default = found.pop(DEFAULT, None)
    return ([by_default] if by_default else []) + list(found.values())[:MOST_TEMPLATES]


def _in_folders(paths: Sequence[str]) -> Iterator[PrTemplate]:
    for folder in _FOLDERS:
        start = f"{folder}/" if folder else ""
        inside = [path for path in paths if path.startswith(start)]
        for path in sorted(inside, key=lambda path: "/" in path.removeprefix(start)):
            rest = path.removeprefix(start)
            several = _SEVERAL.fullmatch(rest)
            if name := DEFAULT if _ONE.fullmatch(rest) else several[1] if several else "":
                yield PrTemplate(name, path)


def _of_gitlab(paths: Sequence[str]) -> Iterator[PrTemplate]:
    for path in paths:
        named = _OF_GITLAB.fullmatch(path.removeprefix(f"{_GITLAB}/"))
        if named and path.startswith(f"{_GITLAB}/"):
            yield PrTemplate(named[1], path)


@in_thread
def load_template(at: Worktree, commit: Oid, template: PrTemplate) -> str:
    blob = f"{commit}:{template.path}"
    text = Git(at.repository).run("cat-file", "blob", blob, limit=LARGEST_TEMPLATE).text
    return _FRONT_MATTER.sub("", text.replace("\r\n", "\n"))
