"""``python -m manyhands.api [--port N]``: run the hub of this home in the foreground."""

from __future__ import annotations

import argparse
import sys

import msgspec

from manyhands import config
from manyhands.api.serve import main
from manyhands.contract.hub import Failure
from manyhands.errors import ManyhandsError
from manyhands.hub.core.jobs import Observe


def run(observe: Observe | None = None) -> int:
    """Whoever runs it from within may follow its jobs."""
    parser = argparse.ArgumentParser(prog="manyhands.api")
    parser.add_argument("--port", type=int, default=None)
    port = parser.parse_args().port
    try:
        return main(config.home(), port, observe)
    except ManyhandsError as error:
        failed = error
    except BaseExceptionGroup as group:
        ours, others = group.split(ManyhandsError)
        if others is not None or ours is None:
            raise
        failed = next(iter(_leaves(ours)))
    said = msgspec.json.encode(Failure(failed.code, failed.message, failed.hint))
    print(said.decode(), file=sys.stderr, flush=True)
    return failed.exit_code


def _leaves(group: BaseExceptionGroup[ManyhandsError]) -> list[ManyhandsError]:
    found: list[ManyhandsError] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found


if __name__ == "__main__":
    sys.exit(run())
