"""Drive one real Claude Code as told on stdin, and say on stdout what it did.

It runs as a process of its own because the SDK hands its whole environment to the agent:
whoever starts the driver builds that environment.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from manyhands.agents.claude.sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    Message,
    PermissionResult,
    PermissionResultAllow,
    PermissionResultDeny,
    PermissionUpdate,
    ResultMessage,
    StreamEvent,
    ToolPermissionContext,
    UserMessage,
)


def say(kind: str, **fields: Any) -> None:
    print(json.dumps({"kind": kind, **fields}), flush=True)


class Driver:
    def __init__(self, order: dict[str, Any]) -> None:
        self.order = order

    async def decide(
        self, tool: str, given: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        say("asked", tool=tool, input=given)
        if any(words in str(given) for words in self.order.get("hang", ())):
            await asyncio.Event().wait()
        if tool == "AskUserQuestion":
            answers = {item["question"]: self.order["choose"] for item in given["questions"]}
            return PermissionResultAllow(updated_input={**given, "answers": answers})
        if tool == "ExitPlanMode":
            mode = PermissionUpdate(type="setMode", mode="acceptEdits", destination="session")
            return PermissionResultAllow(updated_permissions=[mode])
        if tool in self.order.get("deny", ()):
            return PermissionResultDeny(message="Not this one.")
        return PermissionResultAllow()

    async def run(self) -> None:
        options = ClaudeAgentOptions(
            cwd=self.order["cwd"],
            permission_mode=self.order.get("mode", "default"),
            resume=self.order.get("resume"),
            model=self.order.get("model"),
            can_use_tool=self.decide,
            include_partial_messages=True,
        )
        async with ClaudeSDKClient(options) as client:
            for prompt in self.order["prompts"]:
                await client.query(prompt)
                await self.follow(client)

    async def follow(self, client: ClaudeSDKClient) -> None:
        async for message in client.receive_response():
            self.tell(message)
            if isinstance(message, UserMessage) and "steer" in self.order:
                await client.query(self.order.pop("steer"))
                Path(self.order["cwd"], "steered").touch()

    def tell(self, message: Message) -> None:
        if isinstance(message, StreamEvent):
            if message.event["type"] == "content_block_delta":
                say("delta", delta=message.event["delta"], agent=message.parent_tool_use_id)
        elif isinstance(message, ResultMessage):
            say("result", **asdict(message))
        else:
            say(type(message).__name__, message=asdict(message))


asyncio.run(Driver(json.load(sys.stdin)).run())
