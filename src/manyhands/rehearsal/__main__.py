"""Run the scripted model as a process of its own: `python -m manyhands.rehearsal`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

from manyhands.rehearsal.server import serve


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m manyhands.rehearsal", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes any free port (the default)")
    parser.add_argument("--ready-file", type=Path, help="also write the ready line to this file")
    options = parser.parse_args()
    try:
        asyncio.run(serve(port=options.port, ready=lambda url: _announce(url, options.ready_file)))
    except OSError as problem:
        sys.exit(f"cannot listen on 127.0.0.1:{options.port}: {problem.strerror}; try --port 0")
    except KeyboardInterrupt:
        sys.exit(130)


def _announce(url: str, ready_file: Path | None) -> None:
    line = json.dumps({"url": url, "pid": os.getpid()})
    if ready_file:
        draft = ready_file.with_name(f"{ready_file.name}.{os.getpid()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(line + "\n")
        draft.replace(ready_file)
    # Last: whoever reads the line may look for the file at once.
    print(line, flush=True)


if __name__ == "__main__":
    main()
