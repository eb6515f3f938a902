"""Names for new branches, beside those that there are."""

from __future__ import annotations

from collections.abc import Iterable


class BranchNames:
    """By a template that holds `{slug}`."""

    def __init__(self, template: str, taken: Iterable[str]) -> None:
        # Case apart: on some file systems `Fix` and `fix` are one file.
        self._taken = {name.casefold() for name in taken}
        self._folders = {folder for name in self._taken for folder in _folders(name)}
        stem = template.casefold().split("{slug}", 1)[0]
        # Beside a branch `mh` there can be no `mh/x`.
        if _folders(stem) & self._taken:
            template = template.replace("/", "-")
        self._template = template

    def name(self, slug: str) -> str:
        return self._template.replace("{slug}", slug)

    def is_taken(self, slug: str) -> bool:
        name = self.name(slug).casefold()
        return name in self._taken or name in self._folders


def _folders(name: str) -> set[str]:
    parts = name.split("/")
    return {"/".join(parts[:n]) for n in range(1, len(parts))}
