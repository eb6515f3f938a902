"""``python -m manyhands``: the command line."""

from manyhands.cli.main import run

run()
