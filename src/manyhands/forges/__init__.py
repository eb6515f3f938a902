"""Forges: where issues come from and pull requests go."""
