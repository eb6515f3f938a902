"""Whether a service is well: its port, by TCP or by HTTP, and whether that port is really its own.

A server offers nothing to wait for, so it is asked again and again: often until it is well, now and
then from there on. Whose port it is costs a look at all processes, so that is looked at only when
it first answers, and now and then while it does not.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from manyhands.box.network.way_out import WayOut
from manyhands.model.clock import monotonic
from manyhands.model.service.spec import ServiceSpec
from manyhands.process.port_holders import holder_of, ports_of

ASK_SECONDS = 3.0
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 1.0
WELL_PAUSE = 5.0
MISSES = 3
"""So many in a row before one that was well is not."""
ALIVE_SECONDS = 0.5
"""A service that nothing can be asked of is well if it runs for so long."""
EARLY_SECONDS = 4.0
"""After so long, whoever listens elsewhere is not about to come."""
LOOK_SECONDS = 2.0
LARGEST_HEAD = 8 * 1024
WORST_STATUS = 400


@dataclass(frozen=True)
class HealthAnswer:
    problem: str = ""
    certain: bool = False
    """Waiting will hardly help."""


class Health:
    def __init__(
        self,
        spec: ServiceSpec,
        session: str,
        pids: Callable[[], list[int]],
        way_out: WayOut | None,
    ) -> None:
        """`pids`: all processes of the service; blocks."""
        self._spec = spec
        self._session = session
        self._pids = pids
        self._way_out = way_out
        self._owned = False
        self._began = monotonic()
        self._looked = self._began

    async def watch(self, well: Callable[[], None], ill: Callable[[str], None]) -> None:
        """For as long as the service runs; each is called when it comes to be so."""
        is_well: bool | None = None
        misses, pause = 0, FIRST_PAUSE
        while True:
            asked = await self._ask()
            if not asked.problem:
                misses, pause = 0, WELL_PAUSE
                if is_well is not True:
                    is_well = True
                    well()
            elif is_well:
                misses, pause = misses + 1, LONGEST_PAUSE
                if misses >= MISSES:
                    is_well = False
                    ill(asked.problem)
            elif is_well is None and (asked.certain or self._is_late):
                is_well = False
                late = "" if asked.certain else f"not well after {self._spec.within:g} s: "
                ill(f"{late}{asked.problem}")
            await asyncio.sleep(pause)
            if is_well is not True:
                pause = min(pause * 1.5, LONGEST_PAUSE)

    @property
    def _is_late(self) -> bool:
        return monotonic() - self._began > self._spec.within

    async def _ask(self) -> HealthAnswer:
        port = self._spec.port
        if not port:
            is_young = monotonic() - self._began < ALIVE_SECONDS
            return HealthAnswer("it has only just been started" if is_young else "")
        try:
            async with asyncio.timeout(ASK_SECONDS):
                problem = await self._call(port)
        except (OSError, TimeoutError) as error:
            said = "no answer" if isinstance(error, TimeoutError) else "nothing listens there"
            return await self._elsewhere(f"port {port}: {said}")
        if not self._owned and (stranger := await asyncio.to_thread(self._stranger)):
            return HealthAnswer(stranger, certain=True)
        self._owned = True
        return HealthAnswer(problem)

    async def _call(self, port: int) -> str:
        """What is wrong with the answer; raises where there is none."""
        reader, writer = await self._connect(port)
        try:
            if not self._spec.health:
                return ""
            head = f"GET {self._spec.health} HTTP/1.1\r\nHost: localhost:{port}\r\n"
            writer.write(f"{head}Accept: */*\r\nConnection: close\r\n\r\n".encode())
            with suppress(asyncio.LimitOverrunError):
                words = (await reader.readline()).split(None, 2)
                if len(words) > 1 and words[0].startswith(b"HTTP/") and words[1].isdigit():
                    is_well = int(words[1]) < WORST_STATUS
                    return "" if is_well else f"{self._spec.health} answers {int(words[1])}"
            return f"{self._spec.health} is not answered by HTTP"
        finally:
            writer.close()

    async def _connect(self, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._way_out is not None:
            link = await self._way_out.connect(port)
            link.setblocking(False)
            return await asyncio.open_connection(sock=link, limit=LARGEST_HEAD)
        try:
            return await asyncio.open_connection("127.0.0.1", port, limit=LARGEST_HEAD)
        except OSError:
            return await asyncio.open_connection(
                "::1", port, limit=LARGEST_HEAD, family=socket.AF_INET6
            )

    async def _elsewhere(self, problem: str) -> HealthAnswer:
        """Whether it listens, but not where it was told to."""
        now = monotonic()
        if now - self._began < EARLY_SECONDS or now - self._looked < LOOK_SECONDS:
            return HealthAnswer(problem)
        self._looked = now
        others = await asyncio.to_thread(lambda: ports_of(self._pids()) - {self._spec.port})
        if not others:
            return HealthAnswer(problem)
        where = ", ".join(map(str, sorted(others)))
        said = f"it listens on {where}, not on its own port {self._spec.port}: it ignores PORT"
        return HealthAnswer(said, certain=True)

    def _stranger(self) -> str:
        port = self._spec.port
        if port in ports_of(self._pids()):
            return ""
        return held_by_another(port, self._session)


def held_by_another(port: int, session: str) -> str:
    """In words; empty where nobody is known to hold the port."""
    holder = holder_of(port)
    if holder is None:
        return ""
    whose = {"": "", session: " of this session"}.get(holder.session)
    whose = f" of the session {holder.session}" if whose is None else whose
    return f"its port {port} is held by {holder.name} (process {holder.pid}){whose}"
