"""What a twin borrows stays: one private commit over all tips that it was given.

Refs here are moved and deleted, and `git gc --prune=now` takes what they held; in the twin somebody
may be in the middle of a rebase onto it. Later tips are put on top of the first ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from manyhands.git import refs
from manyhands.git.collector import is_whole, made_whole
from manyhands.git.runner import Git
from manyhands.git.twin.moving import Move, move_refs
from manyhands.model.ids import Oid

_LINE = re.compile(rb"([0-9a-f]{40,64}) (tree|commit)")
_NOBODY = b"Manyhands <manyhands@localhost> 0 +0000"


def pin(
    repo: Path, ref: str, tips: Iterable[bytes], *, more: bool = True, also: Iterable[Move] = ()
) -> None:
    """Make `ref` keep these, as far as they are commits and there; with `more` what it kept before
    too. Other refs may move with it."""
    git, wanted, moves = Git(repo).having(refs.DURABLE), list(tips), list(also)
    if not wanted:
        return

    def make(anew: bool) -> Oid:
        before = refs.resolve(repo, ref) if more or anew else None
        if anew and before and not is_whole(repo, before):
            before = None
        made = _write(git, wanted, before)
        move_refs(git, [Move(ref, made), *moves])
        return made

    made_whole(repo, make)


def _write(git: Git, tips: list[bytes], before: Oid | None) -> Oid:
    # Any tree does, if only it is there.
    listing = b"%b^{tree}\n" % tips[0] + b"".join(tip + b"\n" for tip in tips)
    argv = ("cat-file", "--batch-check=%(objectname) %(objecttype)")
    found = _LINE.findall(git.run(*argv, stdin=listing).stdout)
    tree = next((oid for oid, kind in found if kind == b"tree"), b"")
    tree = tree or git.run("hash-object", "-w", "-t", "tree", "--stdin").stdout.strip()
    parents = [before.encode()] if before else []
    parents += [oid for oid, kind in found if kind == b"commit"]
    lines = [b"tree " + tree, *(b"parent " + oid for oid in parents)]
    lines += [b"author " + _NOBODY, b"committer " + _NOBODY, b"", b"manyhands twin", b""]
    named = git.run("hash-object", "-w", "-t", "commit", "--stdin", stdin=b"\n".join(lines))
    return Oid(named.line)
