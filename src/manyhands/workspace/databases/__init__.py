"""A branch of the data per session: SQLite files, Postgres databases, Neon branches."""
