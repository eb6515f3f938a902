"""A hub that the tests of reviews share, and a session of a test's own with code in it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.support.driver import ACTOR, Json, RunningHub

CODE = "".join(f"line {n}\n" for n in range(1, 41))
_names = itertools.count(1)


class Reviewed:
    """A session under review, with its worktree at hand."""

    def __init__(self, hub: RunningHub, session: Json) -> None:
        self.hub = hub
        self.id: str = session["id"]
        self.worktree = Path(session["worktree"])

    def ask(self, what: str = "", **query: object) -> Json:
        asked = urlencode({k: str(v).lower() if v is True else v for k, v in query.items()})
        return self.hub.get(f"/api/sessions/{self.id}/review{what}?{asked}")

    def do(self, what: str, **body: object) -> Json:
        return self.hub.post(f"/api/sessions/{self.id}/review/{what}", body)

    def files(self, against: str = "base", **query: object) -> dict[str, Json]:
        listed = self.ask("/diff", against=against, **query)["files"]
        return {file["path"]: file for file in listed}

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.worktree / path
        file.write_text(file.read_text().replace(old, new, 1))

    def comment(self, path: str = "code.py", start: int = 10, end: int = 0, **more: object) -> Json:
        asked = {"path": path, "start": start, "end": end or start, "text": "Why?", **more}
        return self.do("comments", **asked)

    def comments(self) -> dict[str, Json]:
        return {comment["id"]: comment for comment in self.ask()["comments"]}

    def view(self, path: str) -> Json:
        return self.do("viewed", path=path, blob=self.files()[path]["new_blob"])


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    with RunningHub(tmp_path_factory.mktemp("hub"), working=8, agent=ACTOR) as running:
        repo = running.make_repo()
        (repo / "code.py").write_text(CODE)
        (repo / "flake.lock").write_text("{}\n")
        (repo / "old_name.txt").write_text(CODE)
        running.git("add", "-A", cwd=repo)
        running.git("commit", "-q", "-m", "Code", cwd=repo)
        yield running


@pytest.fixture
def session(hub: RunningHub) -> Reviewed:
    """No agent: the tests are the ones who edit."""
    made = hub.new("x", start=False, name=f"Review {next(_names)}")
    return Reviewed(hub, hub.wait_idle(made["id"])[0])
