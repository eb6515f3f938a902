"""From the twin to the repository: objects, then refs by swap, then the index.

The session's branch is the only one of the user's refs that moves. What else was made there is kept
by private refs under the twin's own name. Each step finds out for itself what is still to be done,
so one that was killed is simply done again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from manyhands.errors import GitFailed, ManyhandsError, NotPossible
from manyhands.git import refs
from manyhands.git.collector import Collector, is_whole
from manyhands.git.refs import Repository
from manyhands.git.repository import load_tree_id
from manyhands.git.rescue.survey import existing, operation
from manyhands.git.runner import Git
from manyhands.git.tree_edit import make_commit
from manyhands.git.twin import staging
from manyhands.git.twin.clean_index import is_tree
from manyhands.git.twin.fetching import fetch_objects
from manyhands.git.twin.given import GivenRefs
from manyhands.git.twin.large_files import bring_large_files
from manyhands.git.twin.loose import load_tree
from manyhands.git.twin.moving import Move, move_refs
from manyhands.git.twin.place import Twin
from manyhands.git.twin.staging import Difference
from manyhands.git.twin.state import TwinState, load_state, logged_oids
from manyhands.git.twin.untrusted import broken, understood
from manyhands.model.ids import Oid

REASON = "manyhands: brought in from the box"
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
MOST_NAMED, MOST_KNOWN = 300, 50
_BASES = [
    f"refs/{place}/{name}"
    for place in ("heads", "remotes/*")
    for name in ("HEAD", "main", "master", "trunk", "develop")
]
_PARENTS = 100


@dataclass(frozen=True)
class TwinSides:
    """How both sides stand."""

    place: Twin
    prefix: tuple[str, ...]
    found: Repository
    state: TwinState
    here: str
    """The branch's tip on this side; nothing where it has none."""
    on: str | None
    """The branch that the worktree is on, on this side."""
    ours: dict[str, Oid]
    """Private refs about the twin, by what comes after its own name."""
    users: dict[str, str]
    """Refs of the same names as those that are new or changed in the twin."""

    @property
    def there(self) -> str:
        """The branch's tip in the twin."""
        return self.state.oid(self.place.head)

    @property
    def synced(self) -> str:
        return self.ours.get("synced", Oid(""))

    @property
    def both_on_branch(self) -> bool:
        return self.on == self.place.branch and self.state.branch == self.place.head

    @property
    def known(self) -> list[str]:
        """Tips that work there may have begun from."""
        ours = [self.here, self.synced, self.ours.get("tip", "")]
        ours += [oid for name, oid in self.ours.items() if name.startswith("heads/")][:MOST_KNOWN]
        bases = [
            oid
            for name, oid in self.users.items()
            if any(fnmatchcase(name, base) for base in _BASES)
        ]
        return [oid for oid in dict.fromkeys([*ours, *bases]) if oid]

    @property
    def git(self) -> Git:
        return Git(self.place.worktree)

    @property
    def inside(self) -> Git:
        """Git where the twin is used."""
        # By name: not everything that keeps somebody in can put another link in the worktree.
        place = {"GIT_DIR": self.place.twin, "GIT_WORK_TREE": self.place.worktree}
        return Git(self.place.worktree).boxed(self.prefix).having(None, **place)


def load_sides(place: Twin, prefix: Sequence[str], given: GivenRefs) -> TwinSides:
    found = refs.require_worktree(place.worktree)
    state = load_state(place.twin, given)
    named = sorted(state.changed)
    if len(named) > MOST_NAMED:
        named = ["refs/heads", "refs/tags", "refs/remotes", "refs/notes", "refs/replace"]
    form = "--format=%(objectname) %(refname)"
    # Plain names, no patterns: none of the letters that those have can be in a ref.
    listed = Git(place.worktree, hardened=False).run(
        "for-each-ref", form, place.under, place.head, *_BASES, *named
    )
    pairs = (line.partition(b" ") for line in listed.stdout.splitlines())
    users = {name.decode("utf-8", "surrogateescape"): oid.decode() for oid, _, name in pairs}
    ours = {
        name.removeprefix(f"{place.under}/"): Oid(oid)
        for name, oid in users.items()
        if name.startswith(f"{place.under}/")
    }
    on = refs.current_branch(place.worktree)
    here = users.get(place.head, "")
    return TwinSides(place, tuple(prefix), found, state, here, on, ours, users)


