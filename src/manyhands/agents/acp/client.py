"""Our end of the protocol: what an agent may ask of us and tell us.

We offer neither files nor terminals: the agent works in its worktree itself, and the watcher
sees what it did. Some ask for them all the same, and do it by themselves when they are refused.
"""

from __future__ import annotations

import logging
from typing import Any

from acp.exceptions import RequestError
from acp.schema import RequestPermissionRequest, SessionNotification
from pydantic import ValidationError

from manyhands.agents.acp.gate import Gate

log = logging.getLogger(__name__)


class Client:
    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def handle(self, method: str, params: Any, is_notification: bool) -> Any:
        match method:
            case "session/update":
                self._update(params)
                return None
            case "session/request_permission":
                request = RequestPermissionRequest.model_validate(params)
                return await self._gate.permission(request)
            case "elicitation/create":
                return await self._gate.form(params)
        if is_notification:
            return None  # a later protocol's, or the agent's own
        raise RequestError.method_not_found(method)

    def _update(self, params: Any) -> None:
        """One that we do not understand is one of a later protocol: the rest goes on."""
        try:
            found = SessionNotification.model_validate(params)
        except ValidationError:
            log.warning("an update is not understood: %.300s", params)
            return
        self._gate.stream.take(found.update)
