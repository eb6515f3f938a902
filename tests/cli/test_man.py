"""Every command has a manual page, and the stored ones are fresh."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.cli import man
from manyhands.cli.main import COMMANDS

STORED = Path(__file__).resolve().parent.parent.parent / "docs" / "man"


def test_every_command_has_a_page() -> None:
    names = {name for name, _ in man.pages()}
    assert {"manyhands.1", *(f"manyhands-{command}.1" for command in [*COMMANDS, "demo"])} <= names
    assert "manyhands-repo-trust.1" in names


def test_the_stored_pages_are_fresh() -> None:
    stored = {path.name: path.read_text("utf-8") for path in STORED.glob("*.1")}
    assert stored == dict(man.pages()), "make them anew: python -m manyhands.cli.man docs/man"


@pytest.mark.parametrize(("name", "text"), list(man.pages()), ids=lambda value: str(value)[:30])
def test_a_page_says_what_it_must(name: str, text: str) -> None:
    for part in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS"):
        assert f".SH {part}\n" in text
    requests = [line for line in text.splitlines() if line.startswith((".", "'"))]
    assert {line.split()[0] for line in requests} <= {".TH", ".SH", ".PP", ".TP", ".B"}
