"""One connection of a browser to previews, and the one of ours to the app behind it.

A visit reads a request's head, finds what is behind its host, passes the request on and the answer
back, and then reads the next head. While one side does not take what it is sent, the other is not
read: a slow reader holds its own app's connection, and some kilobytes of ours.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Literal, Protocol

from manyhands.api.preview import heads, pages
from manyhands.api.preview.bodies import Body, Nothing, Sized, UntilEnd
from manyhands.api.preview.heads import AppAnswer, AppRequest
from manyhands.api.preview.refusal import PreviewRefused
from manyhands.api.preview.wire import MOVES, BareWire, Dial
from manyhands.hub.core.previews import Behind
from manyhands.model.clock import monotonic

LONG = 64 * 1024
"""So much of a body must be left for it to be moved unseen."""
HEAD_SECONDS = 30.0
"""So long a request's head may take."""
IDLE_SECONDS = 75.0
ENDING_SECONDS = 2.0
LOOK_SECONDS = 0.25
LOOKS = 80
"""So often it is looked whether an app is up, before whoever waits is told to ask again."""

State = Literal["head", "dialing", "passing", "tunnel", "looking", "ending", "over"]


class Hall(Protocol):
    """What a visit needs of the place that it is in."""

    frames: bytes

    def behind(self, host: str) -> Behind | None: ...

    def may_ask(self, origin: str, behind: Behind, *, socket: bool) -> bool: ...

    def is_ours(self, token: str) -> bool: ...

    def left(self, visit: Visit) -> None: ...


