"""Repositories, and what of them a person trusted."""
