"""What a user has in the main checkout, and the proof that it is still so, byte for byte."""

from __future__ import annotations

from pathlib import Path

from tests.support.driver import RunningHub, eventually, pool_is_full


class Guarded:
    """Config, index, stash and files of the main checkout; `git fsck` at the end."""

    def __init__(self, hub: RunningHub) -> None:
        self.hub = hub
        readme = hub.repo / "README.md"
        readme.write_text("stashed by the user\n")
        hub.git("stash", "push", "-q", "-m", "the user's", cwd=hub.repo)
        readme.write_text("# Sample\nstill being written\n")
        self.before = self._state()

    def _state(self) -> dict[str, bytes]:
        names = [".git/config", ".git/index", "README.md"]
        files = {name: (self.hub.repo / name).read_bytes() for name in names}
        stash = self.hub.git("stash", "list", "--format=%H %gs", cwd=self.hub.repo)
        return {**files, "stash": stash.encode()}

    def require_untouched(self) -> None:
        assert self._state() == self.before
        if self.hub.process:
            eventually(lambda: pool_is_full(self.hub))  # one that is being made has no HEAD yet
        # From where refs are now: to what is written while it looks, git's own list of them leads,
        # and its walk through the objects may have missed it.
        tips = self.hub.git("for-each-ref", "--format=%(objectname)", cwd=self.hub.repo).split()
        said = self.hub.git("fsck", "--no-dangling", "--no-progress", *tips, cwd=self.hub.repo)
        assert said == ""


def after_turn(hub: RunningHub, session: str, turn: int) -> None:
    """Returns when the checkpoint of that turn is made."""
    with hub.reader(after=0, session=session) as reader:
        reader.until(lambda e: e.get("type") == "checkpoint_made" and e.get("turn", 0) >= turn)


def contents(worktree: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(worktree)): path.read_bytes()
        for path in sorted(worktree.rglob("*"))
        if path.is_file() and path.name != ".git"
    }
