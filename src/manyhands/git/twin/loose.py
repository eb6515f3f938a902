"""What is new in a twin, read object by object in this process: most commits hold a handful.

The other end of a fetch costs a box and several processes. Here every object is known by its own
hash, and git itself looks at all of them, and whether what they name is there, before it writes
any. Where that is not to be had in this way, a fetch brings it or says why not.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path

from manyhands.errors import TwinBroken
from manyhands.git.twin.untrusted import Untrusted, opened

MOST, MOST_BYTES = 100, 16 << 20
_KINDS = {b"commit": 1, b"tree": 2, b"blob": 3, b"tag": 4}
_GITLINK = b"160000"
_LOOKED_INTO = (b".gitmodules", b".gitattributes")
"""Files whose content a fetch looks at too, some under names that only look like these."""
_SHA1_HEX, _SHA1 = 40, 20
_NAME = re.compile("[0-9a-f]{40}")

Object = tuple[bytes, bytes]
"""Its kind and its content."""


class _NotHere(Exception):
    """Packed, too much, or of a form that is not known here."""


def load_pack(twin: Path, wanted: Collection[str], known: Collection[str]) -> bytes | None:
    """A pack with all of `wanted` and what they hold that the twin does not borrow."""
    try:
        with opened(twin) as place:
            return _pack(_gathered(place, wanted, known))
    except (_NotHere, TwinBroken, zlib.error, ValueError):
        return None


def load_tree(twin: Path, commit: str) -> str:
    """The tree of a commit that was made there; empty where it does not lie there by itself."""
    try:
        with opened(twin) as place:
            found = _load(place, commit, MOST_BYTES)
    except (_NotHere, TwinBroken, zlib.error, ValueError):
        return ""
    is_commit = found is not None and found[0] == b"commit" and found[1].startswith(b"tree ")
    return found[1][5 : 5 + _SHA1_HEX].decode() if found and is_commit else ""


def _gathered(
    place: Untrusted, wanted: Collection[str], known: Collection[str]
) -> dict[str, Object]:
    found: dict[str, Object] = {}
    pending, seen, left = list(wanted), set(known), MOST_BYTES
    while pending:
        oid = pending.pop()
        if oid in seen:
            continue
        seen.add(oid)
        if (one := _load(place, oid, left)) is None:
            if oid in wanted:
                raise _NotHere
            continue  # borrowed, or git will miss it
        found[oid] = one
        left -= len(one[1])
        if left < 0 or len(found) > MOST:
            raise _NotHere
        pending += _named_by(*one)
    return found


def _load(place: Untrusted, oid: str, most: int) -> Object | None:
    if not _NAME.fullmatch(oid):  # whoever wrote it may have meant another place
        raise _NotHere
    data = place.read(f"objects/{oid[:2]}/{oid[2:]}", MOST_BYTES)
    if data is None:
        return None
    inflated = zlib.decompressobj().decompress(data, most + 64)
    if hashlib.sha1(inflated).hexdigest() != oid:
        raise _NotHere
    head, _, content = inflated.partition(b"\0")
    kind = head.partition(b" ")[0]
    if kind not in _KINDS:
        raise _NotHere
    return kind, content


def _named_by(kind: bytes, content: bytes) -> Iterator[str]:
    if kind == b"tree":
        at = 0
        while at < len(content):
            end = content.index(0, at) + 1
            mode, _, name = content[at : end - 1].partition(b" ")
            if not name.isascii() or b"~" in name or name.lower() in _LOOKED_INTO:
                raise _NotHere
            if mode != _GITLINK:
                yield content[end : end + _SHA1].hex()
            at = end + _SHA1
    elif kind in (b"commit", b"tag"):
        for line in content.partition(b"\n\n")[0].split(b"\n"):
            name, _, value = line.partition(b" ")
            if name in (b"tree", b"parent", b"object"):
                yield value.decode("ascii")


def _pack(objects: dict[str, Object]) -> bytes:
    parts = [b"PACK", (2).to_bytes(4, "big"), len(objects).to_bytes(4, "big")]
    for kind, content in objects.values():
        parts += (_entry_head(_KINDS[kind], len(content)), zlib.compress(content, 1))
    whole = b"".join(parts)
    return whole + hashlib.sha1(whole).digest()


def _entry_head(kind: int, size: int) -> bytes:
    """Four bits of the size in the first byte, then seven in each."""
    head = [kind << 4 | size & 15]
    size >>= 4
    while size:
        head[-1] |= 128
        head.append(size & 127)
        size >>= 7
    return bytes(head)
