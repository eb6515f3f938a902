"""`manyhands down`: stop the hub; agents go on unless all is to stop."""

from __future__ import annotations

import click

from manyhands.cli.options import json_option
from manyhands.cli.output import tell, write_json
from manyhands.errors import HubDown
from manyhands.providers import providers


@click.command("down")
@click.option("--all", "everything", is_flag=True, help="Stop the agents and their keepers too.")
@json_option
def command(everything: bool, as_json: bool) -> None:
    """Stop the hub. Agents at work go on, and the next hub finds them again."""
    from manyhands.cli.hub_process import stop_hub
    from manyhands.config import home

    here = home()
    try:
        pid = stop_hub(here, everything=everything)
    except HubDown as down:
        # Only a hub knows the agents that go on without one.
        hint = "to stop agents that go on without it: manyhands up, then manyhands down --all"
        raise HubDown(down.message, hint=hint if everything else down.hint) from down
    finally:
        if everything:
            for provider in providers():
                provider.stop(here)
    if as_json:
        write_json({"pid": pid, "stopped": True})
    else:
        tell("the hub and all agents are stopped" if everything else "the hub is stopped")
