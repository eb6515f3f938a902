"""The source stays small, named by its nouns, and free of any one machine."""

from __future__ import annotations

import ast
import re
import statistics
from collections import defaultdict
from pathlib import Path

from tests.project.source_tree import PACKAGE, ROOT, modules, project_files

LONGEST_MODULE = 500
MEDIAN_MODULE = 120
LONGEST_FUNCTION = 60
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
# Spelled in parts, so that this file does not name what it forbids.
MACHINE_PATHS = re.compile(
    "|".join([re.escape(str(ROOT)), "/ro" + "ot/", "/ho" + r"me/[a-z]+/", "/Us" + r"ers/[a-z]+/"])
)


def line_count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_no_module_is_longer_than_a_reader_can_hold() -> None:
    long = {str(path): line_count(path) for path in modules() if line_count(path) > LONGEST_MODULE}
    assert not long


def test_most_modules_are_short() -> None:
    sizes = [line_count(path) for path in modules() if path.name != "__init__.py"]
    assert statistics.median(sizes) <= MEDIAN_MODULE


def test_no_function_is_longer_than_a_screen() -> None:
    long = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    long.append(f"{path.relative_to(PACKAGE)}:{node.name} {lines}")
    assert not long


def test_every_module_is_named_by_its_noun() -> None:
    vague = [
        str(path.relative_to(PACKAGE))
        for path in modules()
        if EMPTY_NAMES & {part.removesuffix(".py") for part in path.relative_to(PACKAGE).parts}
    ]
    assert not vague


def test_a_public_class_name_means_one_thing() -> None:
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for path in modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(PACKAGE)))
    assert not {name: found for name, found in homes.items() if len(found) > 1}


def test_no_file_names_a_path_of_one_machine() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in project_files()
        if (found := MACHINE_PATHS.search(path.read_bytes().decode("utf-8", errors="ignore")))
    ]
    assert not named


def test_every_script_can_be_run() -> None:
    for name in ("scripts/find_python", "scripts/check", "scripts/test", "scripts/lock", ".ci/run"):
        assert (ROOT / name).stat().st_mode & 0o111, name
