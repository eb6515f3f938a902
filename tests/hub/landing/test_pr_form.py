"""What a pull request is made from: forks, templates, stacks, and what a form offers."""

from __future__ import annotations

from pathlib import Path

from tests.support.driver import Json
from tests.support.forge.github_server import Fault, GitHubServer
from tests.support.forge.hub import ForgeHub


def plan(hub: ForgeHub, id: str, **query: str) -> Json:
    return hub.get(f"/api/sessions/{id}/pr/plan", **query)


def with_files(hub: ForgeHub, files: dict[str, str]) -> Json:
    session = hub.work(committed=False)
    for name, text in files.items():
        path = Path(session["worktree"]) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    hub.act(session["id"], "commit", message="Greet")
    return session


def test_a_form_is_offered_all_that_it_can_ask_for(hub: ForgeHub, forge: GitHubServer) -> None:
    session = with_files(hub, {".manyhands.toml": '[checks]\nrun = ["true"]\n'})
    offered = plan(hub, session["id"])
    assert (offered["title"], offered["base"], offered["bases"][0]) == (
        session["title"],
        "main",
        "main",
    )
    assert (offered["labels"], offered["reviewers"]) == (["bug", "greeting"], ["casey", "dana"])
    assert (offered["checks"], offered["stacked"], offered["notes"]) == (["true"], "", [])
    assert session["branch"] not in offered["bases"]
    forge.faults.append(Fault("GET", "/(labels|assignees)", 403, times=2))
    assert (plan(hub, session["id"])["labels"], plan(hub, session["id"])["title"]) == (
        [],
        session["title"],
    )


def test_of_several_templates_one_is_chosen(hub: ForgeHub, forge: GitHubServer) -> None:
    session = with_files(
        hub,
        {
            ".github/PULL_REQUEST_TEMPLATE/bug.md": "## Summary\n\n## Bug\n",
            ".github/PULL_REQUEST_TEMPLATE/Feature.md": "## What\n\n## Screenshots\n",
        },
    )
    id = session["id"]
    offered = plan(hub, id)
    assert (offered["templates"], offered["template"]) == (["Feature", "bug"], "")
    assert "choose one: Feature, bug" in offered["notes"][0]
    chosen = plan(hub, id, template="feature")
    assert (chosen["template"], "## Screenshots" in chosen["body"]) == ("Feature", True)
    assert "no template 'x'" in hub.refusal(id, "pr", template="x").message
    hub.act(id, "pr", template="bug")
    [pull] = forge.state.pulls.values()
    assert pull.body.startswith("## Summary\n\n")
    assert "## Bug" in pull.body
    assert plan(hub, id)["existing_body"] == pull.body


def test_from_a_fork_the_issue_is_named_with_its_own_repository(
    hub: ForgeHub, forge: GitHubServer
) -> None:
    forge.state.add_issue(12, "Greet people", "They want it.")
    fork = forge.remote.replace("acme/", "casey/")
    hub.git("remote", "set-url", "origin", fork, cwd=hub.repo)
    hub.trust()
    session = hub.work("from-a-fork", issue=12)
    hub.act(session["id"], "pr")
    [pull] = forge.state.pulls.values()
    assert pull.owner == "casey"
    assert "Closes casey/widgets#12" in pull.body


def test_that_there_are_no_checks_to_run_first_is_said(hub: ForgeHub, forge: GitHubServer) -> None:
    session = hub.work()
    [note] = hub.act(session["id"], "pr", check=True)["notes"]
    assert "has no [checks]" in note
