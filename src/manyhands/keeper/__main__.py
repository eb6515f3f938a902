"""A keeper that was started ahead of need: it preloads, then waits for its spec on its input."""

from __future__ import annotations

import os
import sys

import msgspec

from manyhands.keeper.birth import BY_KIND, EVERY_KEEPERS, become_keeper, preload
from manyhands.model.wire import KeeperSpec

if __name__ == "__main__":
    if sys.argv[1:] != ["--spec-from-stdin"]:
        sys.exit("usage: python -m manyhands.keeper --spec-from-stdin")
    for names in (EVERY_KEEPERS, *BY_KIND.values()):
        preload(names)
    line = sys.stdin.buffer.readline()
    if line:
        os._exit(become_keeper(msgspec.json.decode(line, type=KeeperSpec), os.dup(1)))
