"""In a HOME of its own the rehearsal agent can commit, in a repository that names nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.driver import RunningHub, bash, script


@pytest.mark.parametrize(
    ("known", "author"),
    [
        ("Test Person", "Test Person <person@example.invalid>"),
        ("", "Rehearsal <rehearsal@localhost>"),
    ],
)
def test_it_commits_as_the_user_or_where_git_knows_none_as_somebody(
    tmp_path: Path, known: str, author: str
) -> None:
    with RunningHub(tmp_path / "hub") as hub:
        hub.start_model()
        hub.make_repo()
        if not known:
            (hub.user / ".gitconfig").write_text("")
        made = hub.new(
            script(bash("echo new > new.txt; git add -A; git commit -qm New")), mode="auto"
        )
        hub.wait_idle(made["id"])
        seen = hub.git("log", "-1", "--format=%an <%ae> %s", cwd=Path(made["worktree"]))
    assert seen.strip() == f"{author} New"
