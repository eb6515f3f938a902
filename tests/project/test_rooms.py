"""Rooms inside a package: written down in one order, lower ones first, and no cycles anywhere."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.project.source_tree import PACKAGE, imported_modules, modules

ROOMS: dict[str, tuple[str, ...]] = {
    "hub": (
        "core",
        "repos",
        "forge",
        "trackers",
        "fleet",
        "terminals",
        "files",
        "creation",
        "archive",
        "radar",
        "review",
        "landing",
        "train",
        "attention",
        "insight",
        "house",
    ),
    "git": ("", "outside", "diff", "shared", "snapshot", "rescue", "radar", "twin"),
}
"""A room imports from those before it; "" is the package's own folder."""
MOST_IN_A_FOLDER = 25
FLAT = {"cli"}
"""A file per command is its architecture."""


def name_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def graph() -> dict[str, set[str]]:
    return {
        name_of(str(path.relative_to(PACKAGE))): {name for name in imported_modules(path) if name}
        for path in modules()
    }


def room_of(name: str) -> str:
    """`fleet` for hub.fleet.keepers, `house` for hub.house, "" for git.refs."""
    package, _, rest = name.partition(".")
    first, _, inner = rest.partition(".")
    is_folder = (PACKAGE / package / first).is_dir()
    return first if inner or is_folder or first in ROOMS[package] else ""


@pytest.mark.parametrize("package", sorted(ROOMS))
def test_a_room_imports_only_from_rooms_before_it(package: str) -> None:
    order = ROOMS[package]
    upwards = []
    for name, imports in graph().items():
        for other in imports:
            if not name.startswith(f"{package}.") or not other.startswith(f"{package}."):
                continue
            here, there = room_of(name), room_of(other)
            assert here in order, f"the room {package}/{here} has no place in the order yet"
            if order.index(there) > order.index(here):
                upwards.append(f"{name} imports {other}")
    assert not upwards


def test_no_modules_import_each_other_in_a_circle() -> None:
    # A folder's own module imports nothing of it, so only real modules can close a circle.
    among_them = {
        name: {other for other in imports if other in graph()} for name, imports in graph().items()
    }
    try:
        TopologicalSorter(among_them).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_no_folder_has_more_modules_than_one_can_oversee() -> None:
    counts: defaultdict[str, int] = defaultdict(int)
    for path in modules():
        counts[str(path.parent.relative_to(PACKAGE))] += path.name != "__init__.py"
    assert {f: n for f, n in counts.items() if n > MOST_IN_A_FOLDER and f not in FLAT} == {}
