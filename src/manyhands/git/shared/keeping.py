"""One private commit per state that keeps all of it from `git gc --prune=now`.

Its parents are the tips, its tree lists them by name. Of many tips each parent is a commit that
holds some, by their names and always the same way, so that a new state shares nearly all objects
with the one before. A state's first parent is the one before it on the same day; a day has a ref of
its own, and goes when it is old. Annotated tags, which no commit can hold, are kept as they are
written. The config may hold passwords, so its copies lie in a directory of ours.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from manyhands.git import refs
from manyhands.git.collector import is_whole, made_whole
from manyhands.git.objects import Kind, write_object
from manyhands.git.replacing import replace_file
from manyhands.git.runner import Git
from manyhands.git.shared.state import TAGS, SharedState, StashEntry, load_config
from manyhands.git.tree_edit import TreeEntry, commit_content, make_commit, make_tree
from manyhands.model import clock
from manyhands.model.ids import Oid

FEW = 100
"""Tips that one commit holds by itself."""
FEW_OBJECTS = 40


@dataclass(frozen=True)
class Keep:
    """Where states of one repository are kept."""

    repo: Path
    owner: str
    """Whose states they are: two homes keep the same repository, each for itself."""
    configs: Path
    """Copies of the config, by digest."""

    @property
    def under(self) -> str:
        """The refs, one per day."""
        return f"refs/manyhands/shared/{self.owner}"

    @property
    def tags_under(self) -> str:
        """Annotated tags that were lost, by day."""
        return f"refs/manyhands/shared-tags/{self.owner}"

    @property
    def git(self) -> Git:
        return Git(self.repo).having(refs.DURABLE)


def keep(place: Keep, now: SharedState, day: str, before: Oid | None) -> Oid:
    """Make the day's ref keep this state and those before it."""
    ref = f"{place.under}/{day}"
    # One whose ref somebody deleted is kept with this one; other days have refs of their own.
    lost = before if before not in now.kept.values() else None
    earlier = [oid for oid in dict.fromkeys((now.kept.get(ref), lost)) if oid]

    def make(anew: bool) -> Oid:
        parents = [oid for oid in earlier if not anew or is_whole(place.repo, oid)]
        made = _write_state(place, now, parents)
        refs.put_ref(place.repo, ref, made)
        return made

    return made_whole(place.repo, make)


def _write_state(place: Keep, now: SharedState, earlier: list[Oid]) -> Oid:
    git = place.git
    tags, tips, others = _load_tags(git, now)
    tips |= {name: oid for name, oid in now.refs.items() if not name.startswith(TAGS)}
    tips |= {entry.oid: entry.oid for entry in (*now.stash, *now.pending)}
    if now.head:
        tips["HEAD"] = now.head
    _keep_config(place, now)
    entries = [
        ("tree", _make_listing(git, now.refs), "refs"),
        ("blob", _write(git, _stash_listing(now.stash)), "stash"),
        ("blob", _write(git, now.config_digest.encode()), "config"),
        *([("blob", _write(git, tags), "tags")] if tags else []),
        *([("tree", make_tree(git, others), "objects")] if others else []),
    ]
    parents = [*earlier, *_holders(git, tips)]
    return make_commit(git, make_tree(git, entries), parents, "manyhands shared")


def latest(now: SharedState) -> Oid | None:
    return now.kept[max(now.kept)] if now.kept else None


def forget_before(place: Keep, day: str) -> None:
    """Let go of what was kept before this day."""
    kept = refs.private_refs(place.repo, place.under.removeprefix("refs/manyhands/"))
    tags = refs.private_refs(place.repo, place.tags_under.removeprefix("refs/manyhands/"))
    days = {ref: ref.rpartition("/")[2] for ref in kept}
    days |= {ref: ref.split("/")[-2] for ref in tags}
    for ref, oid in {**kept, **tags}.items():
        # The last state is what the next one is compared with.
        if days[ref] < day and ref != max(kept, default=""):
            refs.delete_ref(place.repo, ref, oid)
    now = config_copy(place, SharedState(config=load_config(place.repo)).config_digest)
    for copy in place.configs.glob("config-*"):
        if copy != now and clock.instant(copy.stat().st_mtime)[:10] < day:
            copy.unlink(missing_ok=True)


def load_kept(place: Keep, commit: Oid) -> SharedState | None:
    """A state as it was kept; None where it is not to be had any more."""
    git = place.git
    listed = git.run("ls-tree", "-r", "-z", "--format=%(objectname)", f"{commit}:refs", check=False)
    if listed.returncode:
        return None
    blobs = [f"{commit}:stash", f"{commit}:config", *(oid.decode() for oid in listed.records)]
    stash, digest, *parts = _load_blobs(git, blobs)
    pairs = (line.split(" ", 1) for part in parts for line in os.fsdecode(part).splitlines())
    entries = (line.partition(" ") for line in os.fsdecode(stash).splitlines())
    return SharedState(
        refs={name: Oid(oid) for oid, name in pairs},
        stash=tuple(StashEntry(Oid(oid), message) for oid, _, message in entries),
        config=load_config_copy(place, digest.decode()),
    )


