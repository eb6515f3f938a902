"""The console entry: a lazy group whose commands are imported only when they are used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import click

from manyhands import __version__

COMMANDS = (
    *("up", "status", "down", "repo", "agents"),
    *("new", "adopt", "ls", "show", "path", "open"),
    *("say", "ask", "follow-ups", "stop", "resume", "wait", "next", "answer", "snooze"),
    *("set", "rules", "audit", "past"),
    *("term", "run", "shot", "take", "give"),
    *("log", "diff", "review", "comment", "checkpoints", "rewind", "fork"),
    *("issues", "propose", "commit", "pr", "conflicts", "merge", "train", "update"),
    "service",
    *("archive", "restore", "rm"),
    *("jobs", "usage", "db", "notify"),
    *("doctor", "completion"),
)


class LazyGroup(click.Group):
    """Knows its commands by name; a command's module is imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *_provided()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        ours = f"manyhands.cli.{cmd_name.replace('-', '_')}" if cmd_name in COMMANDS else None
        path = ours or _provided().get(cmd_name)
        if path is None:
            return None
        command: click.Command = importlib.import_module(path).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and not set(ctx.help_option_names) & set(rest):
            from manyhands.cli.person import require_person

            require_person(name)
        return name, command, rest


def _provided() -> dict[str, str]:
    from manyhands.providers import providers

    return {name: path for one in providers() for name, path in one.COMMANDS.items()}


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="manyhands")
def manyhands() -> None:
    """Many coding agents in parallel on one repository, and one person in command.

    Sessions are named by id, by a unique beginning of the id, or by slug. Every command
    takes --json; data goes to stdout, messages to stderr.
    """


def run() -> None:
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str]) -> int:
    """The exit code; whatever went wrong was said on stderr."""
    try:
        result = manyhands.main(list(argv) or ["--help"], standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - the top: told in one sentence, or reported as a bug
        from manyhands.cli.failure import report

        return report(error, argv)
    except KeyboardInterrupt:
        return 130
    except SystemExit:
        # Click ends in this way, with 1, when the reader of its help is gone: that is no failure.
        if type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):
            return 0
        raise
    return result if isinstance(result, int) else 0
