"""The page's types are those of the model."""

from __future__ import annotations

import generate_types
import pytest


@pytest.fixture(scope="module")
def typescript() -> str:
    return generate_types.typescript()


def test_the_generated_types_are_fresh(typescript: str) -> None:
    assert generate_types.TARGET.read_text(encoding="utf-8") == typescript, (
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
def test_the_types_say_what_is_on_the_wire(typescript: str, part: str) -> None:
    assert part in typescript
