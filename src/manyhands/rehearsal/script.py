"""Find the script that travels in a prompt and say which step comes next.

A conversation is a list of what people wrote (`UserText`) and what the model said
(`ModelTurn`), oldest first. The script in force is the last one that a person wrote; the
step is the number of model turns since then. Nothing is remembered between requests, so
parallel agents, resumed ones and forks need no state.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import msgspec

Seconds = Annotated[float, msgspec.Meta(ge=0)]

PLAIN_ANSWER = "Rehearsal model here: the prompt holds no script, so there is nothing to play."
RAN_OUT = "The script has run out: all {count} steps have been played."

# Agents wrap what they add to a user message by themselves: files, settings, surroundings.
_INJECTED = ("system-reminder", "environment_context", "user_instructions", "INSTRUCTIONS")
_MARK = re.compile(r"<<SCRIPT\s*(?=\[)|<(?P<tag>" + "|".join(_INJECTED) + ")>")
_END = re.compile(r"\s*SCRIPT>>")
_JSON = json.JSONDecoder(strict=False)


class ScriptUsage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tokens_in: int | None = msgspec.field(default=None, name="in")
    out: int | None = None


class ToolCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tool: str
    input: dict[str, object] | str = {}


class ScriptStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One model turn, or the HTTP error that comes in its place."""

    text: str = ""
    tool: str = ""
    input: dict[str, object] | str = {}
    tools: tuple[ToolCall, ...] = ()
    thinking: str = ""
    delay: Seconds = 0.0
    chunk_delay: Seconds = 0.0
    status: Annotated[int, msgspec.Meta(ge=200, le=599)] = 200
    error: str | dict[str, object] = ""
    headers: dict[str, str] = {}
    usage: ScriptUsage = ScriptUsage()
    subst: dict[str, str] = {}
    garbage: str = ""
    """Sent in place of an answer, as it is."""

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        first = (ToolCall(self.tool, self.input),) if self.tool else ()
        return first + self.tools

    @property
    def fails(self) -> bool:
        return self.status >= 400


class UserText(msgspec.Struct, frozen=True):
    text: str


class ModelTurn(msgspec.Struct, frozen=True):
    """`call_ids` lets a turn be recognised that the agent sends back in several pieces."""

    call_ids: tuple[str, ...] = ()


Turn = UserText | ModelTurn


class BadScript(ValueError):
    """What stands between the marks is not a script."""


class _Found(msgspec.Struct, frozen=True):
    start: int
    end: int
    steps: object


def next_step(turns: Sequence[Turn]) -> ScriptStep:
    """The step to serve; a missing, finished or unreadable script yields one that says so."""
    for position in range(len(turns) - 1, -1, -1):
        turn = turns[position]
        if not isinstance(turn, UserText):
            continue
        try:
            steps = parse_script(turn.text)
        except BadScript as problem:
            return ScriptStep(
                status=400, error=f"The script in the prompt cannot be read: {problem}"
            )
        if steps is not None:
            return _step_at(steps, model_turns(turns[position + 1 :]))
    return ScriptStep(text=PLAIN_ANSWER)


def _step_at(steps: Sequence[ScriptStep], index: int) -> ScriptStep:
    return steps[index] if index < len(steps) else ScriptStep(text=RAN_OUT.format(count=len(steps)))


def model_turns(turns: Sequence[Turn]) -> int:
    """Count model turns, taking those that share a response (`call_id`) as one."""
    seen: set[str] = set()
    count = 0
    for turn in turns:
        if not isinstance(turn, ModelTurn):
            continue
        responses = {response_of(call_id) for call_id in turn.call_ids}
        if not responses or not responses <= seen:
            count += 1
        seen |= responses
    return count


def call_id(response: str, index: int) -> str:
    """The id of a response's tool call, from which `response_of` leads back."""
    return f"toolu_{response}_{index}"


def response_of(call_id: str) -> str:
    return call_id.rpartition("_")[0]


def parse_script(text: str) -> tuple[ScriptStep, ...] | None:
    """The last script that a person wrote in this text; None if there is none."""
    found = list(_scripts_in(text))
    if not found:
        return None
    try:
        return msgspec.convert(found[-1].steps, tuple[ScriptStep, ...])
    except msgspec.ValidationError as problem:
        raise BadScript(str(problem)) from None


def without_scripts(text: str) -> str:
    kept: list[str] = []
    position = 0
    try:
        for found in _scripts_in(text):
            kept.append(text[position : found.start])
            position = found.end
    except BadScript:
        pass
    kept.append(text[position:])
    return "".join(kept)


def _scripts_in(text: str) -> Iterator[_Found]:
    position = 0
    while mark := _MARK.search(text, position):
        if tag := mark["tag"]:
            close = text.find(f"</{tag}>", mark.end())
            position = mark.end() if close < 0 else close
            continue
        found = _script_at(text, mark)
        position = found.end
        yield found


def _script_at(text: str, mark: re.Match[str]) -> _Found:
    # The JSON itself says where it ends, so a script may hold another in a sub-agent's prompt.
    try:
        steps, end = _JSON.raw_decode(text, mark.end())
    except json.JSONDecodeError as problem:
        raise BadScript(str(problem)) from None
    close = _END.match(text, end)
    if close is None:
        raise BadScript(f"no 'SCRIPT>>' after the list that ends at character {end}")
    return _Found(mark.start(), close.end(), steps)


def substituted(step: ScriptStep, sources: Sequence[str], model: str = "") -> ScriptStep:
    """Fill the step's `subst` names with what their patterns find last in `sources`.

    The request's model is there to be found as if it were said first of all.
    """
    if not step.subst:
        return step
    said = [f"<model>{model}</model>", *sources]
    try:
        values = {name: _last_match(pattern, said) for name, pattern in step.subst.items()}
    except (BadScript, re.error, IndexError) as problem:
        return ScriptStep(status=400, error=f"The script's subst cannot be filled: {problem}")
    filled = _replace(msgspec.to_builtins(msgspec.structs.replace(step, subst={})), values)
    return msgspec.convert(filled, ScriptStep)


def _last_match(pattern: str, sources: Sequence[str]) -> str:
    for source in reversed(sources):
        matches = list(re.finditer(pattern, without_scripts(source)))
        if matches:
            return str(matches[-1][1])
    raise BadScript(f"nothing in the request matches {pattern!r}")


def _replace(value: object, values: Mapping[str, str]) -> object:
    if isinstance(value, str):
        for name, new in values.items():
            value = value.replace(name, new)
        return value
    if isinstance(value, dict):
        return {key: _replace(item, values) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replace(item, values) for item in value]
    return value
