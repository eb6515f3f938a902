"""Children in a box: started as any other, and stopped by what runs inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec.structs

from manyhands.box.network.way_out import WayOut
from manyhands.box.wrapping import box_variables, surroundings, wrapped
from manyhands.model.box import Box
from manyhands.model.surroundings import Surroundings
from manyhands.process.inflow import LIMIT
from manyhands.process.launcher import GROUP, launched
from manyhands.process.spawn import Child, Handed, spawn
from manyhands.process.terminal import TerminalChild, spawn_terminal


async def start_boxed(
    box: Box,
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    limit: int = LIMIT,
    group: bool = False,
    way_out: WayOut | None = None,
) -> Child:
    """A child that dies with us. Without a box, `group` takes along what a mere wrapper would leave
    behind; a box takes everything along by itself."""
    is_boxed = box.by == "bubblewrap"
    inner, more, handed = await _network(box, env, way_out)
    command = wrapped(inner, argv)
    return await spawn(
        launched(command, GROUP) if group and not is_boxed else command,
        cwd=cwd,
        env={**env, **box_variables(box, env), **more},
        limit=limit,
        tethered=True,
        boxed=is_boxed,
        handed=handed,
    )


async def start_terminal(
    box: Box,
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    rows: int,
    columns: int,
    way_out: WayOut | None = None,
    readable: Callable[[], None] | None = None,
) -> TerminalChild:
    inner, more, handed = await _network(box, env, way_out)
    return await spawn_terminal(
        wrapped(inner, argv),
        cwd=cwd,
        env={**env, **box_variables(box, env), **more},
        rows=rows,
        columns=columns,
        boxed=box.by == "bubblewrap",
        handed=handed,
        readable=readable,
    )


async def _network(
    box: Box, env: Mapping[str, str], way_out: WayOut | None
) -> tuple[Box, dict[str, str], Handed]:
    """The box as it is to be made, with what its program is told and given of a network.

    It enters the session's own, which is ready by then, and needs none made for itself. Without a
    way out, a box that is not open has one that leads nowhere.
    """
    if box.by != "bubblewrap" or box.network == "open" or way_out is None:
        return box, {}, Handed()
    await way_out.open()
    return msgspec.structs.replace(box, network="open"), way_out.variables(env), way_out.handed


async def networked(box: Box, env: Mapping[str, str], way_out: WayOut | None) -> Surroundings:
    """For commands that run to their end, by whoever takes words before a command."""
    inner, more, handed = await _network(box, env, way_out)
    found = surroundings(inner, {**env, **more})
    if way_out is None or not handed.namespaces:
        return found
    return replace(found, prefix=(*way_out.prefix, *found.prefix))
