"""`manyhands completion`: the shell's own way to complete our words."""

from __future__ import annotations

import click

from manyhands.cli.options import json_option
from manyhands.cli.output import write, write_json

NAMES = ("manyhands", "mh")


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
def command(shell: str, as_json: bool) -> None:
    """Print the completion script for SHELL.

    bash: eval "$(manyhands completion bash)" in ~/.bashrc; zsh likewise; fish: pipe it to source.
    """
    from click.shell_completion import get_completion_class

    from manyhands.cli.main import manyhands

    kind = get_completion_class(shell)
    assert kind is not None
    parts = [kind(manyhands, {}, name, f"_{name.upper()}_COMPLETE").source() for name in NAMES]
    script = "\n".join(parts)
    if as_json:
        write_json({"shell": shell, "script": script})
    else:
        write(script)