def kept_names(sides: TwinSides) -> dict[str, str]:
    """What is to be kept of the twin, beside the branch's place here, by private name."""
    state, wanted = sides.state, {}
    if sides.there:
        wanted["tip"] = sides.there
    if state.head and state.branch is None:
        wanted["head"] = state.head
    new = [name for name in sorted(state.changed) if name != sides.place.head]
    for name in new:
        own = name.removeprefix("refs/")
        # Both cannot be had as files; git itself would not have made them.
        in_the_way = any(above in wanted for above in _above(own))
        if sides.users.get(name) != state.changed[name] and not in_the_way:
            wanted[own] = state.changed[name]
    wanted |= {f"stash/{oid}": oid for oid in state.stash}
    return wanted


def _above(name: str) -> Iterator[str]:
    parts = name.split("/")
    return ("/".join(parts[:n]) for n in range(1, len(parts)))


_LASTING = ("pins", "synced", "staged", "gone/", "reflog", "host/")


def keep(sides: TwinSides, staged: Difference) -> tuple[str, ...]:
    """Bring all objects over and have them kept; gives the private refs that were set."""
    wanted = kept_names(sides)
    blobs = dict.fromkeys(staged.blobs)
    if blobs:
        wanted["staged"] = staging.make_blob_tree(sides.inside, blobs)
    new = {name: oid for name, oid in wanted.items() if sides.ours.get(name) != oid}
    vanished = {
        name: oid
        for name, oid in sides.ours.items()
        if name not in wanted and not name.startswith(_LASTING) and name not in ("tip", "head")
    }
    if new or vanished:
        _bring(sides, new, vanished)
    return tuple(f"{sides.place.under}/{name}" for name in new if name not in ("tip", "staged"))


def keep_staged_there(sides: TwinSides, staged: Difference) -> str:
    """What is staged there and about to be replaced by what is staged here; the ref that has it."""
    if not staged.blobs:
        return ""
    tree = staging.make_blob_tree(sides.inside, dict.fromkeys(staged.blobs))
    _bring(sides, {f"gone/{tree}": tree}, {})
    return f"{sides.place.under}/gone/{tree}"


def keep_staged_here(sides: TwinSides) -> str:
    """The other way round."""
    made = sides.git.having(refs.DURABLE).run("write-tree", check=False)
    if made.returncode:
        return ""  # in the middle of a merge, whose sides are kept by their commits
    ref = f"{sides.place.under}/host/{made.line}"
    move_refs(sides.git, [Move(ref, made.line)])
    return ref


def _bring(sides: TwinSides, new: dict[str, str], vanished: dict[str, Oid]) -> None:
    under, git = sides.place.under, sides.git
    oids = list(dict.fromkeys(new.values()))
    unknown = [oid for oid in oids if oid not in (sides.here, sides.synced)]

    def bring() -> None:
        fetch_objects(sides.place, sides.prefix, unknown, sides.known)
        bring_large_files(sides.place.twin, sides.found.common_dir)
        gone = [Move(f"{under}/gone/{oid}", oid) for oid in vanished.values()]
        # What has gone first: its name may be in the way of another.
        move_refs(git, [*gone, *(Move(f"{under}/{name}", "", o) for name, o in vanished.items())])
        move_refs(git, [Move(f"{under}/{name}", oid) for name, oid in new.items()])
        vanished.clear()

    collector = Collector(sides.place.worktree)
    try:
        bring()
        if not collector.came_by() or _are_whole(git.cwd, oids):
            return
    except ManyhandsError:
        if not collector.came_by():
            raise
    with collector.kept_out():
        bring()
    if not _are_whole(git.cwd, oids):
        raise NotPossible("some of what came from the box is gone", hint="`git fsck` tells what")


def _are_whole(repo: Path, oids: list[str]) -> bool:
    return all(is_whole(repo, Oid(oid)) for oid in oids)


def move_branch(sides: TwinSides) -> None:
    """The branch here to where it is there, as one swap with its logs."""
    place, new, old = sides.place, sides.there, sides.here or None
    synced = Move(place.synced, new)
    if new == sides.here:
        if sides.synced != new:
            move_refs(sides.git, [synced])
    elif sides.on == place.branch:
        move_refs(sides.git, [Move("HEAD", new, old), synced], REASON)
    else:
        move_refs(sides.git, [Move(place.head, new, old), synced], REASON)


