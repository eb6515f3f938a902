"""`manyhands train`: finished sessions land one after the other, each tested on those ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from manyhands.cli.answers import unless_json
from manyhands.cli.options import (
    absolute_path,
    complete_session,
    connection,
    json_option,
    session_argument,
)
from manyhands.cli.output import tell
from manyhands.cli.table import print_table

if TYPE_CHECKING:
    from manyhands.contract.train import CarView

F = TypeVar("F", bound=Callable[..., Any])
HEADS = ("POSITION", "SESSION", "INTO", "STATE", "COMMIT", "WHY")
sessions_argument: Callable[[F], F] = click.argument(
    "sessions", nargs=-1, required=True, metavar="S...", shell_complete=complete_session
)
repo_option: Callable[[F], F] = click.option(
    "--repo", metavar="PATH", help="Default: the repository around this directory."
)
into_option: Callable[[F], F] = click.option(
    "--into", metavar="BRANCH", default="", help="Only the train to this branch."
)


@click.group("train", no_args_is_help=True)
@json_option
def command(as_json: bool) -> None:
    """Land finished sessions in order: each is tested on the tree that results from those ahead.

    The branch only ever moves to a tree that was tested.
    """


@command.command("add")
@sessions_argument
@click.option("--into", metavar="BRANCH", default="", help="The target; else the session's base.")
@click.option(
    "--method",
    type=click.Choice(["merge", "squash", "rebase"]),
    help="A merge commit, one commit of everything, or each commit on top; else [train] method.",
)
@click.option(
    "--via",
    type=click.Choice(["local", "push", "pr"]),
    help="Move the branch here, on the remote by a push with lease, or by pull requests.",
)
@click.option(
    "--mend",
    type=click.IntRange(0, 10),
    metavar="N",
    help="Send a car that left back to its agent, at most N times. Default: [train] mend.",
)
@click.option("--untested", is_flag=True, help="Let it land although no checks are configured.")
@json_option
def add(sessions: tuple[str, ...], as_json: bool, **asked: Any) -> None:
    """Put sessions on the train, in this order; their work must be committed."""
    _show(connection().send("/api/train/add", {"sessions": sessions, **asked}), as_json)


@command.command("ls")
@repo_option
@json_option
def ls(repo: str | None, as_json: bool) -> None:
    """Show the cars in order, then those that left."""
    where = absolute_path(repo) if repo else ""
    _show(connection().fetch("/api/train/cars", repo=where), as_json)


@command.command("rm")
@sessions_argument
@json_option
def rm(sessions: tuple[str, ...], as_json: bool) -> None:
    """Take sessions off the train; their work stays as it is."""
    _show(connection().send("/api/train/remove", {"sessions": sessions}), as_json)


@command.command("move")
@session_argument
@click.argument("position", type=click.IntRange(1))
@json_option
def move(session: str, position: int, as_json: bool) -> None:
    """Put a car at POSITION, counted from 1; what was tested already is not overtaken."""
    asked = {"session": session, "position": position}
    _show(connection().send("/api/train/move", asked), as_json)


@command.command("pause")
@repo_option
@into_option
@json_option
def pause(repo: str | None, into: str, as_json: bool) -> None:
    """Begin nothing new; what runs goes on to its end."""
    _stand("pause", repo, into, as_json)


@command.command("resume")
@repo_option
@into_option
@json_option
def resume(repo: str | None, into: str, as_json: bool) -> None:
    """Go on, after a pause or once what held it up is mended."""
    _stand("resume", repo, into, as_json)


def _stand(how: str, repo: str | None, into: str, as_json: bool) -> None:
    from manyhands.contract.train import TrainView

    asked = {"repo": absolute_path(repo or "."), "into": into}
    found = unless_json(connection().send(f"/api/train/{how}", asked), as_json, list[TrainView])
    for train in found or ():
        stands = "stands still" if train.paused else "goes on"
        count = f"{len(train.cars)} car{'' if len(train.cars) == 1 else 's'}"
        tell(f"the train to {train.into} {stands}: {count}")


def _show(data: bytes, as_json: bool) -> None:
    from manyhands.contract.train import CarView

    cars = unless_json(data, as_json, list[CarView])
    if cars is None:
        return
    if not cars:
        tell("no train is on its way")
        return
    print_table(HEADS, [_row(car) for car in cars])
    for hint in dict.fromkeys(car.hint for car in cars if car.hint and car.position):
        tell(hint)


def _row(car: CarView) -> tuple[str, ...]:
    place = str(car.position) if car.position else "-"
    why = car.error or car.note
    if car.state in ("testing", "waiting") and car.ahead:
        why = why or f"on {car.into} + {', '.join(car.ahead)}"
    if car.mending:
        why = f"{why} (its agent mends it, round {car.round + 1} of {car.rounds})"
    return (place, car.slug, car.into, car.state, car.commit[:12], why)
