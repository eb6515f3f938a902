"""All that leads into and out of one session's box: its network, the proxy, and carried ports.

There is one for a session, owned by its keeper, and everything that the session runs shares it: an
agent reaches the services beside it by the loopback, as it would without a box. `listed` has the
proxy, `none` has not; ports are carried either way.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from manyhands.box.network.dialing import Dialer
from manyhands.box.network.ends import SocketEnd, splice
from manyhands.box.network.listening import Acceptor, Room
from manyhands.box.network.proxy import Decide, Dial, Proxy
from manyhands.box.network.space import LOOPBACK, NetworkSpace
from manyhands.model.box import Box
from manyhands.process.namespaces import entered
from manyhands.process.spawn import Handed

log = logging.getLogger(__name__)

Say = Callable[[str], None]
ATTEMPTS = 20
NOT_PROXIED = "localhost,127.0.0.1,::1"
BY_URL = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY")
"""In capitals and without: some programs know only the one, some only the other."""
BY_JAVA = ("MAVEN_OPTS", "GRADLE_OPTS")
"""Programs on Java take no notice of the others, and add these to what they are told."""


class WayOut:
    def __init__(
        self,
        box: Box,
        decide: Decide,
        tasks: asyncio.TaskGroup,
        *,
        say: Say = log.info,
        dial: Dial | None = None,
    ) -> None:
        """`say` is told, in a sentence, what a person should know; `dial` connects to hosts."""
        self._box = box
        self._tasks = tasks
        self._say = say
        self._space = NetworkSpace(box.program)
        self._proxy = Proxy(decide, dial or Dialer())
        self._room, self._ports_room = Room(), Room()
        self._acceptors: dict[tuple[str, int], list[Acceptor]] = {}
        self._opening = asyncio.Lock()
        self.proxy_port = 0
        self._ready = False

    async def open(self) -> None:
        """All of it is there when this returns; again, it costs nothing."""
        async with self._opening:
            if self._ready:
                return
            await self._space.open()
            for port in self._box.inward:
                await self.carry_in(port)
            if self._box.network == "listed":
                await self._open_proxy()
            for port in self._box.outward:
                await self.carry_out(port)
            self._ready = True

    @property
    def handed(self) -> Handed:
        """What a child is given so that it runs in this network."""
        return self._space.handed

    @property
    def prefix(self) -> tuple[str, ...]:
        """Words before a command that make it run in this network, whoever starts it: for as long
        as this process has it open."""
        return tuple(entered(self._space.namespaces))

    def variables(self, env: Mapping[str, str] | None = None) -> dict[str, str]:
        """What programs need to know of the proxy, on top of `env`."""
        if not self.proxy_port:
            return {}
        url = f"http://127.0.0.1:{self.proxy_port}"
        found = {"NODE_USE_ENV_PROXY": "1", "NO_PROXY": NOT_PROXIED, "no_proxy": NOT_PROXIED}
        for name in (*BY_URL, *map(str.lower, BY_URL)):
            found[name] = url
        for name in BY_JAVA:
            found[name] = " ".join(filter(None, ((env or {}).get(name, ""), self._java_options)))
        return found

    @property
    def _java_options(self) -> str:
        words = [
            f"-D{scheme}.proxy{what}"
            for scheme in ("http", "https")
            for what in ("Host=127.0.0.1", f"Port={self.proxy_port}")
        ]
        return " ".join(words)

    def listening(self) -> set[int]:
        """The ports that the session itself serves, now."""
        ours = {port for way, port in self._acceptors if way == "in"} | {self.proxy_port}
        return self._space.listening() - ours

    async def _open_proxy(self) -> None:
        """On a port that no service is going to want."""
        wanted = {*self._box.inward, *self._box.outward}
        for _ in range(ATTEMPTS):
            listener = await self._space.listen(0, socket.AF_INET)
            if listener.getsockname()[1] not in wanted:
                break
            listener.close()
        acceptor = Acceptor(listener, self._proxy.serve, self._room, self._tasks)
        self.proxy_port = acceptor.port
        self._acceptors["proxy", acceptor.port] = [acceptor]

    async def carry_in(self, port: int) -> None:
        """A port of this machine's loopback, seen in the box as it is here."""
        if ("in", port) in self._acceptors:
            return
        serve = partial(_connect_and_splice, partial(_connect_here, port))
        made: list[Acceptor] = []
        for family in LOOPBACK:
            try:
                listener = await self._space.listen(port, family)
            except OSError as error:
                if family == socket.AF_INET:
                    self._say(f"Port {port} cannot be carried into the box: {_why(error)}.")
                continue
            made.append(Acceptor(listener, serve, self._ports_room, self._tasks))
        self._acceptors["in", port] = made

    async def carry_out(self, port: int) -> None:
        """A port of the session's own, seen on this machine's loopback as it is in the box."""
        if ("out", port) in self._acceptors:
            return
        if ("in", port) in self._acceptors:
            self._say(
                f"Port {port} of this machine is carried into the box, so a service of the session"
                " cannot have it: give that service another port."
            )
            return
        try:
            listener = _listen_here(port)
        except OSError as error:
            taken = "another program has it" if error.errno == errno.EADDRINUSE else _why(error)
            self._say(
                f"Port {port} of the session is not to be had on this machine: {taken}."
                " Inside the box it works."
            )
            return
        serve = partial(_connect_and_splice, partial(self._space.connect, port))
        self._acceptors["out", port] = [Acceptor(listener, serve, self._ports_room, self._tasks)]

    async def connect(self, port: int) -> socket.socket:
        """To a service of the session, without a port of this machine's."""
        return await self._space.connect(port)

    async def close(self) -> None:
        """Nothing is carried any more, and nothing of ours is left running."""
        for acceptor in (one for made in self._acceptors.values() for one in made):
            acceptor.close()
        self._acceptors.clear()
        self._ready = False
        await self._space.stop()


def _listen_here(port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("127.0.0.1", port))
        made.listen(socket.SOMAXCONN)
    except OSError:
        made.close()
        raise
    return made


async def _connect_here(port: int) -> socket.socket:
    problem: OSError = ConnectionRefusedError(port)
    for family, address in LOOPBACK.items():
        made = None
        try:
            made = socket.socket(family, socket.SOCK_STREAM)
            made.setblocking(False)
            await asyncio.get_running_loop().sock_connect(made, (address, port))
            return made
        except BaseException as error:
            if made is not None:
                made.close()
            if not isinstance(error, OSError):
                raise
            problem = error
    raise problem


async def _connect_and_splice(
    connect: Callable[[], Awaitable[socket.socket]], client: SocketEnd
) -> None:
    try:
        server = await connect()
    except OSError:
        client.reset()
        return
    await splice(client, SocketEnd(server))


def _why(error: OSError) -> str:
    return error.strerror or str(error)