_UNREADABLE = "what is staged there cannot be read"
_QUIT = {"merge": "merge", "cherry-pick": "cherry-pick", "revert": "revert", "rebase": "rebase"}


def settle_operation(sides: TwinSides) -> str:
    """What was in progress here when the twin was made, and is over there, is over here too."""
    note = sides.place.beside("operation")
    if sides.state.operation or not note.exists():
        return ""
    begun = operation(sides.found.git_dir)
    if begun is None or begun != note.read_text():
        note.unlink()
        return ""
    if begun not in _QUIT or (sides.found.git_dir / "rebase-merge/autostash").exists():
        return f"the {begun} is over in the box; here git still takes it to be in progress"
    head = sides.git.run("rev-parse", "HEAD").line
    if sides.on is None and sides.state.branch == sides.place.head:
        move_refs(sides.git, [Move(f"{sides.place.under}/host/{head}", head)])
        sides.git.run("symbolic-ref", "-m", REASON, "HEAD", sides.place.head)
    sides.git.run(_QUIT[begun], "--quit")
    note.unlink()
    return ""


def load_wanted(sides: TwinSides, tip: str) -> Difference:
    """What is staged there, on top of where the branch here will be."""
    if is_tree(sides.place.twin, _tree_there(sides, tip)):
        return Difference()
    try:
        return staging.load_staged(sides.inside, tip or EMPTY_TREE)
    except GitFailed as error:
        raise understood(sides.place.twin, _UNREADABLE, error) from error
    except NotPossible as error:
        raise broken(sides.place.twin, f"{_UNREADABLE}: {error.message}") from error


def _tree_there(sides: TwinSides, tip: str) -> str:
    """Of a commit that was made there or is here already."""
    return load_tree(sides.place.twin, tip) or load_tree_id(sides.place.worktree, tip)


def follow_index(sides: TwinSides, tip: str, wanted: Difference) -> int:
    sparse = (sides.found.git_dir / "info/sparse-checkout").exists()
    skipped = staging.load_skipped(sides.inside) if sparse else frozenset()
    lock = sides.found.git_dir / "index.lock"
    return staging.follow(sides.git.having(refs.DURABLE), lock, tip or EMPTY_TREE, wanted, skipped)


def bring_everything(sides: TwinSides) -> str:
    """What only the twin's logs remember, too; gives the ref that keeps it."""
    commits = _commits_there(sides, logged_oids(sides.place.twin))
    missing = set(commits) - set(existing(sides.git, {oid.encode() for oid in commits}))
    kept = sides.ours.get("reflog")
    if not commits:
        return ""
    fetch_objects(sides.place, sides.prefix, sorted(missing), sides.known)
    made = _chain(sides.git, [oid for oid in (kept, *map(Oid, sorted(commits))) if oid])
    ref = f"{sides.place.under}/reflog"
    refs.put_ref(sides.place.worktree, ref, made)
    if not is_whole(sides.place.worktree, made):
        raise NotPossible("some of what the session's logs name is gone", hint="sync again")
    return ref


def _commits_there(sides: TwinSides, named: set[bytes]) -> list[str]:
    """Those that are commits and still there, by the twin's own word."""
    asked = b"".join(oid + b"\n" for oid in sorted(named))
    argv = ("cat-file", "--batch-check=%(objectname) %(objecttype)")
    said = sides.inside.run(*argv, stdin=asked, limit=(len(asked) + 100) * 2).stdout.splitlines()
    parts = (line.partition(b" ") for line in said)
    return [oid.decode() for oid, _, kind in parts if kind == b"commit" and oid in named]


def _chain(git: Git, parents: list[Oid]) -> Oid:
    tree = Oid(git.run("rev-parse", f"{parents[-1]}^{{tree}}").line)
    made: list[Oid] = []
    for start in range(0, len(parents), _PARENTS):
        group = [*made[-1:], *parents[start : start + _PARENTS]]
        made.append(make_commit(git.having(refs.DURABLE), tree, group, "manyhands twin's logs"))
    return made[-1]
