"""Data flows one way: no part of the package imports one that stands above it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.project.source_tree import PACKAGE, imported_parts, modules, part_of

# Package metadata such as the version, which every part may read.
ROOT_NAMES = {"", "__init__", "__version__"}
FOUNDATION = {"errors", "model", "config"}
CONTRACT = FOUNDATION | {"contract"}
RESOURCES = {"git", "process", "store"}
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "__main__": {"cli"},
    "errors": set(),
    "model": {"errors"},
    "config": {"errors", "model"},
    "contract": {"errors", "model"},
    "providers": {"config"},
    "git": FOUNDATION | {"process"},
    "process": FOUNDATION,
    "store": FOUNDATION,
    "box": FOUNDATION | {"git", "process"},
    "agents": FOUNDATION | RESOURCES | {"box", "providers"},
    "workspace": FOUNDATION | RESOURCES | {"box", "agents"},
    "keeper": FOUNDATION | RESOURCES | {"box", "agents", "workspace"},
    "station": CONTRACT | {"git", "process", "box", "agents", "workspace", "keeper"},
    "forges": FOUNDATION | RESOURCES | {"agents", "workspace", "keeper", "station"},
    "trackers": FOUNDATION | {"station", "forges"},
    "hub": CONTRACT | {"store", "agents", "keeper", "station", "forges", "trackers", "providers"},
    "api": CONTRACT | RESOURCES | {"agents", "workspace", "keeper", "station", "forges", "hub"},
    "client": CONTRACT | {"process"},
    "cli": CONTRACT | {"process", "git", "client", "providers"},
    "rehearsal": CONTRACT | {"process", "git", "client", "cli"},
}
WORKTREE_OPENED = re.compile(r"\bPath\([^()]*\.(worktree|repo)\)")


def test_every_module_imports_only_what_stands_below_it() -> None:
    homeless = {part_of(path) for path in modules()} - set(MAY_IMPORT)
    assert not homeless, f"{sorted(homeless)} have no place in the list yet: give them one"
    above = {str(path.relative_to(PACKAGE)): imported_above(path) for path in modules()}
    assert {name: parts for name, parts in above.items() if parts} == {}


def imported_above(path: Path) -> list[str]:
    part = part_of(path)
    return sorted(set(imported_parts(path)) - MAY_IMPORT[part] - {part} - ROOT_NAMES)


def test_the_hub_decides_and_leaves_the_doing_to_a_station() -> None:
    """Git, processes and workspaces are out of its reach by the list above; so are worktrees."""
    hub = PACKAGE / "hub"
    opened = [p for p in hub.rglob("*.py") if WORKTREE_OPENED.search(p.read_text("utf-8"))]
    assert not opened


def test_the_product_names_its_provider_in_one_line_only() -> None:
    """Neither the scripted model nor the demo is known to what they are played on."""
    naming = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in modules()
        if part_of(path) != "rehearsal"
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search("rehears|<<SCRIPT", line, re.IGNORECASE)
    ]
    assert naming == ['providers.py: NAMED = ("manyhands.rehearsal.provider",)']
