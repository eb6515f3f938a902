"""What a twin borrows stays: one private commit over all tips that it was given.

Refs here are moved and deleted, and `git gc --prune=now` takes what they held; in the twin somebody
may be in the middle of a rebase onto it. Later tips are put on top of the first ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pygit2
from pygit2.enums import ObjectType

from manyhands.git import refs
from manyhands.git.collector import is_whole, made_whole
from manyhands.git.objects import write_object
from manyhands.git.repository import open_repository
from manyhands.git.runner import Git
from manyhands.git.tree_edit import commit_content, make_tree
from manyhands.git.twin.moving import Move, move_refs
from manyhands.model.ids import Oid

_PEELED = b"^{}"


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
    repo = open_repository(git.cwd)
    commits = [one for tip in tips if (one := _load_commit(repo, tip)) is not None]
    # Any tree does, if only it is there.
    tree = str(commits[0].tree_id) if commits else make_tree(git, [])
    parents = [*([before] if before else []), *(str(one.id) for one in commits)]
    content = commit_content(tree, parents, "manyhands twin")
    return write_object(git, "commit", content, [tree, *parents])


def _load_commit(repo: pygit2.Repository, tip: bytes) -> pygit2.Commit | None:
    """Of a tag, only where what it stands for is meant."""
    name = tip.removesuffix(_PEELED)
    found = repo.get(name.decode())
    if found is None or (found.type != ObjectType.COMMIT and name == tip):
        return None
    try:
        return found.peel(pygit2.Commit)
    except (pygit2.GitError, ValueError, KeyError):
        return None
