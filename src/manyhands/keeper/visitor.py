"""Who may speak to a keeper: the hub of its home, which is whoever holds the hub's lock.

The socket is private to the user, but what an agent starts runs as the user too. So the kernel is
asked which process has connected. What runs below a keeper, or carries a session's mark, is turned
away even if it took the lock while no hub ran.
"""

from __future__ import annotations

import os
from pathlib import Path

from manyhands.model.wire import KeeperSpec
from manyhands.process.holder import holds
from manyhands.process.lineage import kept_session, session_behind


def is_hub(spec: KeeperSpec, pid: int) -> bool:
    run = Path(spec.lock).parent

    def kept_by(one: int) -> str:
        return spec.session if one == os.getpid() else kept_session(run, one)

    def is_session(mark: str) -> bool:
        return mark == spec.session or (run / f"{mark}.lock").exists()

    if not pid or session_behind(pid, is_session, kept_by):
        return False
    return not spec.hub_lock or holds(pid, Path(spec.hub_lock))
