"""Real agents do their everyday work in a full box, and it is on the branch outside."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.box.network.test_way_out import make_wheel
from tests.conformance.hubs import home_of, hub_of
from tests.conformance.subjects import CLAUDE, CODEX, OPENCODE, Place, Step, Subject, script
from tests.support.boxed_network import http_host
from tests.support.driver import Json, RunningHub, eventually, of_type

BOXED = (CLAUDE, CODEX, OPENCODE)
HOOK = "#!/bin/sh\ntouch hooked\necho hook > {outside} || true\n"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    with hub_of(tmp_path_factory.mktemp("boxed"), BOXED, box="full") as running:
        yield running


def begun(hub: RunningHub, subject: Subject, *steps: Step, network: str = "open") -> Json:
    """A session that has done these steps, in `auto`, and asked for nothing."""
    session = hub.new(script(*steps, {"text": "Done."}), agent=subject.name, network=network)
    [done] = hub.wait_idle(session["id"])
    events = hub.events(session["id"])
    assert of_type(events, "permission_requested") == []
    assert (done["box"], done["box_detail"]["network"]) == ("full", network), done
    return done


def log(hub: RunningHub, session: Json) -> str:
    return hub.git("log", "--format=%s", f"main..{session['branch']}", cwd=hub.repo)


def worktree_of(hub: RunningHub, subject: Subject, session: Json) -> Place:
    return Place(Path(), Path(session["worktree"]), hub.model_url)


@pytest.mark.parametrize("subject", BOXED, ids=lambda subject: subject.name)
def test_a_turn_writes_and_commits_and_the_branch_outside_has_it(
    hub: RunningHub, subject: Subject
) -> None:
    hub.change_repo()
    outside = hub.root / f"outside-{subject.name}"
    hook = hub.repo / ".git/hooks/pre-commit"
    hook.write_text(HOOK.format(outside=outside))
    hook.chmod(0o755)
    hub.post("/api/repos/trust", {"path": str(hub.repo)})
    session = begun(hub, subject, {"text": "Hello."})
    place = worktree_of(hub, subject, session)
    commit = "git add made.txt && git commit -q -m Made && git log -1 --format=%s"
    hub.say(
        session["id"],
        script(subject.write(place, "made.txt", "made\n"), subject.run(commit), {"text": "Done."}),
    )
    hub.wait_idle(session["id"])
    assert (place.worktree / "made.txt").read_text() == "made\n"
    assert log(hub, session) == "Made\n"
    assert (place.worktree / "hooked").exists()
    assert not outside.exists()
    assert hub.git("status", "--porcelain", cwd=place.worktree) == "?? hooked\n"


@pytest.mark.parametrize("subject", BOXED, ids=lambda subject: subject.name)
def test_everyday_git_works_in_the_box_and_nothing_else_of_the_repository_changes(
    hub: RunningHub, subject: Subject
) -> None:
    hub.change_repo()
    before = hub.git("for-each-ref", "refs/heads/main", "refs/tags", "refs/stash", cwd=hub.repo)
    work = (
        "echo 1 > one && git add one && git commit -qm One",
        "echo 2 > two && git add two && git commit -qm Two && git commit -q --amend -m Second",
        "echo 3 >> one && git stash -q && git stash pop -q && git checkout -q one",
        "git tag made && git branch aside HEAD~1 && GIT_SEQUENCE_EDITOR=: git rebase -q -i HEAD~1",
        "git switch -q aside && echo 4 > four && git add four && git commit -qm Aside",
        "git switch -q - && git cherry-pick aside >/dev/null && git log --format=%s main..",
    )
    session = begun(hub, subject, *(subject.run(line) for line in work))
    assert log(hub, session) == "Aside\nSecond\nOne\n"
    after = hub.git("for-each-ref", "refs/heads/main", "refs/tags", "refs/stash", cwd=hub.repo)
    assert before == after


def test_claude_works_with_a_listed_network_and_its_notes_stay_the_users(hub: RunningHub) -> None:
    hub.change_repo()
    notes = home_of(hub.root, CLAUDE) / ".claude.json"
    notes.write_text('{"hasCompletedOnboarding": true}')
    line = "echo made > made.txt && git add made.txt && git commit -qm Listed"
    session = begun(hub, CLAUDE, CLAUDE.run(line), network="listed")
    assert log(hub, session) == "Listed\n"
    assert notes.read_text() == '{"hasCompletedOnboarding": true}'


@pytest.mark.parametrize("network", ["open", "listed"])
def test_a_server_that_an_agent_started_answers_outside(hub: RunningHub, network: str) -> None:
    hub.change_repo()
    line = "nohup python3 -m http.server $PORT --bind 127.0.0.1 > /dev/null 2>&1 & echo begun"
    session = begun(hub, CLAUDE, CLAUDE.run(line), network=network)
    [port] = session["ports"].values()
    said = eventually(lambda: fetched(f"http://127.0.0.1:{port}/README.md"))
    assert said == "# Sample\n"


def fetched(url: str) -> str:
    with suppress(OSError), urlopen(url, timeout=5) as answer:
        return str(answer.read().decode())
    return ""


INSTALL = """\
set -e
python3 -m venv v
export PIP_CONFIG_FILE=/dev/null
v/bin/pip install -q --disable-pip-version-check --index-url http://127.0.0.1:$1/simple handy
v/bin/python -c 'import handy; print(handy.HANDS)' > hands
echo '{}' > package.json
npm install --silent --no-audit --no-fund --offline=false --registry http://127.0.0.1:$1/ handy
"""


def test_packages_are_installed_from_a_registry_of_this_machine(
    hub: RunningHub, tmp_path: Path
) -> None:
    hub.change_repo()
    wheel, package = make_wheel(tmp_path), make_package(tmp_path)

    def registry(request: BaseHTTPRequestHandler) -> bytes:
        place = f"http://{request.headers['Host']}"
        if request.path.endswith((".whl", ".tgz")):
            return (wheel if request.path.endswith(".whl") else package).read_bytes()
        if request.path.startswith("/simple"):
            return f'<a href="/files/{wheel.name}">{wheel.name}</a>'.encode()
        dist = {"tarball": f"{place}/handy/-/{package.name}"}
        version = {"name": "handy", "version": "1.0.0", "dist": dist}
        about = {"name": "handy", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
        return json.dumps(about).encode()

    (hub.repo / "install.sh").write_text(INSTALL)
    hub.git("add", "install.sh", cwd=hub.repo)
    hub.git("commit", "-qm", "How to install", cwd=hub.repo)
    with http_host(registry) as port:
        session = begun(hub, CLAUDE, CLAUDE.run(f"sh install.sh {port}"))
    worktree = Path(session["worktree"])
    assert (worktree / "hands").read_text() == "2\n"
    assert (worktree / "node_modules/handy/index.js").read_text() == "exports.hands = 2\n"


def make_package(place: Path) -> Path:
    package = place / "handy-1.0.0.tgz"
    files = {"package.json": '{"name": "handy", "version": "1.0.0"}'}
    with tarfile.open(package, "w:gz") as file:
        for name, text in {**files, "index.js": "exports.hands = 2\n"}.items():
            about = tarfile.TarInfo(f"package/{name}")
            about.size = len(text)
            file.addfile(about, io.BytesIO(text.encode()))
    return package


def test_a_hub_that_is_killed_in_a_turn_loses_no_commit(hub: RunningHub) -> None:
    hub.change_repo()
    first = "echo 1 > one && git add one && git commit -qm One && touch ready"
    wait = "while [ ! -e go ]; do sleep 0.05; done"
    second = "echo 2 > two && git add two && git commit -qm Two"
    steps = (CLAUDE.run(first), CLAUDE.run(wait), CLAUDE.run(second), {"text": "Done."})
    session = hub.new(script(*steps), agent="claude")
    worktree = Path(session["worktree"])
    eventually((worktree / "ready").exists)
    hub.kill()
    eventually(lambda: log(hub, session) == "One\n")
    (worktree / "go").touch()
    eventually(lambda: log(hub, session) == "Two\nOne\n")
    hub.start()
    hub.wait_idle(session["id"])
    assert log(hub, session) == "Two\nOne\n"
