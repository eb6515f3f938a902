"""The policy as tables, and what must hold for any path at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.agents.permission.bounds import Bounds
from manyhands.agents.permission.policy import Allow, Ask, Decision, Deny, decide
from manyhands.agents.permission.rules import rule_for
from manyhands.model.agent.rules import Rule
from manyhands.model.events import Mode
from tests.agents.permission.corpus import make_bounds

MODES: tuple[Mode, ...] = ("plan", "ask", "edits", "auto")
LETTERS = {Allow: "+", Ask: "?", Deny: "-"}


@pytest.fixture(scope="module")
def bounds() -> Iterator[Bounds]:
    with tempfile.TemporaryDirectory() as name:
        yield make_bounds(Path(name).resolve())


def verdicts(tool: str, input: dict[str, Any], bounds: Bounds) -> str:
    """One letter for each of plan, ask, edits, auto."""
    return "".join(LETTERS[type(decide(mode, tool, input, bounds))] for mode in MODES)


@pytest.mark.parametrize(
    ("tool", "path", "expected"),
    [
        ("Read", "src/a.py", "++++"),
        ("Read", "../outside/x", "????"),
        ("Read", "escape/x", "????"),
        ("Read", "within/x", "++++"),
        ("Read", "/etc/passwd", "????"),
        ("Read", "~/.ssh/id", "????"),
        ("Read", "~/skills/greet.md", "++++"),
        ("Read", "~/plans/p.md", "++++"),
        ("Write", "src/a.py", "-?++"),
        ("Write", "within/a.py", "-?++"),
        ("Write", "escape/a.py", "-???"),
        ("Write", "../outside/x", "-???"),
        ("Write", "src/../../outside/x", "-???"),
        ("Write", "~/plans/p.md", "++++"),
        ("Write", "~/scratch/p.md", "++++"),
        ("Write", "~/skills/s.md", "-???"),
        ("Edit", ".git/hooks/pre-commit", "-???"),
        ("Edit", ".GIT/hooks/pre-commit", "-???"),
        ("Edit", ".g\u200cit/config", "-???"),
        ("Edit", "src/../.git//hooks/x", "-???"),
        ("Edit", ".claude/settings.json", "-???"),
        ("Write", ".claude/settings.local.json", "-???"),
        ("Write", ".mcp.json", "-???"),
        ("Write", ".manyhands.toml", "-???"),
        ("Write", ".manyhands/pipelines/deliver.toml", "-???"),
        ("Write", ".gitignore", "-?++"),
        ("Read", ".claude/settings.json", "++++"),
        ("Read", "file:///etc/passwd", "????"),
        ("Read", "FILE://localhost/etc/passwd", "????"),
        ("Read", "file:///etc/%70asswd", "????"),
        ("Read", "src//a.py/", "++++"),
        ("Read", "src/./a.py", "++++"),
        ("Read", "a\0b", "????"),
        ("Write", "a\0b", "-???"),
        ("Write", "*/a.py", "-?++"),
        ("Read", "/usr/include/stdio.h", "++++"),
        ("Write", "/usr/include/stdio.h", "-???"),
        ("MultiEdit", "src/a.py", "-?++"),
    ],
)
def test_file_tools(bounds: Bounds, tool: str, path: str, expected: str) -> None:
    assert verdicts(tool, {"file_path": path}, bounds) == expected


@pytest.mark.parametrize(
    ("tool", "input", "expected"),
    [
        ("Grep", {"pattern": "x"}, "++++"),
        ("Grep", {"pattern": "x", "path": "/etc"}, "????"),
        ("Glob", {"pattern": "**/*.py"}, "++++"),
        ("Glob", {"pattern": "../**"}, "????"),
        ("Glob", {"pattern": "/etc/*"}, "????"),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, "-?++"),
        ("TodoWrite", {}, "++++"),
        ("Task", {"prompt": "x"}, "++++"),
        ("Agent", {"prompt": "x"}, "++++"),
        ("Agent", {"prompt": "x", "isolation": "worktree"}, "-???"),
        ("EnterWorktree", {}, "-???"),
        ("WebFetch", {"url": "https://example.invalid/x"}, "????"),
        ("WebFetch", {"url": "http://localhost.example.invalid/x"}, "????"),
        ("WebFetch", {"url": "http://localhost:3000/x"}, "++++"),
        ("WebFetch", {"url": "http://[::1]:3000/x"}, "++++"),
        ("WebFetch", {"url": "http://[bad"}, "????"),
        ("WebSearch", {"query": "x"}, "????"),
        ("mcp__mine__ping", {}, "????"),
        ("mcp__manyhands__report_findings", {}, "++++"),
        ("mcp__manyhands__other", {}, "????"),
        ("StructuredOutput", {}, "++++"),
        ("SomethingNew", {}, "-???"),
    ],
)
def test_other_tools(bounds: Bounds, tool: str, input: dict[str, Any], expected: str) -> None:
    assert verdicts(tool, input, bounds) == expected


def test_a_rule_covers_its_own_call_and_never_a_denied_one(bounds: Bounds) -> None:
    make = {"command": "make"}
    rule = rule_for("Bash", make, bounds)
    assert rule == Rule("Bash", "make")
    assert decide("ask", "Bash", make, bounds, {rule}) == Allow()
    assert isinstance(decide("ask", "Bash", {"command": "make x"}, bounds, {rule}), Ask)
    assert isinstance(decide("plan", "Bash", make, bounds, {rule}), Deny)


def test_a_rule_for_files_inside_does_not_open_the_outside(bounds: Bounds) -> None:
    inside, outside = {"file_path": "a"}, {"file_path": "../outside/a"}
    rule = rule_for("Write", inside, bounds)
    assert decide("ask", "Write", {"file_path": "src/b"}, bounds, {rule}) == Allow()
    assert isinstance(decide("ask", "Write", outside, bounds, {rule}), Ask)
    opened = rule_for("Write", outside, bounds)
    assert decide("ask", "Write", outside, bounds, {opened}) == Allow()
    other = {"file_path": "../outside/b"}
    assert isinstance(decide("ask", "Write", other, bounds, {opened}), Ask)


parts = st.sampled_from(["..", ".", "src", "escape", "within", "x", "~", "", "...", "a b", "tree"])
paths = st.builds(
    lambda start, rest: start + "/".join(rest),
    st.sampled_from(["", "/", "~/", "./", "../", "//"]),
    st.lists(parts, min_size=1, max_size=6),
)


def really_inside(path: str, bounds: Bounds) -> bool:
    expanded = path.replace("~", str(bounds.home), 1) if path.startswith("~/") else path
    real = os.path.realpath(bounds.worktree / expanded)
    return real == str(bounds.worktree) or real.startswith(f"{bounds.worktree}{os.sep}")


def is_own(path: str, bounds: Bounds) -> bool:
    real = bounds.real(path)
    places = (*bounds.scratch, *bounds.plans, *bounds.notes)
    return any(real.is_relative_to(place) for place in places)


@given(path=paths, mode=st.sampled_from(MODES), tool=st.sampled_from(["Read", "Write", "Edit"]))
def test_no_path_outside_is_reached_without_asking(
    bounds: Bounds, path: str, mode: Mode, tool: str
) -> None:
    decision: Decision = decide(mode, tool, {"file_path": path}, bounds)
    if not really_inside(path, bounds) and not is_own(path, bounds):
        assert not isinstance(decision, Allow)
