"""A person's resolution in the agent's terms: answers to questions, the mode after a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from manyhands.agents.permission.permits import Grant
from manyhands.agents.permission.tools import NETWORK
from manyhands.model.agent.rules import Rule
from manyhands.model.attention.attention import Attention, Resolution
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
        for position, option in enumerate(question.get("options", ()), 1)
        if f"q{number}.{position}" in chosen
    ]


def denial(words: str) -> str:
    """What the agent is told about a refused call."""
    return f"The user denied this: {words}" if words else "The user denied this tool call."


HANDED_OVER = (
    "The user has handed this plan to another session, which carries it out. Do nothing more here."
)


def refusal(resolution: Resolution) -> str:
    """What the agent is told about a plan that it is not to carry out."""
    if resolution.option == "hand-over":
        return HANDED_OVER
    words = resolution.text
    return f"The user wants the plan revised: {words}" if words else "The user wants another plan."


CUT_OFF = "You were cut off while you waited for an answer; here it is."


@dataclass(frozen=True)
class LateAnswer:
    """A message to send, leave for one call, and the mode to go on in."""

    text: str
    grant: Grant | None = None
    mode: Mode | None = None


def late_answer(item: Attention, resolution: Resolution) -> LateAnswer:
    if item.kind == "permission":
        return _permission(item, resolution)
    if item.kind == "plan":
        return _plan(item, resolution)
    if item.kind == "question":
        return _question(item, resolution)
    return LateAnswer(f"{CUT_OFF} {item.summary}: {resolution.text or resolution.option}")


def _permission(item: Attention, resolution: Resolution) -> LateAnswer:
    tool = str(item.detail.get("tool", ""))
    if resolution.option == "deny":
        return LateAnswer(f"{CUT_OFF} {denial(resolution.text)} It was: {item.summary}")
    grant = Grant(tool, dict(item.detail.get("input", {})))
    words = f" {resolution.text}" if resolution.text else ""
    if tool == NETWORK:
        host = grant.input.get("host", "")
        return LateAnswer(
            f"{CUT_OFF} The user allowed this box to reach {host}.{words}"
            " What needed it has failed: run that again, and go on.",
            grant,
        )
    return LateAnswer(
        f"{CUT_OFF} The user allowed {item.summary}.{words}"
        f" It has not run: make the same {tool} call again, with the same input, and go on.",
        grant,
    )


def _plan(item: Attention, resolution: Resolution) -> LateAnswer:
    mode = MODE_AFTER.get(resolution.option)
    if mode is None:
        return LateAnswer(f"{CUT_OFF} {refusal(resolution)}")
    words = f" {resolution.text}" if resolution.text else ""
    plan = str(item.detail.get("plan", ""))
    return LateAnswer(
        f"{CUT_OFF} The user approved your plan and plan mode is over; carry it out.{words}"
        + (f"\n\n{plan}" if plan else ""),
        mode=mode,
    )


def _question(item: Attention, resolution: Resolution) -> LateAnswer:
    answers = question_answers(list(item.detail.get("questions", [])), resolution)
    lines = [f"- {question} → {answer}" for question, answer in answers.items()]
    return LateAnswer("\n".join([CUT_OFF, *lines]))


def chosen(item: Attention, answer: Resolution) -> Rule | None:
    """The rule by which an answer stands; None where it is for once, or the item offers none."""
    if answer.option not in ("allow-session", "allow-repo"):
        return None
    rules = [Rule(**given) for given in item.detail.get("rules", ())]
    kind = answer.rule or "call"
    rule = next((rule for rule in rules if rule.kind == kind), None)
    if rule is None or not answer.pattern:
        return rule
    return Rule(rule.tool, answer.pattern, rule.kind)
