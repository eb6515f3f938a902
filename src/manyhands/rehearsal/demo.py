"""`manyhands demo`: real agents in parallel on a sample repository, no key needed."""

from __future__ import annotations

import signal
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from manyhands.cli.options import json_option

if TYPE_CHECKING:
    from manyhands.contract.sessions import SessionView
    from manyhands.rehearsal.stage import Stage


@click.command("demo")
@click.option("--sessions", "count", type=click.IntRange(1, 100), default=4, show_default=True)
@click.option("--exit", "leave", is_flag=True, help="Unattended: answer, wait, check, clean up.")
@json_option
def command(count: int, leave: bool, as_json: bool) -> None:
    """Show several real agents at work, in a home of its own that is removed at the end."""
    from manyhands.model.clock import monotonic
    from manyhands.rehearsal.stage import open_stage

    begun = monotonic()
    with open_stage(count) as stage:
        stage.raise_curtain(pace=0.0 if leave else 1.0)
        if not leave:
            _show(stage, as_json, begun)
            return
        sessions, problems = stage.play()
    _print(sessions, problems, monotonic() - begun, as_json)
    if problems:
        raise click.exceptions.Exit(1)


def _show(stage: Stage, as_json: bool, begun: float) -> None:
    """Stays in the foreground until the person has seen enough, which is its proper end."""
    with suppress(KeyboardInterrupt):
        _print_link(stage, as_json, begun)
        while True:
            signal.pause()


def _print_link(stage: Stage, as_json: bool, begun: float) -> None:
    from manyhands.cli.browser import open_page
    from manyhands.cli.output import tell, write, write_json
    from manyhands.model.clock import monotonic

    link = stage.client.link()
    if as_json:
        seconds = round(monotonic() - begun, 3)
        write_json({"sessions": stage.views(), "seconds": seconds, "url": link})
    else:
        write(link)
        open_page(stage.home, link)
    tell(f"{len(stage.acts)} agents are at work. Ctrl-C stops them and removes the demo.")


def _print(sessions: list[SessionView], problems: list[str], seconds: float, as_json: bool) -> None:
    from manyhands.cli.output import tell, write_json
    from manyhands.cli.session_text import changes
    from manyhands.cli.table import print_table

    if as_json:
        shown = {"sessions": sessions, "seconds": round(seconds, 3), "problems": problems}
        write_json(shown)
    else:
        rows = [(s.title, s.status, s.branch, changes(s), f"{s.cost_usd:.2f}") for s in sessions]
        print_table(("SESSION", "STATUS", "BRANCH", "CHANGES", "USD"), rows)
    for problem in problems:
        tell(f"not as expected: {problem}")
    if not problems:
        tell(f"{len(sessions)} sessions as expected in {seconds:.1f} s; nothing is left running")
