"""What every operation needs, by one door; imports no operation.

The vocabulary of jobs is in `core/work.py`.
"""

from manyhands.hub.core.attention import fresh_item
from manyhands.hub.core.boxes import Boxes
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
from manyhands.hub.core.onlookers import Onlookers
from manyhands.hub.core.rounds import Rounds
from manyhands.hub.core.surroundings import (
    agent_surroundings,
    box_terms,
    machine_terms,
    rest_twin,
    settle_twin,
)
from manyhands.hub.core.views import terminal_views, view_of

__all__ = [
    "Boxes",
    "Feed",
    "Hub",
    "Jobs",
    "Onlookers",
    "Reactor",
    "Rounds",
    "agent_environment",
    "agent_surroundings",
    "box_terms",
    "fresh_item",
    "machine_terms",
    "require_living",
    "require_ready",
    "require_session",
    "require_worktree",
    "rest_twin",
    "settle_twin",
    "terminal_views",
    "view_of",
    "worktree_of",
]
