"""What was seen in a command line: its simple commands, and what of each has to be asked about."""

from __future__ import annotations

from dataclasses import dataclass, field

from manyhands.agents.permission.guarantees import Matter

MOST_REASONS = 3


@dataclass(frozen=True)
class Objection:
    """Why a command has to be asked about, in words for the person who is asked."""

    reason: str
    reads: bool = False
    """Whether it only looks: nothing out there is changed."""
    depth: int | None = None
    """How many words a standing prefix must name to cover it; without, no prefix does."""
    matter: Matter = "code"
    """What it is about, by which a box may make it harmless."""


@dataclass
class Part:
    """One simple command."""

    words: tuple[str, ...]
    changes: bool = False
    plain: bool = True
    """Words alone: no assignment before it, no file that its output goes to."""
    objections: list[Objection] = field(default_factory=list)


@dataclass
class CommandLine:
    parts: list[Part] = field(default_factory=list)
    objections: list[Objection] = field(default_factory=list)
    """Of the line as a whole: it cannot be read, it is too long."""

    @property
    def all_objections(self) -> list[Objection]:
        of_parts = (objection for part in self.parts for objection in part.objections)
        return list(dict.fromkeys([*self.objections, *of_parts]))

    @property
    def changes(self) -> bool:
        # Nothing at all is not known to be harmless.
        return not self.parts or any(part.changes for part in self.parts)

    @property
    def reason(self) -> str:
        reasons = list(dict.fromkeys(objection.reason for objection in self.all_objections))
        more = len(reasons) - MOST_REASONS
        return "; ".join(reasons[:MOST_REASONS]) + (f"; and {more} more" if more > 0 else "")
