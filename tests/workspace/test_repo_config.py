"""`.manyhands.toml` is read strictly, and a mistake in it is named with line and key."""

from __future__ import annotations

from pathlib import Path

import generate_schema
import pytest

from manyhands.config import home, user_home
from manyhands.errors import BadInput
from manyhands.model.box import BoxWish
from manyhands.workspace.repo_config import RepoConfig, load_repo_config

WHOLE = """\
[worktree]
copy = ["certs/", "*.local"]
branch = "task/{slug}"
[setup]
run = ["make deps"]
timeout = 60
start = "early"
[teardown]
run = ["make clean"]
[ports]
names = ["web", "api"]
[database]
kind = "sqlite"
url = "dev.db"
"""


def test_a_repository_without_one_has_the_defaults(tmp_path: Path) -> None:
    config = load_repo_config(tmp_path)
    assert config == RepoConfig()
    assert (config.worktree.branch, config.ports.names, config.setup.run) == (
        "mh/{slug}",
        ("web",),
        None,
    )


def test_every_table_is_read(tmp_path: Path) -> None:
    (tmp_path / ".manyhands.toml").write_text(WHOLE)
    config = load_repo_config(tmp_path)
    assert config.worktree.copy == ("certs/", "*.local")
    assert (config.setup.run, config.setup.timeout, config.setup.start) == (
        ("make deps",),
        60,
        "early",
    )
    assert config.teardown.run == ("make clean",)
    assert config.ports.names == ("web", "api")
    assert config.database is not None
    assert config.database.kind == "sqlite"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[setup]\nrun = ['a']\nrunn = ['b']\n", ("line 3", "setup.runn")),
        ("[setup]\nrun = 'npm ci'\n", ("line 2", "setup.run")),
        ("[setup]\nstart = 'late'\n", ("line 2", "setup.start")),
        ("[ports]\n\nnames = ['Web!']\n", ("line 3", "ports.names")),
        ("[setup]\ntimeout = -1\n", ("line 2", "setup.timeout")),
        ("[sætup]\n", ("not valid TOML",)),
        ("[colours]\n", ("line 1", "colours")),
        ("[database]\nkind = 'oracle'\n", ("line 2", "database.kind")),
        ("[services.web]\nport = 'web'\n", ("services", "command")),
        ("[services.Web]\ncommand = 'x'\n", ("services",)),
        ("[services.web]\ncommand = 'x'\nhealth = 'up'\n", ("services.health",)),
        ("[services.web]\ncommand = 'x'\nrestart = 'maybe'\n", ("services.restart",)),
        ("box = 'closed'\n", ("line 1", "box")),
        ("[box]\nnetwork = 'some'\n", ("line 2", "box.network")),
        ("[box]\nread = ['sdk']\n", ("line 2", "box.read")),
        ("[box]\nhosts = ['https://a.example/x']\n", ("line 2", "box.hosts")),
    ],
)
def test_a_mistake_is_named_with_its_line_and_key(
    tmp_path: Path, text: str, words: tuple[str, ...]
) -> None:
    (tmp_path / ".manyhands.toml").write_text(text)
    with pytest.raises(BadInput) as refused:
        load_repo_config(tmp_path)
    for word in (".manyhands.toml", *words):
        assert word in refused.value.message


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("", BoxWish()),
        ("box = 'none'\n", BoxWish(level="none")),
        ("[box]\nnetwork = 'listed'\n", BoxWish(network="listed")),
        (
            """[box]
level = 'files'
hosts = ['*.a.example', 'b:8080']
read = ['/opt/sdk']
write = ['~/.cache/sdk']
""",
            BoxWish(
                level="files",
                hosts=("*.a.example", "b:8080"),
                read=("/opt/sdk",),
                write=("~/.cache/sdk",),
            ),
        ),
    ],
)
def test_the_box_is_a_level_or_a_table(tmp_path: Path, text: str, wish: BoxWish) -> None:
    (tmp_path / ".manyhands.toml").write_text(text)
    assert load_repo_config(tmp_path).box_wish == wish


@pytest.mark.parametrize(
    "place",
    [
        *("/", "~/", "~/.ssh", "~/.ssh/id_ed25519", "~/.aws", "~/.gnupg/", "~/sdk/../.ssh"),
        *("{home}", "{home}/worktrees", "{ours}", "{ours}/.config", "/tmp/link-to-home"),
    ],
)
@pytest.mark.parametrize("key", ["read", "write"])
def test_no_repository_brings_keys_or_the_hubs_home_into_its_box(
    tmp_path: Path, place: str, key: str
) -> None:
    place = place.format(home=home().root, ours=user_home())
    if place == "/tmp/link-to-home":
        (link := tmp_path / "link").symlink_to(user_home())
        place = str(link)
    (tmp_path / ".manyhands.toml").write_text(f"[box]\n{key} = ['/opt', '{place}']\n")
    with pytest.raises(BadInput, match=f"box.{key}: .* no repository may do"):
        load_repo_config(tmp_path)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"# " + b"x" * 300_000])
def test_what_is_no_config_at_all_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / ".manyhands.toml").write_bytes(data)
    with pytest.raises(BadInput):
        load_repo_config(tmp_path)


def test_the_published_schema_is_that_of_the_code() -> None:
    assert generate_schema.TARGET.read_text("utf-8") == generate_schema.schema()
