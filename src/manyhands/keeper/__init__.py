"""The process that owns one live session: its agent, its watcher, and what the hub must learn."""
