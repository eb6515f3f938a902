"""`manyhands pr reply`, `pr resolve`, `pr dismiss`: what goes back to a remark on the forge."""

from __future__ import annotations

import click

from manyhands.cli.options import connection

ACTIONS = {"reply": "replied to", "resolve": "resolved", "dismiss": "dismissed"}


def act_on_remark(action: str, words: tuple[str, ...], as_json: bool) -> None:
    """`words` are the session, the remark and, for a reply, its text: else the agent's own."""
    from manyhands.cli.output import emit, tell
    from manyhands.client.connection import session_path

    if not 2 <= len(words) <= (3 if action == "reply" else 2):
        text = " [TEXT]" if action == "reply" else ""
        raise click.UsageError(f"pr {action} S REMARK{text}; `pr status S` lists the remarks")
    session, remark, *said = words
    asked = {"draft": remark, "action": action, "text": "".join(said)}
    data = connection().send(session_path(session, "pr/drafts"), asked)
    if as_json:
        emit(data)
    else:
        tell(f"{remark} {ACTIONS[action]}")
