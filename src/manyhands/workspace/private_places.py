"""Places that no repository may have brought into its box: keys, logins, and the hub's own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from manyhands.config import home, user_home
from manyhands.errors import BadInput

PRIVATE = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".git-credentials"),
    *(".password-store", ".config/gh", ".config/glab-cli", ".config/gcloud"),
    ".local/share/keyrings",
)
"""Under the user's home."""


def require_not_private(where: str, places: Iterable[str]) -> None:
    """Raises, in one sentence, for a place that is private, lies in one, or holds one."""
    ours, hub = user_home(), home()
    private = [*(ours / name for name in PRIVATE), hub.root, hub.run]
    for place in places:
        for kept in private:
            if _meet(expanded(place, ours), kept):
                raise BadInput(
                    f"{where}: {place} would bring {kept} into the box, which no repository may do",
                    hint="name a place beside it; your own config.toml may list it under [box]",
                )


def expanded(place: str, ours: Path) -> Path:
    return ours / place[2:] if place.startswith("~/") else Path(place)


def _meet(one: Path, other: Path) -> bool:
    """As they are named, and where links lead."""
    for a, b in ((os.path.normpath(one), os.path.normpath(other)), (_real(one), _real(other))):
        if Path(a).is_relative_to(b) or Path(b).is_relative_to(a):
            return True
    return False


def _real(path: Path) -> str:
    return os.path.realpath(path)
