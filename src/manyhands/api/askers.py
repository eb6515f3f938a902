"""Who really asks: the process at the other end of the connection, and for whom it runs.

A token tells what may be done, not who holds it: an agent runs as the user and can read the
user's files. So whatever asks to change something is looked at too, as far as the machine tells.
What runs below a keeper, or carries a session's mark, is that session's agent, whatever token it
brings. Where nothing can be seen (another system, a tunnel, another user), the token decides.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from typing import Any

from manyhands.api.tokens import Principal
from manyhands.hub.core.hub import Hub
from manyhands.hub.fleet.link import Links
from manyhands.model.envelope import Asker
from manyhands.model.ids import SessionId
from manyhands.process.editor import windows
from manyhands.process.identity import identify
from manyhands.process.lineage import kept_session, lineage, program, session_behind
from manyhands.process.peer import Peer, find_peer

CLIENT, DECLARED = "manyhands-client", "manyhands-session"
"""The command line's own words: its process, and the session whose agent it knows itself to be."""
GONE, OURS = "(it went away)", "(the hub itself)"
_BROWSERS = re.compile(r"(Firefox|Edg|OPR|Chrome|Safari)/")
_LONGEST_SESSION, _LONGEST_PID = 100, 10
_MOST_RECENT = 8


class Askers:
    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._recent: list[int] = []
        """Those who asked last; a browser asks again and again."""
        self._looking = asyncio.Lock()

    async def find(
        self, scope: Mapping[str, Any], headers: Mapping[str, str], principal: Principal | None
    ) -> tuple[Asker, str]:
        """Who asks, and the session for which it does; empty for a person."""
        said = headers.get(CLIENT, "")
        likely = int(said) if said.isdecimal() and len(said) < _LONGEST_PID else 0
        peer = await self._peer(scope, likely)
        session = headers.get(DECLARED, "")[:_LONGEST_SESSION]
        if not session and peer is not None:
            keepers = {link.pid: link.session for link in self._hub.part(Links).live.values()}
            session = await asyncio.to_thread(self._session, peer, keepers)
        pid = peer.holders[0] if peer and peer.holders else 0
        asker = Asker(
            via="page" if "origin" in headers else "cli" if said else "api",
            token=principal.name if principal else "link",
            pid=pid or likely,
            program=program(pid) if pid else _browser(headers),
            seen=bool(pid),
        )
        return asker, session

    async def _peer(self, scope: Mapping[str, Any], likely: int) -> Peer | None:
        theirs, ours = scope.get("client"), scope.get("server")
        if not theirs or not ours:
            return None
        ends = ((theirs[0], theirs[1]), (ours[0], ours[1]))
        if likely:
            return await asyncio.to_thread(find_peer, *ends, [likely])
        async with self._looking:  # one after the other: the next is most likely the same again
            peer = await asyncio.to_thread(find_peer, *ends, self._recent)
            if peer and peer.holders:
                known = dict.fromkeys([peer.holders[0], *self._recent])
                self._recent = list(known)[:_MOST_RECENT]
        return peer

    def _session(self, peer: Peer, keepers: Mapping[int, str]) -> str:
        """One among several holders is enough, or among those who may be it and hide."""
        for pid in (*peer.holders, *peer.hidden):
            if found := self._session_of(pid, keepers):
                return found
        return "" if peer.holders or peer.hidden else GONE

    def _session_of(self, pid: int, keepers: Mapping[int, str]) -> str:
        """What the hub started is no person: setups, checks, hooks that git runs, and what it
        adopted when a keeper was killed; an editor that it opened for a person is one."""
        known = self._hub.state.all_sessions()

        def kept_by(one: int) -> str:
            return keepers.get(one) or kept_session(self._hub.home.run, one)

        found = session_behind(pid, lambda mark: SessionId(mark) in known, kept_by)
        return found or (OURS if _is_below_us(pid) else "")


def _browser(headers: Mapping[str, str]) -> str:
    found = _BROWSERS.search(headers.get("user-agent", ""))
    return {"Edg": "edge", "OPR": "opera"}.get(found[1], found[1].lower()) if found else ""


def _is_below_us(pid: int) -> bool:
    above = list(lineage(pid))
    place = above.index(os.getpid()) if os.getpid() in above else 0
    return place > 0 and identify(above[place - 1]) not in windows
