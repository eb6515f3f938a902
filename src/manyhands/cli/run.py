"""`manyhands run`: a command in the environment, worktree and box of one or several sessions."""

from __future__ import annotations

import time

import click

from manyhands.cli.options import client, complete_session, json_option
from manyhands.cli.output import put, tell, write_json
from manyhands.errors import NotPossible

MOST_KEPT = 1024 * 1024
"""Of the output that is told as JSON: its end."""


@click.command(
    "run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option("--all", "all_sessions", is_flag=True, help="In every session, one after the other.")
@json_option
@click.argument(
    "words",
    nargs=-1,
    type=click.UNPROCESSED,
    metavar="S... -- CMD...",
    shell_complete=complete_session,
)
def command(words: tuple[str, ...], all_sessions: bool, as_json: bool) -> int:
    """Run CMD in the session, as its agent would: its output is ours, and so is its exit code.

    Of several sessions it is the first that is not 0. Ctrl-C ends the command.
    """
    refs, program = _split(words, all_sessions=all_sessions)
    if "--json" in refs:
        as_json = True
        refs.remove("--json")
    hub = client()
    found = hub.sessions() if all_sessions else [hub.session(ref) for ref in refs]
    results, code = [], 0
    for s in found:
        if len(found) > 1 and not as_json:
            tell(f"{s.slug}:")
        began = time.monotonic()
        exit_code, output = _run(s.id, program, shown=not as_json)
        seconds = round(time.monotonic() - began, 3)
        code = code or exit_code
        text = output.decode("utf-8", "replace")
        result = {"session": s.id, "exit_code": exit_code, "seconds": seconds, "output": text}
        results.append(result)
    if as_json:
        write_json(results if all_sessions or len(found) > 1 else results[0])
    return code


def _split(words: tuple[str, ...], *, all_sessions: bool) -> tuple[list[str], tuple[str, ...]]:
    """Before and after the first `--`, which click leaves where something is before it."""
    if "--" in words:
        at = words.index("--")
        refs, program = [*words[:at]], words[at + 1 :]
    else:
        refs, program = ([], words) if all_sessions else ([*words[:1]], words[1:])
    if not program:
        raise click.UsageError("missing the command: manyhands run S -- CMD...")
    if bool(refs) == all_sessions:
        raise click.UsageError("name sessions, or give --all: manyhands run S... -- CMD...")
    return refs, program


def _run(session: str, program: tuple[str, ...], *, shown: bool) -> tuple[int, bytes]:
    from websockets.exceptions import ConnectionClosed

    from manyhands.client.stream import open_run
    from manyhands.model.terminal import stream

    kept = b""
    with open_run(client().home, session, program) as socket:
        try:
            for message in socket:
                if isinstance(message, bytes):
                    kept = (kept + message)[-MOST_KEPT:] if not shown else b""
                    if shown:
                        put(message)
                    continue
                match stream.told(message):
                    case stream.ExitWord(exit_code=code):
                        return code, kept
                    case stream.ErrorWord(message=problem):
                        raise NotPossible(problem)
        except ConnectionClosed as error:
            raise NotPossible(f"the command's connection ended: {error}") from error
    raise NotPossible("its keeper came to an end, and the command with it")
