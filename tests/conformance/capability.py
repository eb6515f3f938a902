"""The capabilities that the suite proves, in the order of the table, and the mark for its tests."""

from __future__ import annotations

import pytest

CAPABILITIES = (
    "start",
    "stream",
    "tool call",
    "permission allowed",
    "permission denied",
    "permission denied with words",
    "question",
    "plan mode",
    "plan approval",
    "interrupt",
    "steer",
    "queue",
    "model switch",
    "mode switch",
    "effort",
    "files and pictures attached",
    "to-do list",
    "context meter",
    "commands listed",
    "side question that cannot write",
    "held back by a budget",
    "resume after kill -9 of the agent",
    "resume after kill -9 of the keeper",
    "resume after kill -9 of the hub",
    "past conversations",
    "tokens",
    "cost",
    "error answers",
    "garbage",
    "silence",
    "huge lines",
    "exit at start",
    "not installed",
    "not logged in",
)


def proves(*names: str) -> pytest.MarkDecorator:
    """What a test shows of the agent that it runs on: that it has it, or that it has it not."""
    unknown = set(names) - set(CAPABILITIES)
    assert not unknown, unknown
    return pytest.mark.capability(*names)
