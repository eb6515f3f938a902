"""Who looks at terminals now, and what these look like: no log knows it."""

from __future__ import annotations

from collections import Counter

from manyhands.hub.core.hub import Hub
from manyhands.model.ids import TerminalId


class Onlookers:
    def __init__(self, hub: Hub) -> None:
        self.viewers: Counter[TerminalId] = Counter()
        self.titles: dict[TerminalId, str] = {}
        self.sizes: dict[TerminalId, tuple[int, int]] = {}

    def forget(self, terminal: TerminalId) -> None:
        self.titles.pop(terminal, None)
        self.sizes.pop(terminal, None)
