"""One turn of an ACP agent: a prompt, and one more for each thing that could not be said in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from acp.schema import PromptCapabilities, PromptResponse

from manyhands.agents.acp.connection import Gone
from manyhands.agents.acp.content import Block, blocks
from manyhands.agents.acp.gate import Gate
from manyhands.errors import ManyhandsError
from manyhands.model.events import Outcome

MOST_PROMPTS = 4
"""An agent that is denied the same thing again and again is not asked for ever."""
STOPPED = {
    "max_tokens": "the model's answer grew longer than it may be",
    "max_turn_requests": "the agent used up its requests for one turn",
    "refusal": "the model refused to go on",
}


async def take_turn(
    prompt: Callable[[list[Block]], Awaitable[PromptResponse]],
    message: list[Block],
    gate: Gate,
    is_interrupted: Callable[[], bool],
) -> tuple[Outcome, str]:
    """How it ended, and what was wrong; raises only where the agent is gone."""
    problem = ""
    for _ in range(MOST_PROMPTS):
        try:
            answer = await prompt(message)
        except Gone:
            raise
        except ManyhandsError as error:
            return "failed", error.message
        problem = STOPPED.get(answer.stop_reason, "")
        words, gate.words = gate.words, []
        if not words or is_interrupted():
            break
        message = blocks("\n\n".join(words), (), PromptCapabilities())
    return ("failed", problem) if problem else ("done", "")
