"""How a resumed agent learns the answer to what its dead predecessor had asked."""

from __future__ import annotations

from dataclasses import dataclass

from manyhands.agents.answers import MODE_AFTER, denial, question_answers, refusal
from manyhands.agents.permits import Grant
from manyhands.model.attention import Attention, Resolution
from manyhands.model.events import Mode

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
