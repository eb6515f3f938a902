"""The trail of changes between two checkpoints: every path, or the word that some may lack.

It is whole only from one taking to the next within one unbroken watch. Whatever interrupts the
watch, and more at once than is worth listing, makes the next checkpoint look at everything.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from manyhands.keeper.notices import Change

MOST = 1000


class Trail:
    def __init__(self, root: Path) -> None:
        self._prefix = f"{root}/"
        self._watched = False
        self._whole = False
        self._paths: set[bytes] = set()

    def begin(self) -> None:
        """A watch has begun: what came before it is not known."""
        self._watched, self._whole = True, False

    def end(self) -> None:
        self._watched = self._whole = False
        self._paths.clear()

    def note(self, changes: Iterable[Change]) -> None:
        if not self._whole:
            return
        self._paths |= {
            os.fsencode(path.removeprefix(self._prefix))
            for _, path in changes
            if path.startswith(self._prefix)
        }
        if len(self._paths) > MOST:
            self._whole = False

    @property
    def is_whole(self) -> bool:
        return self._whole

    @property
    def is_untouched(self) -> bool:
        """Whether nothing at all has changed since the last taking."""
        return self._whole and not self._paths

    def lose(self) -> None:
        """The checkpoint that this trail starts from was not made."""
        self._whole = False

    def take(self) -> set[bytes] | None:
        """What changed since the last taking, None where that is not known; a new one begins."""
        taken = self._paths if self._whole else None
        self._paths, self._whole = set(), self._watched
        return taken
