"""A repository's branches, tags and remote-tracking refs, read from its files in one go.

A process per question would be the cost of making a twin; thousands of packed refs take a few
milliseconds here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from manyhands.git.runner import Git

SPACES = (b"refs/heads/", b"refs/tags/", b"refs/remotes/", b"refs/notes/", b"refs/replace/")
HEADER = b"# pack-refs with: peeled fully-peeled sorted \n"
_LINE = re.compile(rb"([0-9a-f]{64}|[0-9a-f]{40}) (refs/[^\n]+)\n(?:\^([0-9a-f]{40,64})\n)?")
_OID = re.compile(rb"[0-9a-f]{64}|[0-9a-f]{40}")


@dataclass(frozen=True)
class UsersRefs:
    """By full name, in bytes as git has them."""

    oids: Mapping[bytes, bytes] = field(default_factory=dict)
    peeled: Mapping[bytes, bytes] = field(default_factory=dict)
    """What annotated tags lead to in the end."""
    links: Mapping[bytes, bytes] = field(default_factory=dict)
    """Symbolic ones, such as a remote's HEAD, with the name that they stand for."""

    def packed(self) -> bytes:
        return HEADER + b"".join(self._lines())

    def _lines(self) -> Iterator[bytes]:
        for name, oid in sorted(self.oids.items()):
            yield b"%b %b\n" % (oid, name)
            if name in self.peeled:
                yield b"^%b\n" % self.peeled[name]

    def tips(self) -> list[bytes]:
        """What holds all of it, each once."""
        return list(dict.fromkeys(self.peeled.get(n, oid) for n, oid in self.oids.items()))


def load_refs(common: Path, spaces: Iterable[bytes] = SPACES) -> UsersRefs:
    wanted = tuple(spaces)
    packed = b""
    with suppress(FileNotFoundError):
        packed = (common / "packed-refs").read_bytes()
    found = parse_packed(packed, wanted)
    oids, peeled, links = dict(found.oids), dict(found.peeled), {}
    for name, said in loose_refs(common, wanted):
        peeled.pop(name, None)
        if said.startswith(b"ref:"):
            oids.pop(name, None)
            links[name] = said[4:].strip()
        elif _OID.fullmatch(said):
            oids[name] = said
    unknown = _unpeeled(packed, oids, found)
    peeled |= _load_peeled(common, unknown) if unknown else {}
    return UsersRefs(oids, peeled, links)


def parse_packed(text: bytes, spaces: tuple[bytes, ...] = (b"refs/",)) -> UsersRefs:
    oids, peeled = {}, {}
    for oid, name, inner in _LINE.findall(text):
        if name.startswith(spaces):
            oids[name] = oid
            if inner:
                peeled[name] = inner
    return UsersRefs(oids, peeled)


def find_packed(text: bytes, name: bytes) -> bytes | None:
    """One of them, without reading all the others."""
    at = text.find(b" %b\n" % name)
    while at >= 0:
        begin = text.rfind(b"\n", 0, at) + 1
        if _OID.fullmatch(text[begin:at]):
            return text[begin:at]
        at = text.find(b" %b\n" % name, at + 1)
    return None


def loose_refs(common: Path, spaces: tuple[bytes, ...] = SPACES) -> Iterator[tuple[bytes, bytes]]:
    top = os.fsencode(common)
    for space in spaces:
        for folder, _, files in os.walk(top + b"/" + space.rstrip(b"/")):
            inside = folder[len(top) + 1 :]
            for name in files:
                if not name.endswith(b".lock"):
                    with suppress(OSError), open(folder + b"/" + name, "rb") as file:  # noqa: PTH123
                        yield inside + b"/" + name, file.read(4096).strip()


def _unpeeled(packed: bytes, oids: Mapping[bytes, bytes], known: UsersRefs) -> list[bytes]:
    """Tags of which nobody has said what they lead to."""
    told = b" fully-peeled " in packed.partition(b"\n")[0] + b" "
    return [
        name
        for name, oid in oids.items()
        if name.startswith(b"refs/tags/") and not (told and known.oids.get(name) == oid)
    ]


def _load_peeled(common: Path, names: list[bytes]) -> dict[bytes, bytes]:
    asked = b"".join(name + b"^{}\n" for name in names)
    git = Git(common, hardened=False).having(None, GIT_DIR=common)
    lines = git.run("cat-file", "--batch-check=%(objectname)", stdin=asked).stdout.splitlines()
    plain = git.run(
        "cat-file", "--batch-check=%(objectname)", stdin=b"".join(n + b"\n" for n in names)
    ).stdout.splitlines()
    found = zip(names, lines, plain, strict=True)
    return {name: inner for name, inner, own in found if _OID.fullmatch(inner) and inner != own}
