"""A worktree's files byte for byte in git's object store, past every conversion.

A private git directory with attributes that switch conversions off shares the repository's
objects. Its index, where kept, remembers what was read, so that unchanged files are not.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from manyhands.config import child_environment
from manyhands.errors import NotPossible
from manyhands.git.private_index import TAKE_IN, update_index
from manyhands.git.refs import Repository
from manyhands.git.repository import load_values
from manyhands.git.runner import Git
from manyhands.model.ids import Oid

# Unset and unspecified differ: an unset encoding is an error, an unspecified one is none.
_ATTRIBUTES = "* -text -crlf -ident -filter !eol !working-tree-encoding\n"
_CONFIG = """\
[core]
\trepositoryformatversion = 1
\tbare = false
\tfilemode = true
\tsymlinks = true
\tautocrlf = false
[extensions]
\tobjectformat = {0}
"""

_OWN = "[core]\n\tsharedRepository = 0600\n"
"""Its objects are nobody else's to read."""


class RawStore:
    """Trees of raw bytes of one worktree; `place` is where its private git directory lives.

    Its objects are the repository's, unless they are to have a place of their own.
    """

    def __init__(
        self, git: Git, found: Repository, place: Path, objects: Path | None = None
    ) -> None:
        self._place = place
        self._make(git, _OWN if objects else "")
        self.git = git.having(
            {"core.autocrlf": "false", "core.fileMode": "true", "core.symlinks": "true"},
            GIT_DIR=place,
            GIT_WORK_TREE=found.toplevel,
            GIT_OBJECT_DIRECTORY=objects or found.common_dir / "objects",
        )

    def _make(self, git: Git, more: str) -> None:
        if (self._place / "HEAD").exists():
            return
        (self._place / "refs").mkdir(parents=True, exist_ok=True)
        (self._place / "info").mkdir(exist_ok=True)
        (self._place / "info/attributes").write_text(_ATTRIBUTES)
        form = git.run("rev-parse", "--show-object-format").line
        (self._place / "config").write_text(_CONFIG.format(form) + more)
        (self._place / "HEAD").write_text("ref: refs/heads/none\n")

    def tree(self, name: str, paths: Iterable[bytes]) -> Oid:
        """The tree of exactly these files; `name` is the index that remembers them."""
        file = self._place / name
        # The snapshot holds its own guard, so a lock is left from a git that was killed.
        file.with_name(file.name + ".lock").unlink(missing_ok=True)
        git = self.git.having(GIT_INDEX_FILE=file)
        wanted = sorted(set(paths))
        gone = sorted(set(git.run("ls-files", "-z").records).difference(wanted))
        update_index(git, "--force-remove", paths=gone)
        update_index(git, *TAKE_IN, paths=wanted)
        return Oid(git.run("write-tree").line)

    def write(self, tree: Oid, paths: Iterable[bytes]) -> None:
        """Put these files of the tree into the worktree, in place of what is there."""
        listed = b"".join(path + b"\0" for path in paths)
        if listed:
            git = self.git.having(GIT_INDEX_FILE=self._place / "target")
            git.run("read-tree", tree)
            git.run("checkout-index", "--force", "-z", "--stdin", stdin=listed)


def may_convert(found: Repository, has_attributes: bool) -> bool:
    """Whether git could store anything other than a file's bytes and mode here."""
    if has_attributes or (found.common_dir / "info/attributes").exists():
        return True
    names = ("core.autocrlf", "core.attributesfile", "core.filemode", "core.symlinks")
    try:
        chosen = load_values(found.toplevel, *names)
    except NotPossible:
        return True
    plain = {"core.autocrlf": "false", "core.filemode": "true", "core.symlinks": "true"}
    differs = any(plain.get(name) != value for name, value in chosen.items())
    return differs or any(file.exists() for file in _users_attributes())


def _users_attributes() -> list[Path]:
    env = child_environment()
    config = env.get("XDG_CONFIG_HOME") or Path(env.get("HOME", "/"), ".config")
    return [Path("/etc/gitattributes"), Path(config, "git/attributes")]
