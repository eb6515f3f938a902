"""Spawn, pipes, exit, stop: the only place that starts a process or sends a signal."""
