"""The command line: one module per command, named like the hub's operations."""
