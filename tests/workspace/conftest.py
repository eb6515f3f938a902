"""Repositories to make workspaces of, and a hub of a test's own."""

from __future__ import annotations

from tests.support.workspace_hub import hub, make_hub, repo, worktree

__all__ = ["hub", "make_hub", "repo", "worktree"]
