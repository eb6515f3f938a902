"""The table of agents and capabilities in the docs is the one that the declarations give."""

from __future__ import annotations

import importlib
from pathlib import Path

import generate_conformance
import pytest

from tests.conformance.capability import CAPABILITIES
from tests.conformance.subjects import SUBJECTS

MODULES = [path.stem for path in Path(__file__).parent.glob("test_*.py")]


def test_the_table_is_fresh() -> None:
    found = generate_conformance.TABLE.read_text(encoding="utf-8")
    assert found == generate_conformance.render(), "run scripts/generate_conformance.py"


def test_every_capability_has_a_test() -> None:
    shown: set[str] = set()
    for name in MODULES:
        module = importlib.import_module(f"tests.conformance.{name}")
        for test in vars(module).values():
            for mark in getattr(test, "pytestmark", []):
                if isinstance(mark, pytest.Mark) and mark.name == "capability":
                    shown |= set(mark.args)
    assert shown == set(CAPABILITIES)


def test_what_was_measured_elsewhere_is_declared_here() -> None:
    """Who asks, who plans, who has questions, who tells dollars, who comes back."""
    facts = {
        s.name: (c.asks, c.plans, c.questions, c.cost, c.resumes)
        for s in SUBJECTS
        for c in (s.capabilities,)
    }
    assert facts["claude"] == (True, True, True, "usd", True)
    assert facts["codex"] == (True, True, True, "tokens", True)
    assert facts["opencode"] == (True, False, False, "usd", True)


def test_a_capability_that_failed_once_is_not_proved(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    proof = '<properties><property name="proves" value="{}"/></properties>'
    report.write_text(
        "<testsuites><testsuite>"
        f"<testcase>{proof.format('a: stream')}</testcase>"
        f"<testcase>{proof.format('b: stream')}<failure/></testcase>"
        f"<testcase>{proof.format('b: stream')}</testcase>"
        "</testsuite></testsuites>"
    )
    assert generate_conformance.proved(report) == {"a: stream"}
