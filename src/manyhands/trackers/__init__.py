"""Trackers: where issues are kept, whichever service or file that is."""
