"""What the user's config says of a tracker, and how a token is named in it: never by itself."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

TOKENS = r"env:[A-Za-z_]\w*|keyring:[^/]+/.+|file:.+|command:.+"
"""The ways to name a token that every forge and tracker knows."""
TrackerKind = Literal["linear", "jira", "github", "gitlab", "gitea", "tasks"]
_TRACKER_TOKENS = {"linear": "env:LINEAR_API_KEY", "jira": "env:JIRA_API_TOKEN"}


class TrackerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where issues are kept beside the repository's own forge, or what may be done there."""

    kind: TrackerKind
    url: str = ""
    """Jira: the site. A forge: the site, if not the remote's. Linear: its API."""
    team: str = ""
    """Linear: the team's key."""
    project: str = ""
    """Jira: the project's key. A forge: `owner/name`; empty: the repository's own."""
    file: str = ""
    """A task list: the Markdown file in the repository."""
    query: str = ""
    """Jira: a condition (JQL) that every listed issue must meet."""
    repos: tuple[str, ...] = ()
    """The repositories that it is for, by path; empty: all."""
    user: str = ""
    """Jira Cloud: the address of the account that the token belongs to."""
    token: Annotated[str, msgspec.Meta(pattern=rf"^({TOKENS})?$")] = ""
    """A reference as for a forge; empty: env:LINEAR_API_KEY, env:JIRA_API_TOKEN, the forge's."""
    api: Literal[2, 3] = 3
    """Jira: 2 for Server and Data Center."""
    issue_type: str = "Task"
    """Jira: what new issues are."""
    write: bool = False
    """Whether an issue's state follows the session that works on it, and comments are written."""
    in_progress: str = ""
    in_review: str = ""
    done: str = ""
    """Names of the states, on a forge of labels; empty: found by their kind."""
    timeout_seconds: Annotated[float, msgspec.Meta(gt=0)] = 30.0

    @property
    def token_reference(self) -> str:
        return self.token or _TRACKER_TOKENS.get(self.kind, "")
