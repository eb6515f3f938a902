"""The page has one set of sizes, and one part that says how a button looks."""

from __future__ import annotations

import re

from tests.project.source_tree import ROOT

SOURCES = ROOT / "web" / "src"
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
QUERY = re.compile(r"@(?:media|container)[^{]*")
LENGTH = re.compile(r"[\d.]+(?:px|rem|pt)\b")
BREAKS = {"340px", "480px", "520px", "680px", "760px", "1080px", "1400px", "1680px"}
"""Where the page changes its shape; a query cannot read a token."""


def sheets() -> dict[str, str]:
    """Every style sheet but the tokens', without comments."""
    found = {str(path.relative_to(SOURCES)): path for path in SOURCES.rglob("*.css")}
    del found["tokens.css"]
    assert len(found) > 30
    return {name: COMMENT.sub("", path.read_text(encoding="utf-8")) for name, path in found.items()}


def test_every_size_is_a_token() -> None:
    literal = [
        f"{name}: {line.strip()}"
        for name, text in sheets().items()
        for line in QUERY.sub("", text).splitlines()
        if LENGTH.search(line)
    ]
    assert literal == []


def test_no_component_has_a_size_of_its_own() -> None:
    literal = [
        f"{path.relative_to(SOURCES)}: {line.strip()}"
        for path in SOURCES.rglob("*.tsx")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\d(?:px|rem|pt)\b", line) and "matchMedia" not in line
    ]
    assert literal == []


def test_the_page_changes_its_shape_at_few_widths() -> None:
    queries = [query for text in sheets().values() for query in QUERY.findall(text)]
    assert {width for query in queries for width in LENGTH.findall(query)} <= BREAKS


def test_only_its_own_sheet_says_how_a_button_looks() -> None:
    styled = [name for name, text in sheets().items() if re.search(r"\.button\b", text)]
    assert styled == ["parts/button.css"]


def test_every_token_that_is_used_exists() -> None:
    tokens = (SOURCES / "tokens.css").read_text(encoding="utf-8")
    everything = tokens + "".join(sheets().values())
    given = set(re.findall(r"(--[\w-]+)\s*:", everything))
    # What a component sets as it is drawn.
    code = "".join(path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.tsx"))
    given |= set(re.findall(r'"(--[\w-]+)"', code))
    assert set(re.findall(r"var\((--[\w-]+)", everything)) - given == set()


def test_no_folder_of_the_page_is_too_full_to_read() -> None:
    folders = [path for path in SOURCES.rglob("*") if path.is_dir()]
    full = {
        str(path.relative_to(SOURCES)): count
        for path in folders
        if (count := sum(one.is_file() for one in path.iterdir())) > 25
    }
    assert full == {}
