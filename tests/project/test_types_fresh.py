"""The page's types are those of the model."""

from __future__ import annotations

import generate_types
import pytest


def test_the_generated_types_are_fresh() -> None:
    assert generate_types.TARGET.read_text(encoding="utf-8") == generate_types.typescript(), (
        "run `.venv/bin/python scripts/generate_types.py`"
    )


@pytest.mark.parametrize(
    "part",
    [
        'export type Mode = "ask" | "auto" | "edits" | "plan";',
        'readonly type: "tool_called";',
        "readonly attention: readonly Attention[];",
        "readonly in: number;",
        "readonly resolution: Resolution | null;",
        "  | AgentMessage\n",
    ],
)
def test_the_types_say_what_is_on_the_wire(part: str) -> None:
    assert part in generate_types.typescript()
