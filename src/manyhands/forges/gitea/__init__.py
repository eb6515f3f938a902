"""Gitea and Forgejo, which speak alike."""
