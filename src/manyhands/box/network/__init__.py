"""The network of a box: a space of its own, and the ways that lead out of it."""
