"""``python -m manyhands.api.doctor [--fix]``: the store of a home whose hub is down, as JSON."""

from __future__ import annotations

import argparse
import sys

import msgspec

from manyhands import config
from manyhands.contract.hub import Finding
from manyhands.errors import ManyhandsError
from manyhands.hub.insight.mending import check_at_rest


def main() -> int:
    parser = argparse.ArgumentParser(prog="manyhands.api.doctor")
    parser.add_argument("--fix", action="store_true")
    home = config.home()
    try:
        home.make()
        found = check_at_rest(home, fix=parser.parse_args().fix)
    except (ManyhandsError, OSError) as error:
        found = Finding("store", False, str(error), getattr(error, "hint", ""))
    sys.stdout.write(msgspec.json.encode(found).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
