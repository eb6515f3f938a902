"""`manyhands jobs`: work of several steps that runs, or ran."""

from __future__ import annotations

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import client, json_option
from manyhands.cli.output import tell
from manyhands.cli.table import print_table


@click.command("jobs")
@click.option("--all", "every", is_flag=True, help="Also those that have ended.")
@click.option("--cancel", metavar="JOB", help="Stop this one, and take back what it did so far.")
@json_option
def command(every: bool, cancel: str | None, as_json: bool) -> None:
    """List creations, commits, merges, archives and whatever else goes on in several steps."""
    from manyhands.contract.hub import JobView

    hub = client()
    if cancel:
        if job := unless_json(hub.send(f"/api/jobs/{cancel}/cancel"), as_json, JobView):
            tell(f"the job {job.id} is cancelled")
        return
    found = unless_json(hub.fetch("/api/jobs", every=every), as_json, list[JobView])
    if found is None:
        return
    if not found:
        tell("no job runs" if not every else "there was no job yet")
        return
    names = hub.slugs()
    rows = [
        (j.id, j.kind, names.get(j.session, j.session), j.state, j.step, j.error or j.progress)
        for j in found
    ]
    print_table(("JOB", "KIND", "SESSION", "STATE", "STEP", "SAYS"), rows)
