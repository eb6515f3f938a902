"""The hub itself: its status, links into the page, its end; jobs, the doctor, the user's config."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from manyhands.contract.box import BoxDetail
from manyhands.model.box import BoxLevel
from manyhands.model.clock import Instant
from manyhands.model.ids import JobId, SessionId
from manyhands.model.jobs.job import JobState
from manyhands.model.repo.git import GitVersion


class HubStatus(msgspec.Struct, frozen=True):
    url: str
    pid: int
    version: str
    sessions: dict[str, int]
    limits: dict[str, int]
    unread: int
    """Finished sessions that nobody has looked at."""
    home: str
    last_seq: int
    problem: str = ""
    """Why nothing can be stored, and agents are held."""
    hint: str = ""
    faults: int = 0
    """So many things went wrong in the background; the doctor tells which."""
    box: BoxLevel = "none"
    box_detail: BoxDetail | None = None
    """What a session gets here where nothing else is chosen."""


class HubAddress(msgspec.Struct, frozen=True):
    """What a hub writes into its home when it is ready; a crash leaves it behind."""

    url: str
    port: int
    pid: int
    started: int
    version: str = ""
    previews: int = 0
    """The port of the previews."""


class Finding(msgspec.Struct, frozen=True):
    check: str
    ok: bool
    detail: str
    fix: str = ""


class Mending(msgspec.Struct, forbid_unknown_fields=True):
    fix: bool = False


class Down(msgspec.Struct, forbid_unknown_fields=True):
    all: bool = False


class Link(msgspec.Struct, frozen=True):
    url: str
    others: tuple[str, ...] = ()
    named: str = ""
    """To the page under the name that is of one site with the previews, on this machine."""


class Code(msgspec.Struct, forbid_unknown_fields=True):
    """A link's code; or the key of a page that was let in before, first alone, then with what the
    hub asked and the answer."""

    code: str = ""
    key: str = ""
    nonce: str = ""
    signature: str = ""


class Exchanged(msgspec.Struct, frozen=True):
    """The page's token; or else what it has to sign first, together with its own address."""

    token: str
    nonce: str = ""


class PageKey(msgspec.Struct, forbid_unknown_fields=True):
    """The public half of a page's own key: a point of P-256, raw, in base64url."""

    key: str


class Ticket(msgspec.Struct, frozen=True):
    """Opens the socket of events once."""

    ticket: str


class HubEnded(msgspec.Struct, frozen=True):
    down: bool = True


class Machine(msgspec.Struct, frozen=True):
    """What a first visitor should know of where the hub runs."""

    git: GitVersion


class Failure(msgspec.Struct, frozen=True):
    """The one shape of every refusal."""

    code: str
    message: str
    hint: str = ""


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """`step` is the one that is being done; `progress`, how far it is."""

    id: JobId
    kind: str
    session: SessionId
    title: str
    """The session's."""
    repo: str
    state: JobState
    step: str
    progress: str
    started_at: Instant
    ended_at: Instant
    error: str
    hint: str


FieldKind = Literal["choice", "integer", "number", "text", "switch", "list", "table", "other"]


class Field(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    """As in the file, such as ``limits.working``."""
    kind: FieldKind
    value: Any
    """In force now: the file's, or else the default."""
    default: Any
    given: bool
    """Whether the file names it."""
    optional: bool = False
    choices: tuple[str, ...] = ()
    """Of the value, or of each value of a table."""
    names: tuple[str, ...] = ()
    """That a table may hold."""
    says: str = ""


class ConfigView(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    text: str
    digest: str
    problem: str = ""
    """What is wrong with the file as it is; the last good one is in force."""
    fields: list[Field]


class ConfigText(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    digest: str
    """Of the content that the change was made on."""


class Setting(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    value: str | int | float | bool | list[str] | dict[str, str] | None
    digest: str
