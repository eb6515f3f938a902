"""What objections are about, by their words; what is not listed may do anything."""

from __future__ import annotations

from manyhands.agents.permission.guarantees import Matter

_WORDS: dict[Matter, tuple[str, ...]] = {
    "git": (
        "tidies the repository that all worktrees share",
        "moves refs that all worktrees share",
        "rewrites history that all worktrees share",
        "changes the repository's shared config",
        "drops what is on the stash, which all worktrees share",
        "changes the worktrees of others",
        "moves or removes branches, which all worktrees share",
        "moves or removes refs that all worktrees share",
        "moves a branch, which all worktrees share",
        "takes a branch that another worktree holds",
        "changes tags, which all worktrees share",
        "forgets commits that nothing else keeps",
    ),
    "files": ("changes the user's own git settings", "changes the user's own settings"),
    "network": ("reaches another machine", "sends to another machine"),
    "kept": (
        "acts on a forge under the user's name",
        "acts on other machines or services under the user's name",
        "publishes under the user's name",
        "handles keys",
        "commands Manyhands itself",
        "starts another agent, which nobody would watch",
    ),
}
_MATTERS = {reason: matter for matter, reasons in _WORDS.items() for reason in reasons}
FIXED = frozenset(_MATTERS)


def matter_of(reason: str) -> Matter:
    """By the words before what they name."""
    plain = reason.partition(":")[0]
    return "git" if plain == "takes another session's branch" else _MATTERS.get(plain, "code")
