"""Manyhands: many coding agents in parallel on one repository, one person in command."""

__version__ = "0.1.0"
