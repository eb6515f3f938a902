"""`manyhands conflicts`: who is in whose way, on which lines, and in which order to land."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import client, complete_session, json_option
from manyhands.cli.output import emit, tell, write
from manyhands.cli.table import print_table
from manyhands.cli.terminal import inert
from manyhands.errors import BadInput

if TYPE_CHECKING:
    from manyhands.client.calls import Client
    from manyhands.contract.landing import ConflictHunks, ConflictView
    from manyhands.model.radar.hunks import HunkPart, PathHunks


@click.command("conflicts")
@click.argument("sessions", metavar="[S [T]]", nargs=-1, shell_complete=complete_session)
@click.option("--overlaps", is_flag=True, help="Also pairs that merely changed the same file.")
@click.option("--hunks", is_flag=True, help="Show the lines of both sides.")
@click.option("--order", is_flag=True, help="In which order to land them with fewest conflicts.")
@json_option
def command(
    sessions: tuple[str, ...], overlaps: bool, hunks: bool, order: bool, as_json: bool
) -> None:
    """List sessions whose work would conflict when merged, uncommitted work included. With S only
    what S is in conflict with, with T only these two; T may be the name of the base."""
    hub = client()
    if order:
        _print_order(hub, sessions, as_json)
        return
    if len(sessions) > 2:
        raise BadInput("a conflict is between two", hint="`--order` takes any number of sessions")
    session, other = (*sessions, "", "")[:2]
    asked = {"session": session, "other": other, "overlaps": overlaps, "fresh": True}
    data = hub.fetch("/api/conflicts", timeout=None, **asked)
    if hunks:
        _print_hunks(hub, data, as_json)
        return
    from manyhands.contract.landing import ConflictView

    found = unless_json(data, as_json, list[ConflictView])
    if found is not None:
        _print_pairs(hub, found)


def _print_pairs(hub: Client, found: list[ConflictView]) -> None:
    names = hub.slugs() if found else {}
    rows = [
        (names.get(c.a, c.a), names.get(c.b, c.b), p.kind, p.reason, p.path)
        for c in found
        for p in c.paths
    ]
    if rows:
        print_table(("SESSION", "WITH", "KIND", "WHY", "PATH"), rows)
    else:
        tell("nobody is in anybody's way")
    for conflict in found:
        if conflict.suggestion:
            tell(conflict.suggestion)


def _print_order(hub: Client, sessions: tuple[str, ...], as_json: bool) -> None:
    from manyhands.contract.landing import LandingTurn

    data = hub.fetch("/api/conflicts/order", session=sessions, fresh=True, timeout=None)
    turns = unless_json(data, as_json, list[LandingTurn])
    if turns is None:
        return
    names = hub.slugs() if turns else {}
    rows = []
    for turn in turns:
        reasons = ["its base"] if turn.stuck else []
        reasons += [names.get(id, id) for id in turn.after]
        rows.append((names.get(turn.session, turn.session), ", ".join(reasons)))
    if rows:
        print_table(("SESSION", "UPDATE IT FIRST, FOR"), rows)
    else:
        tell("nobody is in anybody's way: land them as you like")


def _print_hunks(hub: Client, data: bytes, as_json: bool) -> None:
    import msgspec

    from manyhands.contract.landing import ConflictHunks, ConflictView

    pairs = msgspec.json.decode(data, type=list[ConflictView])
    asked = [hub.fetch("/api/conflicts/hunks", a=pair.a, b=pair.b, timeout=None) for pair in pairs]
    if as_json:
        emit(b"[" + b",".join(asked) + b"]")
        return
    names = hub.slugs() if asked else {}
    for one in asked:
        _print_pair(msgspec.json.decode(one, type=ConflictHunks), names)
    if not asked:
        tell("nobody is in anybody's way")


def _print_pair(found: ConflictHunks, names: dict[str, str]) -> None:
    labels = ("was", names.get(found.a, found.a), names.get(found.b, found.b))
    for path in found.paths:
        write(inert(f"{labels[1]} and {labels[2]}: {path.path} ({path.reason})"))
        _print_path(path, labels)
    if found.more:
        tell(f"and {found.more} more paths")


def _print_path(path: PathHunks, labels: tuple[str, str, str]) -> None:
    if path.note:
        write(f"  {inert(path.note)}")
    width = max(map(len, labels))
    for hunk in path.hunks:
        for label, part in zip(labels, (hunk.base, hunk.a, hunk.b), strict=True):
            for line in _part_lines(part):
                write(inert(f"  {label.ljust(width)} {line}"))
        write()
    if path.more:
        tell(f"and {path.more} more places in {path.path}")


def _part_lines(part: HunkPart) -> list[str]:
    """Those in question, numbered as in their own file."""
    first, end = part.changed
    found = [f"{part.start + n:>6} | {part.lines[n]}" for n in range(first, end)]
    return [*found, *(["     … |"] if part.cut else [])] or ["       | (nothing)"]
