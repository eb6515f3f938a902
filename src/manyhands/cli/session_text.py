"""A session, an attention item and a deletion plan as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from manyhands.cli.answer import SHORT_FORMS
from manyhands.cli.output import write
from manyhands.cli.terminal import inert, styled
from manyhands.contract.box import box_words
from manyhands.contract.sessions import IssueLink, Plan, SessionView
from manyhands.model.attention.attention import Attention
from manyhands.model.clock import now, seconds_between

COLOURS = {
    "working": "green",
    "waiting": "yellow",
    "failed": "red",
    "unreachable": "red",
    "queued": "cyan",
    "preparing": "cyan",
}
TOLD_IN_WORDS = ("lost", "gone", "stash", "unkept")
"""Of an item's detail, what its text says already."""


def session_line(s: SessionView) -> str:
    """One line: what it is called and how it is."""
    status = styled(s.status, fg=COLOURS.get(s.status, "white"))
    reason = inert(s.error or s.reason or s.progress or taken(s) or quiet(s))
    return f"{s.id}  {inert(s.slug)}  {status}" + (f"  {reason}" if reason else "")


def quiet(s: SessionView) -> str:
    """Rather than that it works: for how long it has given no sign of it."""
    minutes = int(seconds_between(s.quiet_since, now()) // 60) if s.quiet_since else 0
    return f"quiet for {minutes} min" if minutes else ""


def taken(s: SessionView) -> str:
    return f"taken over in its terminal {s.taken.name}" if s.taken else ""


def changes(s: SessionView) -> str:
    return f"+{s.added} -{s.removed} in {s.files_changed}" if s.files_changed else ""


def marks(s: SessionView) -> str:
    """What stands out: that nobody has looked, and a box that is less than full."""
    less = "" if s.box == "full" else f"box: {s.box}"
    return ", ".join(filter(None, ("unread" if s.unread else "", less)))


def mode_words(s: SessionView) -> str:
    """With what the box already guarantees, where everything is allowed."""
    box = s.box_detail
    if s.mode != "auto" or not box.promise:
        return s.mode
    return f"auto, in a {box.level} box with {box.network} network: {box.promise}"


def ports(s: SessionView) -> str:
    """Leased ports by name; a star marks those on which something listens, whoever leased them."""
    heard = {one.port for one in s.listening}
    leased = [f"{name}={port}{'*' if port in heard else ''}" for name, port in s.ports.items()]
    others = sorted(heard - set(s.ports.values()))
    return " ".join([*leased, *(f"{port}*" for port in others)])


def print_session(s: SessionView) -> None:
    write(styled(inert(s.title), bold=True))
    write(session_line(s))
    for name, value in _facts(s):
        if value:
            write(f"  {name:<9} {inert(value)}")
    for item in s.attention:
        write()
        print_attention(item, s.slug)


def _facts(s: SessionView) -> Iterator[tuple[str, str]]:
    yield "branch", s.branch
    yield "base", f"{s.base} {s.base_commit[:10]}".strip()
    yield "worktree", f"{s.worktree} (in place: the main checkout)" if s.in_place else s.worktree
    yield "agent", " ".join(filter(None, (s.agent, s.model, f"in mode {mode_words(s)}")))
    yield "box", box_words(s.box_detail)
    yield "issue", ", ".join(_issue(link) for link in s.issues)
    yield "pr", f"{s.pr.mark} {s.pr.state} {s.pr.url}" if s.pr else ""
    yield "ports", ports(s)
    yield "setup", " ".join(filter(None, (s.setup, s.progress)))
    yield "turn", str(s.turn)
    yield "changes", changes(s)
    about = "about " if s.cost_estimated else ""
    yield "cost", f"{about}{s.cost_usd:.4f} USD, {s.tokens.in_} tokens in, {s.tokens.out} out"
    yield "error", s.error or ""
    yield "to do", s.hint


def _issue(link: IssueLink) -> str:
    called = f"#{link.number}" if link.number else link.key
    return f"{called} {link.url}" if link.url else link.origin


def print_attention(item: Attention, session: str) -> None:
    """The item whole, and the command that settles it."""
    write(styled(f"{item.kind}: {inert(item.summary)}", fg="yellow"))
    for name, value in item.detail.items():
        if name not in TOLD_IN_WORDS:
            _print_detail(name, value)
    for option in item.options:
        label = inert(option.label)
        write(f"  manyhands answer {inert(session)} {_flag(option.id)}  # {label}")


def _flag(option: str) -> str:
    return f"--{option}" if option in SHORT_FORMS else f"--option {inert(option)}"


def _print_detail(name: str, value: Any) -> None:
    """Commands to copy are lines by themselves."""
    commands = isinstance(value, list) and all(isinstance(line, str) for line in value)
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    shown = "\n".join(map(inert, value)) if commands else inert(text, lines=True)
    if "\n" not in shown and not commands:
        write(f"  {inert(name)}: {shown}")
        return
    write(f"  {inert(name)}:")
    for line in shown.splitlines():
        write(f"    {line}")


def print_plan(plan: Plan) -> None:
    """A deletion plan in words: the same for archive, rm and their dry runs."""
    for thing in plan.kept:
        where = f" in {thing.where}" if thing.where else ""
        write(f"kept  {inert(thing.what + where + _size(thing.bytes))}")
    for gone in plan.lost:
        write(f"lost  {inert(gone.what + _size(gone.bytes))}")
    for reason in plan.blocked_by:
        write(f"blocked by {inert(reason)}")


def _size(number: int) -> str:
    return f", {number} bytes" if number else ""
