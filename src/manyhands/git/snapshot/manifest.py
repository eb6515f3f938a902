"""The part of a snapshot that no git tree can hold, as JSON beside the trees."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

from manyhands.git.contents import Census

VERSION = 1


@dataclass(frozen=True)
class Nested:
    """A repository inside the worktree: packed whole, or a submodule with its own snapshot."""

    packed: str = ""
    snapshot: str = ""
    git_file: str = ""
    """The submodule's `.git`, which says where its objects are."""


@dataclass(frozen=True)
class Manifest:
    """Paths are text with surrogates for undecodable bytes, which JSON keeps."""

    version: int = VERSION
    file_mode: int = 0o644
    program_mode: int = 0o755
    folder_mode: int = 0o755
    modes: dict[str, int] = field(default_factory=dict)
    """Only what differs from the three above, the most frequent ones."""
    empty: list[str] = field(default_factory=list)
    fifos: dict[str, int] = field(default_factory=dict)
    nested: dict[str, Nested] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    """What could not be kept, and why; a restore does not touch it."""
    ignored: bool = False
    listed: list[str] = field(default_factory=list)
    """Ignored files that the snapshot was asked to hold all the same."""
    private: str = ""
    """The tree of its ignored files, which lies in the session's private store."""
    head: str = ""
    branch: str = ""

    def mode(self, path: str, *, program: bool) -> int:
        return self.modes.get(path, self.program_mode if program else self.file_mode)

    def encode(self) -> bytes:
        return json.dumps(asdict(self), separators=(",", ":"), sort_keys=True).encode()

    @classmethod
    def decode(cls, data: bytes) -> Manifest:
        fields = json.loads(data)
        fields["nested"] = {k: Nested(**v) for k, v in fields["nested"].items()}
        return cls(**fields)


def manifest_of(contents: Census) -> Manifest:
    """The manifest's share of what a scan found."""
    plain = {path: mode for path, mode in contents.files.items() if not mode & 0o100}
    programs = {path: mode for path, mode in contents.files.items() if mode & 0o100}
    file_mode = _most(plain.values(), 0o644)
    program_mode = _most(programs.values(), 0o755)
    folder_mode = _most(contents.folders.values(), 0o755)
    modes = _others(plain, file_mode) | _others(programs, program_mode)
    return Manifest(
        file_mode=file_mode,
        program_mode=program_mode,
        folder_mode=folder_mode,
        modes=modes | _others(contents.folders, folder_mode),
        empty=sorted(map(os.fsdecode, contents.empty)),
        fifos={os.fsdecode(path): mode for path, mode in contents.fifos.items()},
    )


def _most(modes: Iterable[int], otherwise: int) -> int:
    common = Counter(modes).most_common(1)
    return common[0][0] if common else otherwise


def _others(modes: Mapping[bytes, int], usual: int) -> dict[str, int]:
    return {os.fsdecode(path): mode for path, mode in modes.items() if mode != usual}
