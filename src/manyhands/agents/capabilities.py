"""What each kind of agent can do; the conformance suite holds every line of it to the real agent.

A capability that is declared absent is refused or absent, never half there. The table in the
guide is made from these declarations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from manyhands.model.events import Mode


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    modes: tuple[Mode, ...] = ("ask", "edits", "auto")
    """Those that can be enforced. `plan` is among them only where no write can pass unasked."""
    steers: bool = False
    """Whether it takes a message within a turn; else the message waits for the turn's end."""
    asks: bool = True
    """Whether it asks us before it runs what changes something."""
    denial_words: Literal["with the denial", "after the turn"] = "after the turn"
    plans: bool = False
    """Whether it proposes a plan for approval."""
    questions: bool = False
    cost: Literal["usd", "tokens", "none"] = "tokens"
    resumes: bool = True
    overload: Literal["fails the turn", "tried again for ever"] = "fails the turn"
    """What becomes of a 429 or 529 of the model; tried again, the turn goes on in silence."""
    login: bool = True
    """Whether it needs one; else it has a model of its own for everybody."""
    models: bool = True
    """Whether the model can be switched within a session."""
    effort: bool = False
    """Whether it has levels of effort."""
    pictures: bool = False
    """Whether a picture goes along with a message; else it is named by its path."""
    past: Literal["taken up", "listed", "no"] = "listed"
    """Whether it lists the conversations that it keeps for a directory, and goes on with one of
    them in another place, in a copy. One that we do not know might then work in the old place."""


ALL_MODES: tuple[Mode, ...] = ("plan", "ask", "edits", "auto")

CLAUDE = Capabilities(
    modes=ALL_MODES,
    steers=True,
    denial_words="with the denial",
    plans=True,
    questions=True,
    cost="usd",
    effort=True,
    pictures=True,
    past="taken up",
)
CODEX = Capabilities(
    modes=ALL_MODES, plans=True, questions=True, effort=True, pictures=True, past="taken up"
)
OPENCODE = Capabilities(
    modes=ALL_MODES, cost="usd", overload="tried again for ever", login=False, pictures=True
)
VIBE = Capabilities(questions=True, cost="usd", effort=True, pictures=True)
GEMINI = Capabilities()
CLAUDE_ACP = Capabilities(plans=True, questions=True, cost="usd")
EXAMPLE = Capabilities(
    modes=ALL_MODES, plans=True, questions=True, cost="usd", effort=True, past="no"
)
TERMINAL = Capabilities(
    steers=True, asks=False, cost="none", resumes=False, login=False, models=False, past="no"
)
UNKNOWN = Capabilities()
"""An agent that only its user knows: it is believed what the protocol lets it say of itself."""
