"""GitHub, github.com and Enterprise."""
