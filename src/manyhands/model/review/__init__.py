"""Comments, anchors and verdicts."""
