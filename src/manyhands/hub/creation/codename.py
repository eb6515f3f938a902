"""Codenames: what a worktree's directory is called, for good, whatever the title becomes."""

from __future__ import annotations

import secrets
from pathlib import Path

from manyhands.config import Home
from manyhands.model.ids import fresh_id

_FIRST = """
amber azure bold brisk calm clear coral crisp dawn deft dusk fair fern firm fleet gentle glad golden
hazel ivory jade keen kind lively lunar mellow misty noble olive opal pale plain quick quiet rapid
ruby sage silver sleek solar spry steady still sunny swift teal tidy vivid
"""
_SECOND = """
alder aspen badger beech birch brook cedar crane creek dune egret elm falcon finch fjord fox glade
grove hare heron hill ibis jay kite lake lark linden lynx maple marten meadow moss oak orca otter
owl pine plover raven reef ridge robin rowan seal shore stoat swan tern vale wren
"""


def fresh_worktree(home: Home, repo: str) -> Path:
    """A place for a new worktree of the repository."""
    return home.worktrees / Path(repo).name / codename()


def codename() -> str:
    first, second = secrets.choice(_FIRST.split()), secrets.choice(_SECOND.split())
    return f"{first}-{second}-{fresh_id(4)}"
