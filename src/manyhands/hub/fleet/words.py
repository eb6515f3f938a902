"""What people say to agents, as they said it: kept until it is delivered, in private files.

The log has everything without secrets. A message or an answer that holds one is kept beside it, in
the session's own directory, until the turn that it began is over; then it is gone.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
from pathlib import Path

import msgspec

from manyhands.config import Home
from manyhands.hub.core import Hub, Reactor
from manyhands.model import events as e
from manyhands.model import wire
from manyhands.model.ids import SessionId
from manyhands.model.redaction import is_redacted
from manyhands.model.session.session import Session

log = logging.getLogger(__name__)
FOLDER = "words"


class Unsaid(msgspec.Struct, frozen=True):
    id: str
    """The message, or the item that was answered."""
    clean: str
    raw: str


class UnsaidWords(Reactor):
    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        hub.store.door.keep = lambda raw, clean: keep(hub.home, raw, clean)
        hub.on(e.TurnFinished, self._came_to_rest)
        hub.on(e.SessionArchived, self._came_to_rest)

    def _came_to_rest(self, event: e.TurnFinished | e.SessionArchived) -> None:
        s = self._hub.state.session(event.session)
        # What went wrong may be said again.
        over = isinstance(event, e.SessionArchived) or event.outcome == "done"
        if s is not None and over:
            forget(self._hub.home, s)

    def whole(self, session: SessionId, command: wire.AnyCommand) -> wire.AnyCommand:
        """The command with what was said in the place of what was recorded of it."""
        match command:
            case wire.Say():
                text = self._said(session, command.message, command.text)
                return msgspec.structs.replace(command, text=text)
            case wire.Settle():
                text = self._said(session, command.item.id, command.resolution.text)
                resolution = msgspec.structs.replace(command.resolution, text=text)
                return msgspec.structs.replace(command, resolution=resolution)
            case _:
                return command

    def _said(self, session: SessionId, id: str, recorded: str) -> str:
        if not is_redacted(recorded):
            return recorded
        # A message that is sent again has another id, and the same words.
        said = sorted(load(self._hub.home, session), key=lambda one: one.id != id)
        return next(
            (recorded.replace(one.clean, one.raw) for one in said if one.clean in recorded),
            recorded,
        )


def keep(home: Home, raw: e.Fact, clean: e.Fact) -> None:
    """Before the record itself is on the disk; blocks."""
    match raw, clean:
        case (
            (e.UserMessage() | e.FollowUpAdded() | e.FollowUpEdited()),
            (e.UserMessage() | e.FollowUpAdded() | e.FollowUpEdited()),
        ):
            saying = Unsaid(raw.message, clean.text, raw.text)
        case e.AttentionResolved(), e.AttentionResolved():
            saying = Unsaid(raw.item, clean.resolution.text, raw.resolution.text)
        case _:
            return
    if saying.clean == saying.raw:
        return
    folder = _folder(home, raw.session)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = hashlib.sha256(saying.id.encode()).hexdigest()[:16]
    file = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(file, "wb") as opened:
        opened.write(msgspec.json.encode(saying))
        opened.flush()
        os.fsync(file)


def load(home: Home, session: SessionId) -> list[Unsaid]:
    found = []
    for file in _files(home, session):
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            found.append(msgspec.json.decode(file.read_bytes(), type=Unsaid))
    return found


def forget(home: Home, s: Session) -> None:
    """All but what still waits to be delivered."""
    waiting: set[str] = {a.item.id for a in s.inbox.answers}
    for c in s.conversations.values():
        waiting |= {m.id for m in (*c.undelivered, *c.follow_ups)}
    kept = {hashlib.sha256(id.encode()).hexdigest()[:16] for id in waiting}
    for file in _files(home, s.id):
        if s.life.archived or file.name not in kept:
            with contextlib.suppress(OSError):
                file.unlink()


def _files(home: Home, session: SessionId) -> list[Path]:
    try:
        return list(_folder(home, session).iterdir())
    except OSError:
        return []


def _folder(home: Home, session: SessionId) -> Path:
    return home.sessions / session / FOLDER
