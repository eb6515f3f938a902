"""Settings and paths; the only reader of the process environment.

`Home` says where everything lives, `Settings` what the user asked for, and
`child_environment` what a child may inherit: names on an allow-list, nothing else.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec
import platformdirs

from manyhands.errors import BadInput, ManyhandsError
from manyhands.model.agent.price import Price, Sum
from manyhands.model.box_config import BoxConfig
from manyhands.model.events import AgentKind, Effort, Mode, NoticeKind
from manyhands.model.landing.tracker_config import TOKENS, TrackerConfig

T = TypeVar("T")
KEEPER_MARK = "MANYHANDS_KEEPER"
"""Set for keepers and what they run for themselves; what an agent starts does not have it."""
PART_MARK = "MANYHANDS_PART"
"""Names the terminal, service or command of a session to which a process belongs."""
COMMAND_LOG = "commands.jsonl"
INHERITED = frozenset(
    [
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TEMP", "TMP"),
        *("LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "DISPLAY", "WAYLAND_DISPLAY"),
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"),
        *("XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "SSH_AGENT_PID"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"),
        *("http_proxy", "https_proxy", "no_proxy", "all_proxy"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
        *("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "CLAUDE_CONFIG_DIR", KEEPER_MARK),
        *("SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "PATHEXT", "COMSPEC"),
    ]
)
"""Where programs are and how to reach the net. No token, key or model address is among them;
a user who wants one passed on names it in ``[environment] pass``."""


GITHUB_VARIABLES = (
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
)
"""Where GitHub's own tools look for a token; only the hub is given them."""
GITLAB_VARIABLES = ("GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN")
"""The same for gitlab.com."""
_REFERENCE = re.compile(r"(env|keyring):([A-Za-z_][\w./-]*)")
_HOURS = r"^$|^([01]?\d|2[0-3]):[0-5]\d-([01]?\d|2[0-3]):[0-5]\d$"
DESKTOP = (
    *("DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY", "DESKTOP_SESSION", "BROWSER"),
    *("XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS"),
    "VSCODE_IPC_HOOK_CLI",
)
"""What a program with a window needs beyond that; agents do not get it."""
EDITORS = ("VISUAL", "EDITOR")

Port = Annotated[int, msgspec.Meta(ge=1024, le=65535)]


class AgentConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind: AgentKind
    command: tuple[str, ...] = ()
    like: str = ""
    """The known agent that this one is: it is started, and held to its modes, in the same way."""
    model: str = ""
    effort: Effort | None = None
    env: dict[str, str] = {}
    """Values may be `env:NAME` or `keyring:NAME`, which are looked up when the agent starts."""
    token: bool = False
    """Whether the agent gets MANYHANDS_TOKEN, with which it can read its own session."""
    provider: str = ""
    """Whose model it uses, for `[limits.provider]`; default: by its kind or its name."""


class Defaults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    agent: str = "claude"
    mode: Mode = "ask"
    resume: Literal["at-once", "ask"] = "at-once"
    """What happens when an agent dies in the middle of a turn."""


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    working: Annotated[int, msgspec.Meta(ge=1)] = 4
    provider: dict[str, Annotated[int, msgspec.Meta(ge=1)]] = {}
    """Of these, at most so many on the models of one provider."""
    unread: Annotated[int, msgspec.Meta(ge=0)] = 6
    """With so many finished and unread, `new` says so first; 0 never does."""
    resume: bool = False
    """Go on by itself once a provider's limit is over."""
    resume_minutes: Annotated[float, msgspec.Meta(gt=0)] = 5.0
    """How long that waits where the provider did not say when its limit is over."""
    linger_seconds: Annotated[float, msgspec.Meta(ge=0)] = 10.0
    """How long an idle agent is kept for a quick next message."""


class BudgetConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Used up, it holds the session at its next tool call or turn and asks; nothing is killed."""

    session_usd: Sum | None = None
    session_minutes: Sum | None = None
    repo_usd: Sum | None = None
    repo_minutes: Sum | None = None
    """All sessions of one repository together."""
    day_usd: Sum | None = None
    day_minutes: Sum | None = None
    """All sessions together, on one day (UTC)."""


class Workspaces(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    ports: tuple[Port, Port] = (4100, 4999)
    """The range from which sessions lease ports, both ends included."""
    copy_mb: Annotated[float, msgspec.Meta(ge=0)] = 100.0
    """How much may be carried over from the main checkout into one worktree."""
    pool: Annotated[int, msgspec.Meta(ge=0, le=20)] = 1
    """Spare worktrees that are kept ready per repository; 0 turns them off."""
    fetch_seconds: Annotated[float, msgspec.Meta(ge=0)] = 10.0
    """How long a new session, an update or a merge waits for the remote at most; 0 never asks."""
    fetch_every_seconds: Annotated[float, msgspec.Meta(ge=0)] = 60.0
    """A remote that was asked so recently is not asked again."""
    setup_seconds: Annotated[float, msgspec.Meta(gt=0)] = 900.0
    teardown_seconds: Annotated[float, msgspec.Meta(gt=0)] = 60.0
    trash_days: Annotated[float, msgspec.Meta(ge=1)] = 30.0
    """How long an archived session can be restored."""


class BaseConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The branches that sessions start from, as the remote has them."""

    poll_seconds: Annotated[float, msgspec.Meta(ge=0)] = 120.0
    """How often those of live sessions are fetched quietly while somebody looks or an agent works,
    else less often; 0: only when something is asked that depends on them."""


class RadarConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    enabled: bool = True
    """Whether conflicts between sessions are looked for as they work."""


class Neon(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Here and not in a repository's config, so that no repository can send the key elsewhere."""

    api: str = "https://console.neon.tech/api/v2"
    key: Annotated[str, msgspec.Meta(pattern=r"^env:[A-Za-z_][A-Za-z0-9_]*$")] = "env:NEON_API_KEY"


ForgeKind = Literal["github", "gitlab", "gitea", "forgejo"]


class ForgeConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A forge by the host of its remotes, with the port where they name one."""

    kind: ForgeKind | None = None
    """None: as its host is known."""
    api: str = ""
    """The API's address; empty: it follows from kind and host."""
    token: Annotated[str, msgspec.Meta(pattern=rf"^(gh|glab|{TOKENS})?$")] = ""
    """Never the token itself: `env:NAME`, `keyring:SERVICE/USER`, `file:PATH`, `command:WORDS`, or
    what `gh` or `glab` is logged in with."""
    timeout_seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """How long one answer may take; None: as [github] says."""


class GitHubConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    api: str = ""
    """The API's address; empty: it follows from the remote."""
    token: Annotated[str, msgspec.Meta(pattern=rf"^(gh|{TOKENS})?$")] = ""
    """A reference as for every forge; empty: the usual variables, then `gh`."""
    timeout_seconds: Annotated[float, msgspec.Meta(gt=0)] = 30.0
    """How long one answer may take."""
    poll_seconds: Annotated[float, msgspec.Meta(ge=0)] = 30.0
    """How often an open pull request, of any forge, is looked at while it moves; 0: when asked."""


class LandingConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    checks_seconds: Annotated[float, msgspec.Meta(gt=0)] = 900.0
    """How long the checks before a merge may take together, where the repository does not say."""
    hook_seconds: Annotated[float, msgspec.Meta(gt=0)] = 600.0
    """How long a commit, with the hooks that it runs, may take."""
    message_seconds: Annotated[float, msgspec.Meta(gt=0)] = 30.0
    """How long the agent may take to propose a commit message, before its last words stand in."""
    push_seconds: Annotated[float, msgspec.Meta(gt=0)] = 600.0
    largest_mb: Annotated[float, msgspec.Meta(gt=0)] = 10.0
    """A file over this is not pushed without a yes."""
    fix_checks: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    """How many times, at most, failing checks of a pull request come to the session's agent by
    themselves, counted anew once they pass; 0: a person sends them."""
    send_reviews: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    """The same for what people say about the pull request; what programs say is never sent."""


class TrainConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    join: Literal["asked", "approved"] = "asked"
    """Whether a session that a person approved joins by itself."""
    via: Literal["local", "push", "pr"] = "local"
    """How the branch is moved: here, by a push with lease, or by pull requests."""
    method: Literal["merge", "squash", "rebase"] = "merge"
    window: Annotated[int, msgspec.Meta(ge=0, le=64)] = 0
    """How many cars are tested at once; 0: one for each core."""
    rerun: bool = False
    """Run a check that failed once more before the car leaves."""
    mend: Annotated[int, msgspec.Meta(ge=0, le=10)] = 0
    """How often a car that left goes back to its agent and rejoins, where nothing else is said."""
    warm_minutes: Annotated[float, msgspec.Meta(ge=0)] = 10.0
    """How long an empty train keeps the worktrees in which it tests."""


class NotifyConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a person is told while no page shows it."""

    channels: tuple[str, ...] = ()
    """Addresses for apprise, or `env:NAME` and `keyring:NAME` where they are kept."""
    desktop: bool = False
    command: tuple[str, ...] = ()
    """A program of the user's own: the sentence is its last word, the rest its input as JSON."""
    quiet: Annotated[str, msgspec.Meta(pattern=_HOURS)] = ""
    """Hours of the day in which nothing is told, such as 22:00-07:00."""
    rules: dict[NoticeKind, Literal["off", "page", "all"]] = {}
    """By kind: not at all, on the page only, or everywhere."""


class Environment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    passed: tuple[str, ...] = msgspec.field(default=(), name="pass")
    hub: tuple[str, ...] = ()
    """What the hub itself may read, for settings that say `env:NAME`; agents do not get it."""


HostName = Annotated[
    str,
    msgspec.Meta(pattern=r"^(https?://)?([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(:[0-9]{1,5})?$"),
]
Bind = Annotated[str, msgspec.Meta(pattern=r"^([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]):[0-9]{1,5}$")]


class HubConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How else the hub may be reached than on loopback. A token is needed everywhere."""

    hosts: tuple[HostName, ...] = ()
    """Names that a tunnel or tailnet gives it, as the browser shows them; bare ones mean https."""
    bind: Bind | Literal[""] = ""
    """A second address and port to listen on; beyond loopback only with a certificate."""
    certificate: str = ""
    key: str = ""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    agents: dict[str, AgentConfig] = {}
    defaults: Defaults = Defaults()
    limits: Limits = Limits()
    budget: BudgetConfig = BudgetConfig()
    prices: dict[str, Price] = {}
    """USD for a million tokens by the beginning of a model's name; before our own table."""
    workspaces: Workspaces = Workspaces()
    base: BaseConfig = BaseConfig()
    radar: RadarConfig = RadarConfig()
    neon: Neon = Neon()
    github: GitHubConfig = GitHubConfig()
    forges: dict[str, ForgeConfig] = {}
    """Forges by host, for those whose kind, address or token is not known without."""
    trackers: dict[str, TrackerConfig] = {}
    """Where issues are kept, by names of the user's own."""
    landing: LandingConfig = LandingConfig()
    train: TrainConfig = TrainConfig()
    box: BoxConfig = BoxConfig()
    environment: Environment = Environment()
    notify: NotifyConfig = NotifyConfig()
    hub: HubConfig = HubConfig()

    def provider(self, agent: str) -> str:
        """Whose model an agent uses."""
        known = self.agents.get(agent)
        if known is not None and known.provider:
            return known.provider
        is_claude = known.kind == "claude" if known else agent == "claude"
        return "anthropic" if is_claude else agent

    @property
    def hub_variables(self) -> tuple[str, ...]:
        """The names that the hub's own environment is given beyond the allow-list."""
        given = (v for a in self.agents.values() for v in a.env.values())
        trackers = (tracker.token_reference for tracker in self.trackers.values())
        values = (self.neon.key, *self.notify.channels, *given, *trackers)
        found = (reference(value) for value in values)
        named = (ref[1] for ref in found if ref and ref[0] == "env")
        own = (*self.environment.passed, *self.environment.hub)
        return (*own, *named, *self._forge_variables, *DESKTOP, *EDITORS)

    @property
    def _forge_variables(self) -> tuple[str, ...]:
        given = self.github.token
        usual = () if given.startswith("env:") else GITHUB_VARIABLES
        tokens = (given, *(forge.token for forge in self.forges.values()))
        named = (t.removeprefix("env:") for t in tokens if t.startswith("env:"))
        return (*named, *usual, *GITLAB_VARIABLES)


class Home:
    """Everything that must last, and the short run directory that belongs to it."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.store = self.root / "store.db"
        self.config = self.root / "config.toml"
        self.token = self.root / "token"
        self.hub_file = self.root / "hub.json"
        self.worktrees = self.root / "worktrees"
        self.sessions = self.root / "sessions"
        self.trash = self.root / "trash"
        self.logs = self.root / "logs"
        self.backups = self.root / "backups"
        """Of the store."""
        self.command_log = self.logs / COMMAND_LOG
        self.locks = self.root / "locks"
        self.hub_lock = self.locks / "hub.lock"
        self.seen_scripts = self.root / "seen-scripts"
        """Texts of what repositories could run, by hash, so that a change can be shown."""
        self.kept = self.root / "kept"
        """Copies of what repositories' worktrees share and git itself cannot hold."""
        self.installs = self.root / "installs"
        self.radar = self.root / "radar"
        """What the radar tries out, thrown away at every start."""
        self.checks = self.root / "checks"
        """Private worktrees in which a merge is checked."""
        self.mirrors = self.root / "mirrors"
        """What answers for repositories' remotes in boxes."""
        self.boxes = self.root / "boxes"
        """What boxes keep for those, and for spares."""

    @functools.cached_property
    def run(self) -> Path:
        """Sockets: a socket path has 104 bytes on macOS, so this is short and keyed by the home."""
        key = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:10]
        offered = (os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir())
        short = (Path(p) for p in offered if p and len(p) <= 40 and Path(p).is_dir())
        return next(short, Path("/tmp")) / f"mh-{os.getuid()}-{key}"

    def keeper_socket(self, session: str) -> Path:
        return self.run / f"{session}.sock"

    def keeper_lock(self, session: str) -> Path:
        return self.run / f"{session}.lock"

    def make(self) -> None:
        """Create the directories, private to the user; one sentence if that cannot be."""
        directories = (self.worktrees, self.sessions, self.trash, self.logs, self.locks)
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for directory in directories:
                directory.mkdir(mode=0o700, exist_ok=True)
            self._make_run()
            (self.root / ".writable").touch()
        except OSError as error:
            raise ManyhandsError(
                f"the home {self.root} cannot be written: {error.strerror}",
                hint="set MANYHANDS_HOME to a directory that is yours, or mend its permissions",
            ) from error

    def _make_run(self) -> None:
        self.run.mkdir(mode=0o700, exist_ok=True)
        info = self.run.lstat()
        # The name is predictable and may sit in a shared directory: take only what is ours.
        if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.getuid() or info.st_mode & 0o077:
            raise ManyhandsError(
                f"{self.run} is not a private directory of this user",
                hint="remove it, or set XDG_RUNTIME_DIR",
            )
        if stat.S_IMODE(info.st_mode) != stat.S_IRWXU:
            self.run.chmod(stat.S_IRWXU)


