"""What a box may reach without a question."""

from __future__ import annotations

from collections.abc import Iterable

from manyhands.box.network.hosts import HostPort, covered, patterns
from manyhands.box.network.proxy import Verdict


class HostLists:
    """`listed` are the user's own, which may be in a private network; `known` are ours."""

    def __init__(self, listed: Iterable[str] = (), known: Iterable[str] = ()) -> None:
        self._listed = patterns(listed)
        self._known = patterns(known)

    def standing(self, target: HostPort) -> Verdict | None:
        if covered(self._listed, target):
            return Verdict(True, private=True)
        return Verdict(True) if covered(self._known, target) else None

    async def decide(self, target: HostPort) -> Verdict:
        """For what runs where nobody is asked: a setup, a check, a hook."""
        why = "it is not on the list of hosts, and nobody is asked here"
        return self.standing(target) or refused(target, why)


def refused(target: HostPort, why: str) -> Verdict:
    return Verdict(False, sentence=f"This box may not reach {target}: {why}.")
