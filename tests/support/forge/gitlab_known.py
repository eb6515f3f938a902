"""What GitLab's API takes, as python-gitlab knows it: the vendor publishes no description of v4."""

from __future__ import annotations

import functools
import importlib
import re
from typing import Any

# It tells its managers' attributes to no type checker.
objects: Any = importlib.import_module("gitlab.v4.objects")
PAGING = {"page", "per_page"}
ACTIONS = {
    r"/projects/[^/]+/merge_requests/\d+/merge": {
        *("sha", "squash", "merge_when_pipeline_succeeds", "auto_merge"),
    },
    r"/projects/[^/]+/merge_requests/\d+/cancel_merge_when_pipeline_succeeds": set(),
    r"/projects/[^/]+/jobs/\d+/trace": set(),
    r"/projects/[^/]+/merge_trains/merge_requests/\d+": {
        *("sha", "squash", "auto_merge", "when_pipeline_succeeds"),
    },
    r"/user": set(),
}
"""Its methods, rather than its managers, do these; of trains it knows the list alone."""
BEYOND = {
    *("add_labels", "remove_labels", "assignee_ids"),
    *("author_username", "assignee_username", "order_by", "sort"),
}
"""GitLab documents these; python-gitlab passes them on without knowing them."""


def _pattern(path: str) -> str:
    return re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))


@functools.cache
def _managers() -> list[tuple[re.Pattern[str], re.Pattern[str], Any]]:
    found = [m for name, m in vars(objects).items() if name.endswith("Manager")]
    paths = [(_pattern(m._path), m) for m in found if getattr(m, "_path", None)]
    return [(re.compile(p), re.compile(f"{p}/[^/]+"), m) for p, m in paths]


def _known_names(method: str, path: str) -> set[str] | None:
    """The fields and filters that may be sent there; None where there is nothing."""
    for pattern, names in ACTIONS.items():
        if re.fullmatch(pattern, path):
            return set(names)
    known: set[str] | None = None
    for whole, one, manager in _managers():
        if not (whole.fullmatch(path) or one.fullmatch(path)):
            continue
        known = known or set()
        attrs = "_create_attrs" if method == "POST" else "_update_attrs"
        if method == "GET":
            known |= {*getattr(manager, "_list_filters", ()), *PAGING}
        elif given := getattr(manager, attrs, None):
            known |= {*given.required, *given.optional}
    return known


def complaints(method: str, path: str, query: dict[str, str], body: Any) -> list[str]:
    known = _known_names(method, path)
    if known is None:
        return [f"{method} {path} is not known"]
    given = {*query, *(body or {})}
    return [f"{method} {path}: {name} is not known" for name in given - known - BEYOND]
