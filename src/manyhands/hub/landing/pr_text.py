"""Title and body of a pull request: from task, the agent's summary, checks run and issues."""

from __future__ import annotations

import msgspec

from manyhands.errors import NotFound
from manyhands.forges.forge import LONGEST_BODY, ForgeRepo
from manyhands.forges.scan import secret_in
from manyhands.hub.core import Hub, worktree_of
from manyhands.hub.landing.summary import markdown_summary
from manyhands.hub.landing.template import PrWords, fill
from manyhands.model.ids import Oid
from manyhands.model.landing.events import Issue
from manyhands.model.landing.merge_events import ChecksFinished, ChecksStarted
from manyhands.model.session.session import Session
from manyhands.station.landing.checks import load_tree
from manyhands.station.landing.templates import DEFAULT, PrTemplate, load_template, load_templates

LONGEST_TITLE = 250
LONGEST_PART = 6000


class _Words(msgspec.Struct):
    text: str = ""


class PrText(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    body: str
    template: str = ""
    templates: tuple[str, ...] = ()


async def pr_text(hub: Hub, s: Session, commit: Oid, repo: ForgeRepo, template: str = "") -> PrText:
    """`repo` takes it in; `template` is by name, else the repository's own choice."""
    at = worktree_of(hub, s)
    there = await load_templates(at, commit, gitlab=repo.pull_word == "merge request")
    chosen = _chosen(there, template)
    text = await load_template(at, commit, chosen) if chosen else ""
    return PrText(
        title=" ".join((s.title or s.slug).split())[:LONGEST_TITLE],
        body=fill(text, await _own_words(hub, s, commit, repo))[:LONGEST_BODY],
        template=chosen.name if chosen else "",
        templates=tuple(one.name for one in there),
    )


def _chosen(there: list[PrTemplate], name: str) -> PrTemplate | None:
    """By its name, else the one that stands by itself or is called default, else the only one."""
    wanted = name.lower() or DEFAULT
    found = next((one for one in there if one.name.lower() == wanted), None)
    if found is None and name:
        raise NotFound(
            f"there is no template {name!r} of a pull request",
            hint="there are: " + (", ".join(one.name for one in there) or "none"),
        )
    return found or (there[0] if len(there) == 1 else None)


async def _own_words(hub: Hub, s: Session, commit: Oid, repo: ForgeRepo) -> PrWords:
    task = "" if s.landing.issues else await _asked_first(hub, s)
    summary = _bounded(await markdown_summary(hub, s, LONGEST_PART))
    return PrWords(
        summary=summary or ("" if task else s.title),
        task="\n".join(f"> {x}" for x in _bounded(task).splitlines()),
        checks=await _checks_run(hub, s, commit),
        closes="\n".join(_closing(repo, issue) for issue in s.landing.issues if issue.url),
    )


def _closing(repo: ForgeRepo, issue: Issue) -> str:
    """Only the forge itself closes by such words; other trackers are told by us, where allowed."""
    if issue.number and not issue.tracker:
        return repo.closes(issue.origin, issue.number)
    return f"Refs {issue.ref} ({issue.url})"


async def _checks_run(hub: Hub, s: Session, commit: Oid) -> str:
    """The checks that ran last, if it was on exactly what is proposed."""
    begun = await hub.store.one(s.id, "checks_started", last=True)
    ended = await hub.store.one(s.id, "checks_finished", last=True)
    if begun is None or ended is None:
        return ""
    started = msgspec.json.decode(begun, type=ChecksStarted)
    finished = msgspec.json.decode(ended, type=ChecksFinished)
    tree = await load_tree(worktree_of(hub, s), commit)
    if {started.tree, finished.tree} != {tree} or not finished.passed:
        return ""
    return "\n".join(f"- `{command}` passed" for command in started.commands)


async def _asked_first(hub: Hub, s: Session) -> str:
    body = await hub.store.one(s.id, "user_message", last=False)
    return msgspec.json.decode(body, type=_Words).text.strip() if body else ""


def _bounded(text: str) -> str:
    """Cut, and with nothing in it that looks like a secret."""
    lines = ["[left out: it looks like a secret]" if secret_in(x) else x for x in text.splitlines()]
    whole = "\n".join(lines)
    return whole if len(whole) <= LONGEST_PART else whole[:LONGEST_PART] + " …"
