"""The few events that tell of money, tokens and time, found without reading the whole log."""

from __future__ import annotations

import apsw
import msgspec

from manyhands.model import events as e

# Written out, since the index covers only what the query names in the very same words.
IS_USAGE = (
    "type IN ('usage_recorded','turn_started','turn_finished','agent_exited','plan_proposed',"
    "'permission_requested','question_asked','attention_raised','attention_resolved',"
    "'session_archived')"
)


def facts(db: apsw.Connection) -> list[e.Fact]:
    """In order; one that cannot be understood any more counts for nothing."""
    found: list[e.Fact] = []
    for (body,) in db.execute(f"SELECT body FROM events WHERE {IS_USAGE} ORDER BY seq"):
        try:
            found.append(e.decode(body))
        except msgspec.DecodeError:
            continue
    return found
