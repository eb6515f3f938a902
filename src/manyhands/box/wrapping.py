"""A command in its box, by whatever means the box has."""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from manyhands.box import bubblewrap, landlock, outline, seatbelt
from manyhands.box.limits import group_prefix, limit_prefix
from manyhands.model.box import Box
from manyhands.model.surroundings import Surroundings


def wrapped(box: Box, argv: Sequence[str | Path], extra: Sequence[str] = ()) -> list[str]:
    """Without a box, the command as it is; `extra` are options of bubblewrap's."""
    return [*box_prefix(box, extra), *map(str, argv)]


def box_prefix(box: Box, extra: Sequence[str] = ()) -> list[str]:
    """Words before a command; it starts in the directory that it is started in."""
    group = group_prefix(Path(box.group)) if box.group else []
    limits = limit_prefix(box, grouped=bool(group))
    match box.by:
        case "bubblewrap":
            return [*group, *_sockets(box), *bubblewrap.prefix(box, extra), *limits]
        case "landlock":
            return [*group, *limits, *landlock.prefix(box)]
        case "seatbelt":
            return seatbelt.prefix(box)
        case _:
            return []


def _sockets(box: Box) -> list[str]:
    """Abstract Unix sockets are the network's: where that is everybody's, they are closed apart. A
    bubblewrap that runs as its owner cannot be started so."""
    if box.network != "open":
        return []
    with suppress(FileNotFoundError):
        if Path(box.program).stat().st_mode & stat.S_ISUID:
            return []
    return landlock.scoped()


def box_variables(box: Box, env: Mapping[str, str]) -> dict[str, str]:
    """What the environment of whoever runs in the box says on top of `env`."""
    if box.by == "bubblewrap":
        return {"TMPDIR": "/tmp", "TMP": "/tmp", "TEMP": "/tmp"}
    # Nothing can be bound over what is there, so variables lead to what stands for it.
    return outline.variables(box, env) if box.by else {}


def surroundings(box: Box, env: Mapping[str, str]) -> Surroundings:
    """For commands that run to their end."""
    is_boxed = box.by == "bubblewrap"
    return Surroundings({**env, **box_variables(box, env)}, tuple(box_prefix(box)), is_boxed)
