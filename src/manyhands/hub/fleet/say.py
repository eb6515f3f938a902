"""Say something to a session: steer its running turn, begin a new one, or leave a follow-up."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from manyhands.contract.sessions import Given, Said, Words
from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.hub.core import Hub, require_living, require_session, require_worktree
from manyhands.model import events as e
from manyhands.model.agent.conversation import Message
from manyhands.model.ids import CommandId, MessageId, SessionId, fresh_id
from manyhands.model.session.session import Session
from manyhands.model.state import State
from manyhands.model.wire import ATTACHMENTS
from manyhands.store import Decision

LONGEST_TEXT = 16 * 1024 * 1024
MOST_ATTACHED = 20
LARGEST_ATTACHED = 10 * 1024 * 1024
LONGEST_NAME = 100


async def say(hub: Hub, ref: str, words: Words, *, command: CommandId | None = None) -> Said:
    require_words(words.text)
    session = require_session(hub.state, ref)
    _require_listening(session)
    await require_worktree(hub, session)
    attached = await keep_attachments(hub, session.id, words.attachments)

    def decide(state: State) -> Decision[bool]:
        s = require_session(state, ref)
        _require_listening(s)
        wants_later = words.follow_up or (s.main.in_turn and not s.main.steers)
        later = wants_later and s.status not in ("idle", "failed")
        later = later or s.main.taken is not None
        return Decision((message_of(s, words, attached, later=later),), later)

    later = await hub.write(decide, command=command)
    return Said(require_session(hub.state, ref).id, later)


def require_words(text: str) -> None:
    if not text.strip():
        raise BadInput("an empty message says nothing")
    require_short(text)


def require_short(text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise BadInput(f"the message is longer than {LONGEST_TEXT // 2**20} MB")


def _require_listening(s: Session) -> None:
    require_living(s)
    if not s.life.ready and s.life.error:
        raise NotPossible(
            f"{s.slug} was never made ready: {s.life.error}",
            hint=f"`manyhands resume {s.slug}` first",
        )


def message_of(
    s: Session, words: Words, attached: tuple[e.Attachment, ...] = (), *, later: bool = False
) -> e.UserMessage | e.FollowUpAdded:
    """Said now, which steers a running turn, or left for its end."""
    said: dict[str, Any] = {
        "session": s.id,
        "turn": s.main.turn,
        "message": MessageId(fresh_id()),
        "text": words.text,
        "model": words.model,
        "effort": words.effort or "",
        "attachments": attached,
    }
    return e.FollowUpAdded(**said) if later else e.UserMessage(**said, steer=s.main.in_turn)


def follow_ups(hub: Hub, ref: str) -> tuple[Message, ...]:
    return require_session(hub.state, ref).main.follow_ups


async def edit_follow_up(
    hub: Hub, ref: str, id: str, text: str, *, command: CommandId | None = None
) -> tuple[Message, ...]:
    require_words(text)

    def edited(state: State) -> Iterator[e.AnyEvent]:
        s = require_session(state, ref)
        yield e.FollowUpEdited(session=s.id, message=_require_waiting(s, id), text=text)

    await hub.decide(edited, command=command)
    return follow_ups(hub, ref)


async def delete_follow_up(
    hub: Hub, ref: str, id: str, *, command: CommandId | None = None
) -> tuple[Message, ...]:
    def deleted(state: State) -> Iterator[e.AnyEvent]:
        s = require_session(state, ref)
        yield e.FollowUpDeleted(session=s.id, message=_require_waiting(s, id))

    await hub.decide(deleted, command=command)
    return follow_ups(hub, ref)


def _require_waiting(s: Session, id: str) -> MessageId:
    if all(waiting.id != id for waiting in s.main.follow_ups):
        raise NotFound(
            f"{s.slug} has no follow-up {id!r}; it may be on its way to the agent already",
            hint=f"`manyhands follow-ups {s.slug}` lists those that wait",
        )
    return MessageId(id)


async def keep_attachments(
    hub: Hub, session: SessionId, given: Sequence[Given]
) -> tuple[e.Attachment, ...]:
    """Files that people send with a message: kept in the session's directory, not in the log."""
    if not given:
        return ()
    if len(given) > MOST_ATTACHED:
        raise BadInput(f"a message takes {MOST_ATTACHED} attachments, not {len(given)}")
    contents = [(file, _require_content(file)) for file in given]
    directory = hub.home.sessions / session / ATTACHMENTS
    return await asyncio.to_thread(
        lambda: tuple(_keep(directory, file, content) for file, content in contents)
    )


def _require_content(file: Given) -> bytes:
    try:
        content = base64.b64decode(file.data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadInput(f"the attachment {file.name!r} is not base64: {error}") from error
    if len(content) > LARGEST_ATTACHED:
        raise BadInput(
            f"the attachment {file.name!r} is larger than {LARGEST_ATTACHED // 2**20} MB",
            hint="put it into the worktree and name its path",
        )
    if not re.fullmatch(r"[\w.+-]+/[\w.+-]+", file.media_type):
        raise BadInput(f"{file.media_type!r} is no media type")
    return content


def _keep(directory: Path, file: Given, content: bytes) -> e.Attachment:
    name = re.sub(r"[^\w.-]", "_", file.name.rpartition("/")[2])[-LONGEST_NAME:] or "file"
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = directory / f"{fresh_id()}-{name}"
    path.write_bytes(content)
    return e.Attachment(name=name, media_type=file.media_type, size=len(content), path=str(path))
