"""What the commit of a merge says: a title, then what was done and why."""

from __future__ import annotations

import msgspec

from manyhands.git.runner import Git
from manyhands.model.landing.merges import Merge
from manyhands.station.worktree import Worktree

REFERS = "Refs #"


class MergeWords(msgspec.Struct, frozen=True):
    """How a session's work is told."""

    title: str
    summary: str = ""
    """What its agent said, where its commits say nothing of the kind."""


class _Commit(msgspec.Struct, frozen=True):
    subject: str
    body: str


def merge_message(at: Worktree, merge: Merge, told: MergeWords) -> str:
    """A person's own words, else made from the commits that come along."""
    if merge.message.strip():
        return f"{merge.message.strip()}\n"
    if merge.method == "merge":
        return f"Merge branch '{at.branch}' into {merge.into}\n\n{told.title}\n"
    return squash_message(_commits(at, merge), told)


def _commits(at: Worktree, merge: Merge) -> list[_Commit]:
    """What comes along of the session's own, the oldest first."""
    order = ("-z", "--reverse", "--topo-order", "--no-merges", "--format=%s%n%b")
    others = ("--not", merge.target, *merge.others, "--")
    said = Git(at.repository).run("log", *order, merge.tip, *others).records
    pairs = (record.decode("utf-8", "replace").partition("\n") for record in said)
    return [_Commit(subject.strip(), body.strip()) for subject, _, body in pairs]


def squash_message(commits: list[_Commit], told: MergeWords) -> str:
    """Bodies are the summaries that a person has let through, so that they come first."""
    bodies = [_without_refers(commit.body) for commit in commits]
    refers = dict.fromkeys(x for c in commits for x in c.body.splitlines() if _refers(x))
    parts: list[str] = []
    if any(bodies):
        for commit, body in zip(commits, bodies, strict=True):
            named = len(commits) > 1 and commit.subject != told.title
            parts += [f"* {commit.subject}"] if named else []
            parts += [body] if body else []
    else:
        listed = "\n".join(f"* {commit.subject}" for commit in commits)
        parts = [told.summary, listed if len(commits) > 1 else ""]
    return "\n\n".join(filter(None, (told.title, *parts, *refers))) + "\n"


def _refers(line: str) -> bool:
    return line.startswith(REFERS)


def _without_refers(body: str) -> str:
    return "\n".join(line for line in body.splitlines() if not _refers(line)).strip()
