"""Which paths the ignore rules cover, by git's own reading of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from manyhands.errors import GitFailed
from manyhands.git.runner import Git


def ignored_paths(worktree: Path, paths: Iterable[bytes]) -> set[bytes]:
    """Those of `paths` that the rules cover, whether tracked or not."""
    asked = b"".join(path + b"\0" for path in paths)
    if not asked:
        return set()
    # The command takes no magic at all, not even the one that switches magic off.
    git = Git(worktree).having(GIT_LITERAL_PATHSPECS="0")
    argv = ("check-ignore", "-z", "--stdin", "--no-index")
    found = git.run(*argv, stdin=asked, check=False)
    if found.returncode > 1:
        stderr = found.stderr.decode("utf-8", "replace")
        raise GitFailed(argv, found.returncode, stderr, cwd=str(worktree))
    return set(found.records)
