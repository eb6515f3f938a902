"""Data flows one way: no part of the package imports one that stands above it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.source_tree import PACKAGE, imported_parts, modules, part_of

# Package metadata such as the version, which every part may read.
ROOT_NAMES = {"", "__init__", "__version__"}
FOUNDATION = {"errors", "model", "config"}
RESOURCES = {"git", "process", "store"}
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "__main__": {"cli"},
    "errors": set(),
    "model": {"errors"},
    "config": {"errors", "model"},
    "git": FOUNDATION | {"process"},
    "process": FOUNDATION,
    "store": FOUNDATION,
    "agents": FOUNDATION | RESOURCES,
    "workspace": FOUNDATION | RESOURCES | {"agents"},
    "keeper": FOUNDATION | RESOURCES | {"agents", "workspace"},
    "forges": FOUNDATION | RESOURCES | {"agents", "workspace", "keeper"},
    "hub": FOUNDATION | RESOURCES | {"agents", "workspace", "keeper", "forges"},
    "api": FOUNDATION | RESOURCES | {"agents", "workspace", "keeper", "forges", "hub"},
    "client": FOUNDATION | {"process"},
    "cli": FOUNDATION | {"process", "git", "client", "rehearsal"},
    "rehearsal": FOUNDATION,
}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_stands_below_it(path: Path) -> None:
    part = part_of(path)
    assert part in MAY_IMPORT, f"{part} has no place in the list yet: give it one"
    above = set(imported_parts(path)) - MAY_IMPORT[part] - {part} - ROOT_NAMES
    assert not above, f"{path.relative_to(PACKAGE)} imports {sorted(above)}"
