"""Claude Code by its Agent SDK."""
