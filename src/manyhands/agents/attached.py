"""Attached files in words, for agents and contents that cannot carry them otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.model.agent_events import Attachment


def naming(text: str, attachments: Sequence[Attachment]) -> str:
    """The message, with the files named by their paths."""
    named = [f"- {a.name}: {a.path}" for a in attachments]
    return text + "\n\nAttached files:\n" + "\n".join(named) if named else text
