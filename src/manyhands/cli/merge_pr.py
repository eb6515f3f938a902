"""`manyhands merge --pr`: merge on the forge, then offer to archive the session."""

from __future__ import annotations

import click
import msgspec

from manyhands.cli.options import connection
from manyhands.cli.output import emit, tell, write
from manyhands.cli.terminal import can_ask, inert
from manyhands.client.connection import session_path
from manyhands.client.landing import PrMerged


def merge_pr(session: str, method: str | None, as_json: bool) -> None:
    hub = connection()
    asked = {"method": method} if method else {}
    data = hub.send(session_path(session, "pr/merge"), asked)
    if as_json:
        emit(data)
        return
    merged = msgspec.json.decode(data, type=PrMerged)
    how = "was merged already" if merged.already else "merged"
    write(f"#{merged.pr.number}  {how} into {inert(merged.pr.base)}  {merged.commit[:12]}")
    if can_ask() and click.confirm("Archive the session?", default=True, err=True):
        hub.send(session_path(session, "archive"), {})
        tell(f"archived; bring it back: manyhands restore {merged.session}")
    else:
        tell(f"put it away: manyhands archive {merged.session}")
