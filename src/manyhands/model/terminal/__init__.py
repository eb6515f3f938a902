"""Terminals of a session: what is on record of them, and what passes to whoever looks at one."""