def reference(value: str) -> tuple[str, str] | None:
    """Where a secret is kept and its name there, if the value is no value but a reference."""
    found = _REFERENCE.fullmatch(value)
    return (found[1], found[2]) if found else None


def home() -> Home:
    given = os.environ.get("MANYHANDS_HOME")
    return Home(Path(given) if given else Path(platformdirs.user_data_dir("manyhands")))


def user_home() -> Path:
    """What `~` stands for."""
    return Path.home()


def shared_state() -> Path:
    """What all homes of this user must agree on."""
    return Path(platformdirs.user_state_dir("manyhands"))


def child_environment(
    extra: Mapping[str, str] | None = None, *, passed: tuple[str, ...] = ()
) -> dict[str, str]:
    """The allow-listed part of our environment plus `extra`, which wins."""
    names = INHERITED | set(passed)
    kept = {k: v for k, v in os.environ.items() if k in names or k.startswith("LC_")}
    return {**kept, **(extra or {})}


def variable(name: str) -> str:
    """One variable of our own environment, empty where unset (editors, colours, session ids)."""
    return os.environ.get(name, "")


def load_settings(home: Home) -> Settings:
    """The user's config; a mistake is named with its line and key."""
    try:
        text = home.config.read_text("utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{home.config} cannot be read: {error}") from error
    return parse_toml(text, home.config, Settings)


