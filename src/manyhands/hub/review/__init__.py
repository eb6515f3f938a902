"""Comments, what became of them, and verdicts."""
