"""The table of attempts to leave a box; the guide lists them all."""

from __future__ import annotations

from tests.box.attempts.attempt import Attempt
from tests.box.attempts.by_files import FILES, LINKS
from tests.box.attempts.by_git import GIT
from tests.box.attempts.by_processes import MOUNTS, NETWORK, PROCESSES, SOCKETS, SURVIVAL

ATTEMPTS: tuple[Attempt, ...] = (
    *(*FILES, *LINKS, *GIT),
    *(*PROCESSES, *SOCKETS, *NETWORK, *MOUNTS, *SURVIVAL),
)
