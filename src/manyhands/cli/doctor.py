"""`manyhands doctor`: find and explain anything odd."""

from __future__ import annotations

import click

from manyhands.cli.options import json_option
from manyhands.cli.output import write_json
from manyhands.cli.table import print_table


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended without losing anything.")
@json_option
def command(fix: bool, as_json: bool) -> None:
    """Check this machine, this home and the hub; exit 1 if something is odd.

    Every finding says what is odd and what to do. With --fix, what is ours alone is mended.
    """
    from manyhands.cli.checks import all_checks
    from manyhands.config import home

    checks = all_checks(home(), fix=fix)
    if as_json:
        write_json(checks)
    else:
        rows = [("ok" if c.ok else "ODD", c.check, c.detail, c.fix) for c in checks]
        print_table(("", "CHECK", "FOUND", "TO DO"), rows)
    if not all(c.ok for c in checks):
        raise click.exceptions.Exit(1)
