"""A person's resolution in the agent's terms: answers to questions, the mode after a plan."""

from __future__ import annotations

from typing import Any

from manyhands.model.attention import Resolution
from manyhands.model.events import Mode

MODE_AFTER: dict[str, Mode] = {"approve": "edits", "approve-ask": "ask", "approve-auto": "auto"}


def question_answers(questions: list[dict[str, Any]], resolution: Resolution) -> dict[str, str]:
    """Question text → chosen labels; words answer whatever was left without a choice."""
    answers: dict[str, str] = {}
    for number, question in enumerate(questions, 1):
        labels = _labels(question, number, resolution.options)
        answers[str(question.get("question", ""))] = ", ".join(labels) or resolution.text
    if resolution.text and resolution.options and resolution.text not in answers.values():
        first = next(iter(answers))
        answers[first] = f"{answers[first]} ({resolution.text})"
    return answers


def _labels(question: dict[str, Any], number: int, chosen: tuple[str, ...]) -> list[str]:
    return [
        str(option.get("label", ""))
        for place, option in enumerate(question.get("options", ()), 1)
        if f"q{number}.{place}" in chosen
    ]


def denial(words: str) -> str:
    """What the agent is told about a refused call."""
    return f"The user denied this: {words}" if words else "The user denied this tool call."


HANDED_OVER = (
    "The user has handed this plan to another session, which carries it out. Do nothing more here."
)


def refusal(resolution: Resolution) -> str:
    """What the agent is told about a plan that it is not to carry out."""
    return HANDED_OVER if resolution.option == "hand-over" else revision(resolution.text)


def revision(words: str) -> str:
    return f"The user wants the plan revised: {words}" if words else "The user wants another plan."
