"""A home's servers, started in the background: the hub, and what agents need."""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence

from manyhands.client.http import as_error
from manyhands.config import Home, child_environment, load_settings
from manyhands.errors import ManyhandsError
from manyhands.process.detach import Detached, NotReady, start_detached

SECONDS = 60.0


def start_server(home: Home, module: str, words: Sequence[str]) -> Detached:
    """Runs `python -m module` for `home`; returns when it has said that it is ready."""
    passed = load_settings(home).hub_variables
    env = child_environment({"MANYHANDS_HOME": str(home.root)}, passed=passed)
    log = home.logs / f"{module.rpartition('.')[2]}-process.log"
    argv = [sys.executable, "-m", module, *words]
    try:
        return start_detached(argv, env=env, log=log, timeout=SECONDS)
    except NotReady as error:
        raise _own_words(error) or error from error


def _own_words(error: NotReady) -> ManyhandsError | None:
    """The error as the server itself put it, where that was the last thing it said."""
    last = error.log.read_bytes().rstrip(b"\n").rpartition(b"\n")[2]
    return as_error(last)


def port_is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
