"""What an issue is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.trackers.reference import Reference, parse_reference
from manyhands.trackers.task_list import TaskList
from manyhands.trackers.tracker import IssuesAsked, NewIssue


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("12", Reference("12")),
        ("#12", Reference("12")),
        ("acme/widgets#12", Reference("12", slug="acme/widgets")),
        ("group/sub/widgets#12", Reference("12", slug="group/sub/widgets")),
        ("eng-123", Reference("ENG-123")),
        ("jira:PROJ-7", Reference("PROJ-7", tracker="jira")),
        ("tasks:3", Reference("3", tracker="tasks")),
        ("https://github.com/o/r/issues/9", Reference("9", slug="o/r", host="github.com")),
        ("https://gl.x:8443/a/b/c/-/issues/4", Reference("4", slug="a/b/c", host="gl.x:8443")),
        ("https://linear.app/acme/issue/ENG-5/hi", Reference("ENG-5", host="linear.app")),
        ("https://x.atlassian.net/browse/PROJ-7", Reference("PROJ-7", host="x.atlassian.net")),
    ],
)
def test_every_form_is_understood(text: str, meant: Reference) -> None:
    assert parse_reference(text) == meant


@pytest.mark.parametrize(
    "text", ["", "0", "#", "greet people", "-1", "https://github.com/o/r/pull/9", "x:", "ENG-"]
)
def test_what_names_no_issue_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse_reference(text)


LIST = "# Tasks\n\n- [ ] Greet\n  - [ ] politely\n- [x] Count\n- Smile\n"


async def test_a_task_list_is_read_and_never_written(tmp_path: Path) -> None:
    (tmp_path / "tasks.md").write_text(LIST)
    tasks = TaskList(str(tmp_path), "tasks.md")
    listed = [(issue.key, issue.title) for issue in await tasks.issues(IssuesAsked())]
    assert listed == [("1", "Greet"), ("3", "Smile")]
    assert [i.key for i in await tasks.issues(IssuesAsked(search="POLITELY"))] == ["1"]
    whole = await tasks.issue("1")
    assert (whole.body, whole.origin) == ("- [ ] politely", "tasks.md:3")
    assert (await tasks.issue("2")).state.kind == "done"
    with pytest.raises(NotPossible):
        await tasks.create(NewIssue(title="More"))
    with pytest.raises(NotFound):
        await tasks.issue("4")
    assert (tmp_path / "tasks.md").read_text() == LIST


async def test_a_task_list_lies_in_its_repository(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "outside.md").write_text(LIST)
    (tmp_path / "repo" / "link.md").symlink_to(tmp_path / "outside.md")
    for file in ("../outside.md", "link.md", ""):
        with pytest.raises(BadInput):
            await TaskList(str(tmp_path / "repo"), file).issues(IssuesAsked())
