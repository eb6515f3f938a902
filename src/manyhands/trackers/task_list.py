"""A task list: the items of a Markdown file in the repository, read where the user edits it.

Nothing is written: the file lies in the user's checkout, and a checkout in which we had ticked
boxes could not be landed into any more. Ticked in the worktrees, neighbours in one list would
conflict with each other. So what became of an item is told by the session that has it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from manyhands.errors import BadInput, NotFound, NotPossible
from manyhands.model.landing.tasks import Task, all_tasks
from manyhands.trackers.tracker import IssuesAsked, ListedIssue, NewIssue, TrackerState, WholeIssue

LARGEST = 1024 * 1024
OPEN = TrackerState("open", "open", "todo")
TICKED = TrackerState("ticked", "ticked", "done")


@dataclass(frozen=True)
class TaskList:
    repo: str
    file: str

    @property
    def place(self) -> str:
        return self.file

    async def issues(self, wanted: IssuesAsked) -> list[ListedIssue]:
        words = wanted.search.casefold().split()
        found = [
            self._listed(number, task)
            for number, task in enumerate(await self._tasks(), 1)
            if not task.ticked and all(word in task.text.casefold() for word in words)
        ]
        return found[: wanted.most]

    async def issue(self, key: str) -> WholeIssue:
        tasks = await self._tasks()
        number = int(key) if key.isdecimal() else 0
        if not 0 < number <= len(tasks):
            raise NotFound(f"{self.file} has no item {key}; it holds {len(tasks)}")
        listed, text = self._listed(number, tasks[number - 1]), tasks[number - 1].text
        return WholeIssue(
            key=listed.key,
            title=listed.title,
            url="",
            state=listed.state,
            comments=0,
            origin=listed.origin,
            body=text.partition("\n")[2].strip(),
        )

    async def states(self, key: str) -> list[TrackerState]:
        return []

    async def set_state(self, key: str, state: TrackerState) -> None:
        raise self._unwritten()

    async def comment(self, key: str, text: str) -> None:
        raise self._unwritten()

    async def create(self, issue: NewIssue) -> ListedIssue:
        raise self._unwritten()

    async def made(self, mark: str) -> ListedIssue | None:
        return None

    def _unwritten(self) -> NotPossible:
        return NotPossible(f"{self.file} is yours to edit: nothing is written into your checkout")

    def _listed(self, number: int, task: Task) -> ListedIssue:
        return ListedIssue(
            key=str(number),
            title=task.title,
            url="",
            state=TICKED if task.ticked else OPEN,
            comments=0,
            origin=f"{self.file}:{task.line}",
        )

    async def _tasks(self) -> list[Task]:
        return all_tasks(await asyncio.to_thread(_load, self.repo, self.file))


def _load(repo: str, file: str) -> str:
    """The file's text, if it is one of the repository's own."""
    root = Path(repo).resolve()
    path = (root / file).resolve()
    if not file or not path.is_relative_to(root):
        raise BadInput(f"{file or 'a task list'} is no file of {repo}")
    try:
        with path.open("rb") as opened:
            data = opened.read(LARGEST + 1)
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NotFound(f"the task list {path} cannot be read: {error}") from error
    if len(data) > LARGEST:
        raise BadInput(f"{path} is larger than {LARGEST // 1024} kB")
    return text
