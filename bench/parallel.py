"""Twenty real agents at once: through the hub, and by the bare SDK in plain worktrees.

Both play the same scripts with the same bundled Claude Code against the same scripted model.
Both are warm, as in daily use: the hub is up with its nursery, and the bare process has the
SDK imported. The time runs from the first creation to the end of the last turn, worktrees
included. Stopping the agents is part of neither: they linger beyond the end. The files lie in
memory where there is room, so that neither side pays for its luck on a disk.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.figures import Measured, at_most
from bench.stream import Event, Stream, open_stream
from bench.world import World, in_memory, model_variables, open_world, tell, told
from manyhands.contract.sessions import SessionView

AGENTS = 20
BAR = 1.25
CONFIG = f"[limits]\nworking = {AGENTS}\nlinger_seconds = 25.0\n"
ROUND_SECONDS = 180.0
TROUBLE = {"session_failed", "permission_requested", "question_asked", "attention_raised"}


def measure(*, quick: bool = False) -> Measured:
    rounds = 3 if quick else 7
    with open_world(CONFIG, within=in_memory()) as world:
        world.start_model()
        world.start_hub()
        template = world.repository("template")
        bare = start_bare(world)
        samples = asyncio.run(_rounds(world, template, bare, rounds))
    ours, plain = (statistics.median(samples[name]) for name in ("ours", "bare"))
    what = f"{AGENTS} parallel sessions ÷ bare claude-agent-sdk (medians of {rounds})"
    return Measured(
        bars=[at_most(what, ours / plain, BAR, "×")],
        notes=[
            f"ours {ours:.2f} s, bare {plain:.2f} s, creation of worktrees included in both",
            "warm: hub and nursery up, and claude_agent_sdk imported in the bare process",
        ],
        samples=samples,
    )


def start_bare(world: World) -> subprocess.Popen[str]:
    world.environment |= model_variables(world.model_url)
    bare = world.start(sys.executable, "-m", "bench.bare_sdk")
    told(bare)
    return bare


async def _rounds(
    world: World, template: Path, bare: subprocess.Popen[str], rounds: int
) -> dict[str, list[Any]]:
    samples: dict[str, list[Any]] = {"ours": [], "bare": [], "created": [], "first_words": []}
    async with open_stream(world.home) as stream:
        # One round to warm what both share: page cache, model, agent's own files in HOME.
        for number in range(-1, rounds):
            agents = AGENTS if number >= 0 else 2
            for play in (_play_bare, _play_ours) if number % 2 else (_play_ours, _play_bare):
                repo = await _fresh(world, template, f"{play.__name__[6:]}-{number}")
                took = await play(world, stream, bare, repo, agents)
                _require_done(repo, agents)
                if number >= 0:
                    for name, value in took.items():
                        samples[name].append(value)
                print(number, {k: round(v, 2) for k, v in took.items()}, file=sys.stderr)
                shutil.rmtree(repo)
    return samples


async def _fresh(world: World, template: Path, name: str) -> Path:
    repo = world.place / name
    await asyncio.to_thread(shutil.copytree, template, repo)
    return repo


async def _play_bare(
    world: World, stream: Stream, bare: subprocess.Popen[str], repo: Path, agents: int
) -> dict[str, float]:
    tell(
        bare, repo=str(repo), place=str(world.place / f"{repo.name}-trees"), prompts=prompts(agents)
    )
    return {"bare": (await asyncio.to_thread(told, bare))["seconds"]}


async def _play_ours(
    world: World, stream: Stream, bare: subprocess.Popen[str], repo: Path, agents: int
) -> dict[str, float]:
    await asyncio.to_thread(world.trust, repo)
    stream.events.clear()
    began = time.monotonic()
    requests = [_request(repo, number, text) for number, text in enumerate(prompts(agents))]
    made = await asyncio.to_thread(_new_at_once, world, requests)
    created = time.monotonic()
    ours = {str(session.id) for session in made}
    ended = await stream.until(lambda ev: _is_end(ev, ours), agents, ROUND_SECONDS)
    words = [at for at, ev in stream.events if ev["type"] == "tool_called"]
    await stream.until(lambda ev: ev["type"] == "keeper_exited", agents, 120)
    return {"ours": ended - began, "created": created - began, "first_words": words[0] - began}


def _new_at_once(world: World, requests: list[dict[str, Any]]) -> list[SessionView]:
    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(world.client.new, requests))


def _is_end(event: Event, sessions: set[str]) -> bool:
    if event["type"] in TROUBLE:
        raise RuntimeError(f"a session did not just work: {event}")
    return event["type"] == "turn_finished" and event["session"] in sessions


def _request(repo: Path, number: int, text: str) -> dict[str, Any]:
    return {
        "repo": str(repo),
        "text": text,
        "name": f"Task {number}",
        "agent": "rehearsal",
        "mode": "auto",
    }


def prompts(agents: int) -> list[str]:
    return [
        f"Task {number}. <<SCRIPT {json.dumps(_steps(number))} SCRIPT>>" for number in range(agents)
    ]


def _steps(number: int) -> list[dict[str, Any]]:
    file = f"note{number}.md"
    who = "-c user.name=Bench -c user.email=bench@example.invalid"
    commit = f"wc -l {file} && git add -A && git {who} commit -q -m 'Note {number}'"
    change = {"file_path": file, "old_string": "second", "new_string": "changed"}
    return [
        {"tool": "Write", "input": {"file_path": file, "content": "first\nsecond\nthird\n"}},
        {"tool": "Bash", "input": {"command": "ls src | wc -l"}},
        {"text": "Now the change itself.", "tool": "Edit", "input": change},
        {"tool": "Bash", "input": {"command": commit}},
        {"text": f"Note {number} is written, changed and committed. " * 5},
    ]


def _require_done(repo: Path, agents: int) -> None:
    """Both variants must have done the work: a commit on a branch of its own for each agent."""
    argv = ["git", "log", "--branches", "--format=%s", "--grep=^Note "]
    done = subprocess.run(argv, cwd=repo, capture_output=True, text=True, check=True).stdout
    if len(done.splitlines()) != agents:
        raise RuntimeError(f"{len(done.splitlines())} of {agents} agents committed")
