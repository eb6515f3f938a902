"""Writes the JSON Schema of `.manyhands.toml`, for editors, from the structs that read it.

`python scripts/generate_schema.py` writes the file; with `--check` it only says if it is fresh.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import msgspec

from manyhands.workspace.repo_config import RepoConfig

TARGET = Path(__file__).resolve().parent.parent / "docs" / "manyhands.schema.json"


def schema() -> str:
    found = msgspec.json.schema(RepoConfig)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What a repository wants of its workspaces (.manyhands.toml)",
    }
    return json.dumps({**head, **found}, indent=2) + "\n"


def main(words: list[str]) -> int:
    if "--check" in words:
        return 0 if TARGET.is_file() and TARGET.read_text("utf-8") == schema() else 1
    TARGET.write_text(schema(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