def _load_blobs(git: Git, names: list[str]) -> list[bytes]:
    data = git.run("cat-file", "--batch", stdin="".join(f"{n}\n" for n in names).encode()).stdout
    found = []
    for _ in names:
        head, _, data = data.partition(b"\n")
        size = head.split()[-1]
        if not size.isdigit():
            continue
        found.append(data[: int(size)])
        data = data[int(size) + 1 :]
    return found


def config_copy(place: Keep, digest: str) -> Path:
    return place.configs / f"config-{digest[:24]}"


def load_config_copy(place: Keep, digest: str) -> bytes:
    try:
        return config_copy(place, digest).read_bytes()
    except FileNotFoundError:
        return b""


def load_tag(place: Keep, commit: Oid, tag: Oid) -> bytes | None:
    """An annotated tag as it was written."""
    found = place.git.run("cat-file", "blob", f"{commit}:tags", check=False)
    data = b"\n" + found.stdout
    head = f"\n{tag} tag ".encode()
    if found.returncode or head not in data:
        return None
    size, _, rest = data.partition(head)[2].partition(b"\n")
    return rest[: int(size)]


def _grouped(names: Iterable[str]) -> dict[str, list[str]]:
    """By their names, and each always with the same others."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        groups[hashlib.sha256(os.fsencode(name)).hexdigest()[:2]].append(name)
    return groups


def _make_listing(git: Git, found: dict[str, Oid]) -> Oid:
    groups = _grouped(found)
    parts = [os.fsencode("".join(f"{found[n]} {n}\n" for n in names)) for names in groups.values()]
    written = _write_all(git, "blob", parts)
    return make_tree(git, [("blob", oid, key) for key, oid in zip(groups, written, strict=True)])


def _write_all(git: Git, kind: Kind, contents: list[bytes]) -> list[Oid]:
    """Many by one git, which flushes them all at once."""
    if len(contents) <= FEW_OBJECTS and kind == "blob":
        return [write_object(git, kind, content) for content in contents]
    with tempfile.TemporaryDirectory(prefix="manyhands-") as folder:
        asked = b""
        for n, content in enumerate(contents):
            file = Path(folder, str(n))
            file.write_bytes(content)
            asked += os.fsencode(file) + b"\n"
        argv = ("hash-object", "-w", "-t", kind, "--no-filters", "--stdin-paths")
        return [Oid(line) for line in git.run(*argv, stdin=asked).stdout.decode().splitlines()]


def _stash_listing(stash: Iterable[StashEntry]) -> bytes:
    return os.fsencode("".join(f"{entry.oid} {entry.message}\n" for entry in stash))


def _write(git: Git, content: bytes) -> Oid:
    return write_object(git, "blob", content)


def _keep_config(place: Keep, now: SharedState) -> None:
    copy = config_copy(place, now.config_digest)
    if copy.exists():
        os.utime(copy)  # by which it is known how long it is needed
    elif now.config:
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(copy, now.config, 0o600)


def _load_tags(git: Git, now: SharedState) -> tuple[bytes, dict[str, Oid], list[TreeEntry]]:
    """Annotated tags as they are written; the commits, and whatever else, that tags name."""
    tags = {name: oid for name, oid in now.refs.items() if name.startswith(TAGS)}
    if not tags:
        return b"", {}, []
    asked = "".join(f"{oid}\n{oid}^{{}}\n" for oid in tags.values()).encode()
    lines = git.run("cat-file", "--batch-check", stdin=asked).stdout.decode().splitlines()
    kinds = [line.split(" ") for line in lines]
    annotated = [found[0] for found in kinds[0::2] if found[1] == "tag"]
    tips, others = {}, {}
    for name, peeled in zip(tags, kinds[1::2], strict=True):
        if peeled[1] == "commit":
            tips[name] = Oid(peeled[0])
        elif peeled[1] in ("blob", "tree"):
            others[peeled[0]] = (peeled[1], Oid(peeled[0]), peeled[0])
    wanted = "".join(f"{oid}\n" for oid in sorted(set(annotated))).encode()
    raw = git.run("cat-file", "--batch", stdin=wanted).stdout if wanted else b""
    return raw, tips, list(others.values())


def _holders(git: Git, tips: dict[str, Oid]) -> list[Oid]:
    if len(tips) <= FEW:
        return list(dict.fromkeys(tips.values()))
    tree = make_tree(git, [])
    groups = ([tips[name] for name in names] for names in _grouped(tips).values())
    return _write_all(
        git,
        "commit",
        [commit_content(tree, dict.fromkeys(group), "manyhands shared") for group in groups],
    )
