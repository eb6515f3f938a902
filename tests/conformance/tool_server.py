"""A tool server of a repository, as small as they come: it says that it ran, and offers nothing."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main() -> None:
    Path(os.environ["MARK"]).write_text(" ".join(sys.argv[1:]))
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result(message)}
            print(json.dumps(answer), flush=True)


def result(message: dict[str, object]) -> dict[str, object]:
    if message["method"] != "initialize":
        return {"tools": []}
    return {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "marker", "version": "1"},
    }


if __name__ == "__main__":
    main()
