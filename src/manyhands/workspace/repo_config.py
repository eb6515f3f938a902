"""`.manyhands.toml`: what a repository wants of its workspaces; inert until it is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from manyhands.config import parse_toml
from manyhands.errors import BadInput
from manyhands.model.box import BoxLevel, BoxWish, Network
from manyhands.model.box_config import BoxHost, BoxPath
from manyhands.model.service.spec import HEALTHY_SECONDS, Restart, ServiceName
from manyhands.workspace.private_places import require_not_private

FILE = ".manyhands.toml"
LARGEST = 256 * 1024
DEFAULT_PORTS = ("web",)
COPY = (
    "Patterns, as in .gitignore, of ignored or untracked files of the main checkout that come along"
    " beside every ignored .env*, or beside what .worktreeinclude names; ! before one leaves it out"
)

Command = Annotated[str, msgspec.Meta(min_length=1, max_length=8192)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
PortName = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,30}$")]


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class WorktreeTable(_Table, frozen=True, kw_only=True):
    copy: Annotated[tuple[str, ...], msgspec.Meta(description=COPY)] = ()
    branch: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] = "mh/{slug}"


class SetupTable(_Table, frozen=True, kw_only=True):
    run: tuple[Command, ...] | None = None
    """Shell commands; absent, they are detected from lock files, and `[]` means none."""
    timeout: Seconds | None = None
    start: Literal["after", "early"] = "after"
    """Whether the agent starts after the setup or beside it."""


class TeardownTable(_Table, frozen=True, kw_only=True):
    run: tuple[Command, ...] = ()
    timeout: Seconds | None = None


class ChecksTable(_Table, frozen=True, kw_only=True):
    run: tuple[Command, ...] = ()
    """Shell commands that must succeed on the merged tree before anything is merged here."""
    timeout: Seconds | None = None


class PortsTable(_Table, frozen=True, kw_only=True):
    names: Annotated[tuple[PortName, ...], msgspec.Meta(min_length=1, max_length=20)] = (
        DEFAULT_PORTS
    )


class DatabaseTable(_Table, frozen=True, kw_only=True):
    kind: Literal["sqlite", "postgres", "neon"]
    url: str = ""
    """The source, or `env:NAME` in the hub's environment; absent, it is `key` of the main
    checkout's .env."""
    key: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = "DATABASE_URL"
    source: str = ""
    """SQLite: the file, from the repository's top; absent, the one that the address names."""
    template: str = ""
    """Postgres: the database to copy; absent, the one that the address names."""
    project: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]{0,60}$")] = ""
    """Neon: the project's id."""
    branch: str = ""
    """Neon: the branch to start from, by name; absent, the project's default."""
    database: str = ""
    role: str = ""


class BoxTable(_Table, frozen=True, kw_only=True):
    level: BoxLevel | None = None
    """Absent, the user's own choice."""
    network: Network | None = None
    hosts: tuple[BoxHost, ...] = ()
    """For a listed network: names, or *.names."""
    read: tuple[BoxPath, ...] = ()
    write: tuple[BoxPath, ...] = ()
    """Places, from / or ~/, that are there beyond those found by themselves."""


class ServiceTable(_Table, frozen=True, kw_only=True):
    command: Command
    """A shell command that stays in the foreground; it sees its port as PORT."""
    port: PortName | None = None
    """One of the names of [ports]."""
    health: Annotated[str, msgspec.Meta(pattern=r"^(/[\x21-\x7e]*|tcp)?$", max_length=1000)] = "tcp"
    """A path that answers by HTTP with less than 400 once it is well; else its port counts."""
    timeout: Seconds = HEALTHY_SECONDS
    """How long it may take to be well."""
    autostart: bool = False
    """Whether it starts with the session's agent."""
    depends_on: Annotated[tuple[ServiceName, ...], msgspec.Meta(max_length=50)] = ()
    """Services that must be well first."""
    restart: bool | Restart = "never"
    """Whether it is started again after it ended; `true` is "on-failure"."""


class RepoConfig(_Table, frozen=True, kw_only=True):
    worktree: WorktreeTable = WorktreeTable()
    setup: SetupTable = SetupTable()
    teardown: TeardownTable = TeardownTable()
    checks: ChecksTable = ChecksTable()
    ports: PortsTable = PortsTable()
    database: DatabaseTable | None = None
    services: Annotated[dict[ServiceName, ServiceTable], msgspec.Meta(max_length=50)] = {}
    """What can be run beside the agent, such as a dev server."""
    box: BoxLevel | BoxTable | None = None
    """In what everything runs here: a level alone, or a table."""

    @property
    def box_wish(self) -> BoxWish:
        match self.box:
            case None:
                return BoxWish()
            case BoxTable() as table:
                return BoxWish(
                    level=table.level,
                    network=table.network,
                    hosts=table.hosts,
                    read=table.read,
                    write=table.write,
                )
            case level:
                return BoxWish(level=level)


def load_repo_config(root: Path) -> RepoConfig:
    """The config in `root`, a worktree or a checkout; a mistake is named with its line and key."""
    path = root / FILE
    if path.is_symlink() and not path.resolve().is_relative_to(root.resolve()):
        raise BadInput(f"{path} is a link out of the repository: nothing is taken from there")
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return RepoConfig()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    return parse_repo_config(data, path)


def parse_repo_config(data: bytes, path: Path) -> RepoConfig:
    if len(data) > LARGEST:
        raise BadInput(f"{path} is larger than {LARGEST // 1024} kB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8: {error}") from error
    config = parse_toml(text, path, RepoConfig)
    for key, places in (("read", config.box_wish.read), ("write", config.box_wish.write)):
        require_not_private(f"{path}: box.{key}", places)
    return config
