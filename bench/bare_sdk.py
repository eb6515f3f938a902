"""The plain way: one process, one SDK client per worktree, every tool call allowed.

Orders come as JSON lines on stdin, times go out on stdout. The process lives through all
rounds, so the SDK is imported before the first one.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    ResultMessage,
    ToolPermissionContext,
)


async def allow(
    tool: str, given: dict[str, Any], context: ToolPermissionContext
) -> PermissionResultAllow:
    return PermissionResultAllow()


async def play(repo: str, place: Path, prompts: list[str]) -> float:
    place.mkdir()
    began = time.monotonic()
    async with AsyncExitStack() as clients:
        async with asyncio.TaskGroup() as tasks:
            # One after the other, as git 2.39 fails now and then where they meet; an agent
            # starts as soon as its worktree is there.
            for number, prompt in enumerate(prompts):
                await _add_worktree(repo, place / str(number), number)
                tasks.create_task(_work(clients, place / str(number), prompt))
        # Stopping the agents is not part of the work.
        return time.monotonic() - began


async def _add_worktree(repo: str, tree: Path, number: int) -> None:
    words = ("worktree", "add", "-q", "--no-track", "-b", f"plain/{number}", str(tree), "main")
    git = await asyncio.create_subprocess_exec("git", "-C", repo, *words)
    if await git.wait():
        raise RuntimeError(f"no worktree {tree}")


async def _work(clients: AsyncExitStack, tree: Path, prompt: str) -> None:
    client = ClaudeSDKClient(ClaudeAgentOptions(cwd=tree, can_use_tool=allow))
    await client.connect()
    clients.push_async_callback(client.disconnect)
    await client.query(prompt)
    async for message in client.receive_response():
        if isinstance(message, ResultMessage) and message.is_error:
            raise RuntimeError(f"the turn failed: {message.result}")


def main() -> None:
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        seconds = asyncio.run(play(order["repo"], Path(order["place"]), order["prompts"]))
        print(json.dumps({"seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
