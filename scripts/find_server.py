"""Finds a server that tests start for themselves, and brings it where there is none.

The order: the one that a variable names, one that is installed, the distribution's package where we
may install it. The package's own service is never used.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from find_browser import bounded, privilege

PACKAGE_SECONDS = 600
NO_SERVICE = {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
"""Debian's packages start a server of their own otherwise."""


@dataclass(frozen=True)
class Server:
    name: str
    variable: str
    candidates: Callable[[], Iterable[Path]]
    works: Callable[[Path], bool]
    packages: tuple[tuple[str, tuple[str, ...]], ...]
    """Commands, each with the program that must be there for it."""
    missing: str
    """What to do where none could be brought."""

    def say(self, text: str) -> None:
        print(f"{self.name}: {text}", file=sys.stderr, flush=True)

    def find(self) -> str | None:
        named = os.environ.get(self.variable)
        if named:
            if self.works(Path(named)):
                return named
            self.say(f"{self.variable} names {named}, where no working server is")
            return None
        found = self.installed()
        if found is None:
            self._install()
            found = self.installed()
        return found

    def installed(self) -> str | None:
        return next((str(place) for place in self.candidates() if self.works(place)), None)

    def _install(self) -> None:
        before = [] if shutil.which("brew") else privilege()
        if before is None:
            return
        os.environ.update(NO_SERVICE)
        for program, command in self.packages:
            if shutil.which(program):
                self.say(f"trying the distribution's package: {' '.join(command)}")
                bounded([*before, *command], PACKAGE_SECONDS)

    def main(self) -> int:
        found = self.find()
        if found is None:
            self.say(self.missing)
            return 1
        print(found)
        return 0
