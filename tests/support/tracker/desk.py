"""A hub and all its trackers, as tests use them together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.support.driver import Json, eventually, of_type
from tests.support.forge.github_server import GitHubServer
from tests.support.forge.hub import CONFIG, ForgeHub
from tests.support.told_agent import configured, said, tell
from tests.support.tracker.jira_server import JiraServer
from tests.support.tracker.linear_server import LinearServer

TASKS = "- [ ] Greet everyone\n  - [ ] politely\n- [x] Count everyone\n- Smile\n"


@dataclass
class Desk:
    hub: ForgeHub
    forge: GitHubServer
    linear: LinearServer
    jira: JiraServer

    def configure(self, linear: str = "write = true", jira: str = "", more: str = "") -> None:
        """The tokens are all in one variable of the hub's, whatever each is called."""
        self.linear.token = self.hub.token_value
        self.jira.token = f"Bearer {self.hub.token_value}"
        token = 'token = "env:FORGE_TOKEN"'
        self.hub.configure(
            f"{CONFIG}{configured('told')}"
            f'[trackers.eng]\nkind = "linear"\nteam = "ENG"\nurl = "{self.linear.url}"\n{token}\n'
            f'{linear}\n[trackers.proj]\nkind = "jira"\nproject = "PROJ"\nurl = "{self.jira.url}"\n'
            f'{token}\n{jira}\n[trackers.tasks]\nkind = "tasks"\nfile = "tasks.md"\n{more}'
        )

    def issues(self, **asked: Any) -> list[Json]:
        query = urlencode({"repo": str(self.hub.repo), **asked}, doseq=True)
        found: list[Json] = self.hub.get(f"/api/issues?{query}")
        return found

    def session(self, issue: str, *, committed: bool = False, **more: Any) -> Json:
        """For an issue, with a file of its own in it."""
        made = self.hub.new("", issue=issue, start=False, **more)
        if committed:
            (Path(made["worktree"]) / f"{made['slug']}.txt").write_text("hello\n")
            self.hub.act(made["id"], "commit", message=f"Work on {issue}")
        return made

    def at_work(self, issue: str) -> Json:
        """Whose agent has had a turn."""
        made = self.hub.new(tell(said("Done.")), issue=issue, agent="told")
        self.hub.wait_idle(made["id"])
        return made

    def told(self, session: Json, stage: str) -> Json:
        """The event, once the tracker was told that it is so far."""

        def found() -> Json:
            events = of_type(self.hub.events(session["id"]), "issue_stage_announced")
            return next((event for event in events if event["stage"] == stage), None)

        return eventually(found)

    def item(self, session: Json) -> Json:
        """The session's one open item."""

        def found() -> Json:
            return next(iter(self.hub.show(session["id"])["attention"]), None)

        return eventually(found)