def parse_toml(text: str, path: Path, kind: type[T]) -> T:
    """The text as `kind`; a mistake is named with its line and key."""
    try:
        return msgspec.convert(tomllib.loads(text), kind)
    except tomllib.TOMLDecodeError as error:
        problem = str(error).replace("end of document", f"line {len(text.splitlines())}, its end")
        raise BadInput(f"{path} is not valid TOML: {problem}") from error
    except msgspec.ValidationError as error:
        raise BadInput(_explain(path, text, str(error))) from error


def _explain(path: Path, text: str, problem: str) -> str:
    """Say where a mistake is: msgspec names the key, and the text knows its line."""
    what, _, where = problem.partition(" - at ")
    key = re.sub(r"^\$\.?", "", where.strip("`"))
    unknown = re.search(r"unknown field `([^`]+)`", what)
    if unknown:
        key = f"{key}.{unknown[1]}".strip(".")
    for table, kind in _TABLES.items():
        if f"{table}[...]" in key:
            key = key.replace(f"{table}[...]", f"{table}.{_broken(text, table, kind)}")
    key = key.replace("[...]", "")
    line = _line_of(text, re.sub(r"\[\d+\].*$", "", key))
    return f"{path}{f', line {line}' if line else ''}: {key or 'the file'}: {what}"


_TABLES: dict[str, type[msgspec.Struct]] = {
    "agents": AgentConfig,
    "forges": ForgeConfig,
    "trackers": TrackerConfig,
}


def _broken(text: str, tables: str, kind: type[msgspec.Struct]) -> str:
    """A mistake in a table of tables is told without the table's name: find it by trying each."""
    for name, table in tomllib.loads(text).get(tables, {}).items():
        try:
            msgspec.convert(table, kind)
        except msgspec.ValidationError:
            return str(name)
    return "?"


def _line_of(text: str, key: str) -> int | None:
    """The line that sets `key`, or the head of the nearest table around it."""
    found, table = None, ""
    nearest = 0
    for number, line in enumerate(text.splitlines(), 1):
        if head := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line):
            here = table = head[1].replace('"', "")
        elif entry := re.match(r"\s*([\w.\"-]+)\s*=", line):
            here = f"{table}.{entry[1]}".strip(".").replace('"', "")
        else:
            continue
        if (key == here or key.startswith(f"{here}.")) and len(here) > nearest:
            found, nearest = number, len(here)
    return found
