"""Cars and checks for tests of the train."""

from __future__ import annotations

from pathlib import Path

from tests.support.driver import Json, RunningHub, eventually

ENDED = ("landed", "failed", "conflicted", "removed")


def with_checks(hub: RunningHub, *commands: str) -> None:
    listed = ", ".join(f"'''{command}'''" for command in commands)
    (hub.repo / ".manyhands.toml").write_text(f"[checks]\nrun = [{listed}]\n")
    commit(hub, hub.repo, "Checks")
    hub.post("/api/repos/trust", {"path": str(hub.repo)})


def commit(hub: RunningHub, place: Path, message: str) -> None:
    hub.git("add", "-A", cwd=place)
    hub.git("commit", "-q", "-m", message, cwd=place)


def session(hub: RunningHub, name: str, files: dict[str, str], agent: str = "rehearsal") -> Json:
    """With its work committed."""
    made = hub.new("", name=name, start=False, agent=agent)
    hub.wait_idle(made["id"])
    change(hub, made, files)
    return made


def change(hub: RunningHub, made: Json, files: dict[str, str]) -> None:
    worktree = Path(made["worktree"])
    for path, text in files.items():
        (worktree / path).write_text(text)
    commit(hub, worktree, f"{made['title']}: {', '.join(files)}")


def board(hub: RunningHub, *sessions: Json, **how: object) -> list[Json]:
    cars: list[Json] = hub.post("/api/train/add", {"sessions": [s["id"] for s in sessions], **how})
    return cars


def train(hub: RunningHub) -> Json:
    """The one of the test's own repository."""
    found = [lane for lane in hub.get("/api/train") if lane["repo"] == str(hub.repo)]
    assert len(found) == 1, found
    return found[0]


def cars(hub: RunningHub) -> dict[str, Json]:
    lane = train(hub)
    return {car["session"]: car for car in (*lane["cars"], *lane["left"])}


def state(hub: RunningHub, made: Json) -> str:
    return str(cars(hub)[made["id"]]["state"])


def until_ended(hub: RunningHub, *sessions: Json) -> list[Json]:
    """Their cars, once all have landed or left."""

    def ended() -> list[Json]:
        found = cars(hub)
        mine = [found[s["id"]] for s in sessions]
        done = all(car["state"] in ENDED and not car["position"] for car in mine)
        return mine if done and not any(car["mending"] for car in mine) else []

    return eventually(ended)


def at(hub: RunningHub, ref: str) -> str:
    return hub.git("rev-parse", ref, cwd=hub.repo).strip()


def subjects(hub: RunningHub, span: str) -> list[str]:
    """Of the first parents, the oldest first."""
    asked = ("log", "--reverse", "--first-parent", "--format=%s", span)
    return hub.git(*asked, cwd=hub.repo).splitlines()


def nothing_is_left(hub: RunningHub) -> bool:
    """No worktree, no ref: only what sessions have of their own."""
    worktrees = hub.git("worktree", "list", cwd=hub.repo)
    refs = hub.git("for-each-ref", "refs/manyhands/train", cwd=hub.repo)
    return "train-" not in worktrees and not refs
