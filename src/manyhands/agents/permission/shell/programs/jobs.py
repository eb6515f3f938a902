"""Signals: to what the line itself has started, or to somebody else."""

from __future__ import annotations

import re
from collections.abc import Callable

from manyhands.agents.permission.shell.call import ShellCall
from manyhands.agents.permission.shell.marks import JOB


def _kill(call: ShellCall) -> None:
    call.changes()
    words = list(call.arguments)
    if words[:1] == ["-0"] or words[:1] == ["-l"]:
        return
    if words[:1] in (["-s"], ["-n"]):
        words = words[2:]
    targets = [word for word in words if not re.fullmatch(r"-[A-Z0-9]+|--", word)]
    if not targets or any(not _is_own(target) for target in targets):
        call.asks("signals processes that may not be its own")


def _is_own(target: str) -> bool:
    return target == JOB or target.startswith("%")


READERS: dict[str, Callable[[ShellCall], None]] = {"kill": _kill}