class Visit:
    def __init__(self, sock: socket.socket, hall: Hall) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._hall = hall
        self._loop = asyncio.get_running_loop()
        self._down = BareWire(sock, self._from_browser, self._flow, self.close)
        self._up: BareWire | None = None
        self._up_port = 0
        self._dial: Dial | None = None
        self._state: State = "head"
        self._inbox = bytearray()
        self._outbox = bytearray()
        """The beginning of an answer, until its head is whole."""
        self._opening = b""
        """Heads on their way to the browser."""
        self._asked: AppRequest | None = None
        self._behind: Behind | None = None
        self._answer: AppAnswer | None = None
        self._sending: Body = Nothing()
        self._fresh = False
        self._heard = False
        self._since = monotonic()
        self._timer = self._loop.call_later(HEAD_SECONDS, self._look_at_clock)
        self._down.listen(True)

    @property
    def is_idle(self) -> bool:
        return self._state == "head" and not self._inbox

    def close(self) -> None:
        if self._state == "over":
            return
        self._state = "over"
        self._timer.cancel()
        self._drop_app()
        self._down.close()
        self._hall.left(self)

    # The browser's side

    def _from_browser(self) -> None:
        data = self._down.read()
        if data is None:
            return
        if not data:
            self._browser_left()
        elif self._state == "tunnel":
            self._to_app(data)
        elif self._state == "ending":
            return
        elif self._state == "passing" and not self._sending.done:
            self._guarded(self._pass_body, data)
        else:
            self._inbox += data
            if self._state == "head":
                self._guarded(self._next_request)
            elif len(self._inbox) >= heads.LONGEST_HEAD:
                self._down.listen(False)

    def _browser_left(self) -> None:
        if self._state == "tunnel" and self._up is not None and not self._up.is_full:
            self._down.listen(False)
            self._up.shut_down()
            # An app that never closes its own side would keep the rest for ever.
            self._timer.cancel()
            self._timer = self._loop.call_later(HEAD_SECONDS, self.close)
        else:
            self.close()

    def _pass_body(self, data: memoryview) -> None:
        taken = self._sending.take(data)
        self._to_app(data[:taken])
        self._inbox += data[taken:]

    def _to_app(self, data: memoryview | bytes) -> None:
        if self._up is not None and len(data):
            self._up.send(data)
            self._flow()

    def _next_request(self) -> None:
        end = self._inbox.find(heads.END)
        if end < 0:
            if len(self._inbox) >= heads.LONGEST_HEAD:
                raise PreviewRefused(431, "the head of the request is too long")
            return
        if end > heads.LONGEST_HEAD:
            raise PreviewRefused(431, "the head of the request is too long")
        raw = bytes(self._inbox[: end + 4])
        del self._inbox[: end + 4]
        asked = heads.asked(raw, self._hall.is_ours)
        behind = self._hall.behind(asked.host)
        if behind is None:
            raise PreviewRefused(421, "no preview has this address")
        if not self._hall.may_ask(asked.origin, behind, socket=asked.upgrade):
            raise PreviewRefused(403, "the page of another address asked for this")
        if behind.stranger:
            about = f"port {behind.port} was leased to {behind.slug}"
            raise PreviewRefused(502, f"{about}, and a process of {behind.stranger} listens there")
        self._asked, self._behind, self._answer = asked, behind, None
        self._sending = asked.body
        if raw.split(b" ", 2)[1] == pages.UP_PATH.encode():
            self._state = "looking"
            self._drop_app()
            self._look(LOOKS)
        elif self._up is not None and self._up_port == behind.port:
            self._fresh = False
            self._begin()
        else:
            self._call_app()

    def _call_app(self) -> None:
        assert self._behind is not None
        self._drop_app()
        self._state = "dialing"
        self._down.listen(False)
        self._dial = Dial(self._behind.port, self._met)

    def _met(self, sock: socket.socket | None) -> None:
        self._dial = None
        if sock is None:
            self._app_is_down()
            return
        assert self._behind is not None
        self._up = BareWire(sock, self._from_app, self._flow, self._flow)
        self._up_port, self._fresh = self._behind.port, True
        self._down.listen(True)
        self._guarded(self._begin)

    def _begin(self) -> None:
        assert self._asked is not None
        assert self._up is not None
        self._state, self._heard = "passing", False
        self._outbox.clear()
        self._up.send(self._asked.onward)
        self._up.listen(True)
        if self._inbox and not self._sending.done:
            waiting = bytes(self._inbox)
            self._inbox.clear()
            self._pass_body(memoryview(waiting))
        self._flow()

    # The app's side

    def _from_app(self) -> None:
        assert self._up is not None
        if MOVES and self._state == "passing" and self._answer is not None:
            body = self._answer.body
            if isinstance(body, Sized) and body.left >= LONG and not self._down.is_full:
                self._move(self._up, body)
                return
        data = self._up.read()
        if data is None:
            return
        if not data:
            self._app_left()
        elif self._state == "tunnel":
            self._down.send(data)
            self._flow()
        elif self._state == "passing":
            self._heard = True
            self._guarded(self._pass_answer, data)
        else:
            self._drop_app()  # it speaks without being asked, so nothing it says can be trusted

    def _move(self, up: BareWire, body: Sized) -> None:
        moved = self._down.move(up, body.left)
        if moved == 0:
            self._app_left()
        elif moved:
            body.left -= moved
            if body.done:
                self._answered(clean=True)
            elif self._down.is_full:
                self._flow()

    def _pass_answer(self, data: memoryview) -> None:
        if self._answer is None:
            begun = self._begin_answer(data)
            if begun is None:
                return
            data = memoryview(begun)
        if self._answer is None:
            self._say(data)  # a tunnel from now on
            self._flow()
            return
        taken = self._answer.body.take(data)
        self._say(data[:taken])
        if self._answer.body.done:
            self._answered(clean=taken == len(data))
        elif self._down.is_full:
            self._flow()

    def _begin_answer(self, data: memoryview) -> bytes | None:
        """What follows the head of the answer; None where that is not whole yet."""
        self._outbox += data
        while (end := self._outbox.find(heads.END)) >= 0:
            raw = bytes(self._outbox[: end + 4])
            del self._outbox[: end + 4]
            if self._take_head(raw):
                rest = bytes(self._outbox)
                self._outbox.clear()
                return rest
        if len(self._outbox) >= heads.LONGEST_HEAD:
            raise PreviewRefused(502, "the head of the app's answer is too long")
        self._say(b"")
        return None

    def _take_head(self, raw: bytes) -> bool:
        """Whether it is the last one."""
        assert self._asked is not None
        answer = heads.answered(raw, self._asked, self._hall.frames)
        self._opening += answer.onward
        if answer.status == b"101":
            self._state = "tunnel"
            self._to_app(bytes(self._inbox))
            self._inbox.clear()
        elif not answer.interim:
            self._answer = answer
        return not answer.interim

    def _say(self, data: memoryview | bytes) -> None:
        """The beginning goes with the head, in one packet."""
        if self._opening:
            data, self._opening = self._opening + bytes(data), b""
        if len(data):
            self._down.send(data)

    def _answered(self, *, clean: bool) -> None:
        """The answer is whole; the connections go on where both sides would."""
        assert self._asked is not None
        assert self._answer is not None
        if not (clean and self._answer.lasting and self._sending.done):
            self._drop_app()
        if not (self._asked.lasting and self._sending.done) or self._down.closed:
            self._finish()
            return
        self._state, self._since, self._answer = "head", monotonic(), None
        self._flow()
        if self._inbox:
            # In a turn of its own: a long row of requests keeps nobody waiting.
            self._loop.call_soon(self._guarded, self._next_if_idle)

    def _next_if_idle(self) -> None:
        if self._state == "head":
            self._next_request()

    def _app_left(self) -> None:
        if self._state == "passing" and self._asked is not None:
            body = self._answer.body if self._answer else None
            self._drop_app()
            if isinstance(body, UntilEnd):
                self._finish()
            elif self._answer is not None:
                self.close()  # cut short, which the browser must see
            elif not self._heard and not self._fresh and self._asked.repeatable:
                self._call_app()
            elif not self._heard and self._fresh:
                self._app_is_down()
            else:
                self._refuse(PreviewRefused(502, "the app ended the connection without an answer"))
        elif self._state == "tunnel":
            self._drop_app()
            self._finish()
        else:
            self._drop_app()

    def _drop_app(self) -> None:
        if self._dial is not None:
            self._dial.cancel()
            self._dial = None
        if self._up is not None:
            self._up.close()
            self._up = None

    # Between both

    def _flow(self) -> None:
        """Each side is read while the other one takes what it is sent."""
        if self._state == "ending":
            self._end_softly()
            return
        if self._up is None:
            if not self._down.is_full:
                self._down.listen(self._state in ("head", "looking"))
            return
        self._up.listen(not self._down.is_full)
        takes = self._state == "head" or len(self._inbox) < heads.LONGEST_HEAD
        self._down.listen(takes and not self._up.is_full)

    def _app_is_down(self) -> None:
        assert self._asked is not None
        assert self._behind is not None
        b = self._behind
        if self._asked.navigates:
            said = pages.waiting_page(b.service, b.slug, b.port, b.tail, self._hall.frames)
        else:
            sentence = f"nothing listens on port {b.port}, {b.service} of {b.slug}"
            said = pages.plain(503, sentence, b"Retry-After: 1\r\n" + self._hall.frames)
        self._down.send(said)
        self._finish()

    def _look(self, left: int) -> None:
        assert self._behind is not None

        def met(sock: socket.socket | None) -> None:
            self._dial = None
            if sock is not None:
                sock.close()
                self._down.send(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
                self._finish()
            elif left:
                self._timer.cancel()
                self._timer = self._loop.call_later(LOOK_SECONDS, self._look, left - 1)
            else:
                self._down.send(pages.plain(503, "nothing listens yet"))
                self._finish()

        self._dial = Dial(self._behind.port, met)

    def _finish(self) -> None:
        """Ends once the browser has taken what it was sent."""
        self._drop_app()
        self._state, self._since = "ending", monotonic()
        self._inbox.clear()
        self._end_softly()

    def _end_softly(self) -> None:
        """Closed at once, an answer could get lost with what the browser still sends."""
        if self._state != "ending" or self._down.is_full:
            return
        self._down.shut_down()
        self._down.listen(True)
        self._timer.cancel()
        self._timer = self._loop.call_later(ENDING_SECONDS, self.close)

    def _guarded(self, step: Callable[..., None], *given: object) -> None:
        try:
            step(*given)
        except PreviewRefused as refused:
            self._refuse(refused)

    def _refuse(self, refused: PreviewRefused) -> None:
        if self._answer is None and self._state != "tunnel":
            self._down.send(pages.plain(refused.status, refused.sentence))
            self._finish()
        else:
            self.close()

    def _look_at_clock(self) -> None:
        """Whoever does not ask, or takes too long to, makes room; an answer may take for ever."""
        most = HEAD_SECONDS if self._inbox else IDLE_SECONDS
        left = self._since + most - monotonic()
        if self._state in ("head", "ending") and left <= 0:
            self.close()
            return
        self._timer = self._loop.call_later(max(left, 1.0), self._look_at_clock)
