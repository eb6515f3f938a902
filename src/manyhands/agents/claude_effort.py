"""The effort of a running Claude Code: the one thing that its SDK has no method for.

The program takes it by the same control requests as mode and model; only how the SDK sends those
is not public. Should a newer SDK send them otherwise, it is told here, and nothing else breaks.
"""

from __future__ import annotations

from claude_agent_sdk import ClaudeSDKClient

from manyhands.errors import AgentFailed

SENDER = "_send_control_request"


async def send_effort(client: ClaudeSDKClient, effort: str) -> None:
    """Empty: as the program has it by itself."""
    send = getattr(client._query, SENDER, None)
    if send is None:
        raise AgentFailed(
            "this version of the Claude Agent SDK cannot change the effort of a running agent",
            hint="it holds from the next start of the agent",
        )
    await send({"subtype": "apply_flag_settings", "settings": {"effortLevel": effort or None}})
