"""A session's files, checkpoints and database."""

from __future__ import annotations

from typing import Literal

import msgspec

from manyhands.model.clock import Instant
from manyhands.model.events import DatabaseKind
from manyhands.model.ids import Oid, SessionId


class CheckpointView(msgspec.Struct, frozen=True):
    id: str
    turn: int
    at: Instant
    commit: Oid


FileKind = Literal["text", "image", "binary", "link"]


class FileList(msgspec.Struct, frozen=True):
    paths: list[str]
    more: bool = False
    """Whether there are more than are listed."""


class FileView(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    kind: FileKind
    bytes: int
    text: str = ""
    cut: bool = False
    """Whether only the beginning of the text is here."""
    media_type: str = ""
    data: str = ""
    """An image, in base64."""


class OpenPath(msgspec.Struct, forbid_unknown_fields=True):
    path: str = ""
    """A file in the worktree; empty for the worktree itself."""
    line: int = 0
    """Where in the file, for an editor that is known to take it."""


class Opened(msgspec.Struct, frozen=True):
    argv: tuple[str, ...]


class DatabaseView(msgspec.Struct, frozen=True, kw_only=True):
    session: SessionId
    slug: str
    kind: DatabaseKind
    name: str
    place: str
    ready: bool


class BranchName(msgspec.Struct, forbid_unknown_fields=True):
    name: str
