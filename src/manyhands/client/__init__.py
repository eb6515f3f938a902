"""The hub's client: `connection` speaks HTTP, `calls` knows the operations, `feed` follows."""
