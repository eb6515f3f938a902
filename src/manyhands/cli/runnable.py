"""What a repository could make an agent or git run, for a person who is asked to trust it."""

from __future__ import annotations

from pathlib import Path

PATTERNS = (
    ".manyhands.toml",
    ".mcp.json",
    ".claude/settings*.json",
    ".claude/hooks/*",
    ".claude/commands/*",
    ".claude/agents/*",
    ".git/hooks/*",
    ".githooks/*",
    ".husky/*",
)
MOST = 50


def runnable_files(root: Path) -> list[str]:
    """Relative names, a bounded number of them; git's inactive samples are left out."""
    found = [
        str(path.relative_to(root))
        for pattern in PATTERNS
        for path in sorted(root.glob(pattern))
        if path.is_file() and path.suffix != ".sample"
    ]
    more = len(found) - MOST
    return found if more <= 0 else [*found[:MOST], f"and {more} more"]
