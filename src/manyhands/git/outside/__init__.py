"""Beyond the repository: git with the user's credentials, and hooks, which never see them."""
