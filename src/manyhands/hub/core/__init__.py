"""What every operation needs, by one door; imports no operation.

The vocabulary of jobs is in `core/work.py`.
"""

from manyhands.hub.core.attention import fresh_item
from manyhands.hub.core.feed import Feed
from manyhands.hub.core.hub import Hub, Reactor
from manyhands.hub.core.jobs import Jobs
from manyhands.hub.core.names import (
    agent_environment,
    require_living,
    require_ready,
    require_session,
    require_worktree,
    worktree_of,
)
from manyhands.hub.core.rounds import Rounds
from manyhands.hub.core.views import view_of

__all__ = [
    "Feed",
    "Hub",
    "Jobs",
    "Reactor",
    "Rounds",
    "agent_environment",
    "fresh_item",
    "require_living",
    "require_ready",
    "require_session",
    "require_worktree",
    "view_of",
    "worktree_of",
]
