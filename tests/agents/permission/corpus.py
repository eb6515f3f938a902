"""The corpus: commands, what each does, and why; and the worktree in which they are judged."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from manyhands.agents.permission.bounds import Bounds

CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True)
class Case:
    command: str
    deed: str
    why: str
    reason: str
    """What the person must be told, as a regular expression."""


def cases() -> list[Case]:
    found: list[Case] = []
    for file in sorted(CORPUS.glob("*.toml")):
        table = tomllib.loads(file.read_text("utf-8"))
        for group in table["group"]:
            said = group.get("reason", "")
            found += [Case(c, table["deed"], group["why"], said) for c in group["commands"]]
    return found


def make_bounds(top: Path) -> Bounds:
    """A worktree on a branch of ours, with links inside and out of it."""
    for place in ("tree/src", "tree/build", "tree/.venv/bin", "scratch", "plans", "skills"):
        (top / place).mkdir(parents=True)
    (top / "outside").mkdir()
    (top / "gitdir").mkdir()
    (top / "gitdir" / "HEAD").write_text("ref: refs/heads/mh/own\n")
    (top / "tree" / ".git").write_text(f"gitdir: {top / 'gitdir'}\n")
    (top / "tree" / "escape").symlink_to(top / "outside")
    (top / "tree" / "within").symlink_to("src")
    return Bounds(
        worktree=top / "tree",
        cwd=top / "tree",
        home=top,
        scratch=(top / "scratch",),
        plans=(top / "plans",),
        notes=(top / "skills",),
    )
