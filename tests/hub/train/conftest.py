"""A hub that tests share, with a train that keeps nothing warm, and cars for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.driver import RunningHub
from tests.support.told_agent import configured

TRAIN = """
[train]
window = 2
warm_minutes = 0
[radar]
enabled = false
"""
MEND = (
    'cat > "../$(basename "$PWD").told"; rm -f bad.txt; '
    "grep -ls '<<<<<<<' *.txt | xargs -r sed -i '/[<=>]\\{7\\}/d'; "
    "git add -A; git commit -q -m Mended"
)
"""What an agent does that is good at mending: whatever it is told is kept beside its worktree."""


@pytest.fixture(scope="module")
def train_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHub]:
    hub = RunningHub(tmp_path_factory.mktemp("hub"), working=8)
    agents = configured("told") + configured("mender", MEND)
    hub.configure(hub.home.config.read_text() + TRAIN + agents)
    try:
        yield hub
    finally:
        hub.close()


@pytest.fixture
def hub(train_hub: RunningHub) -> RunningHub:
    """Running, whatever the test before did to it; the repository is the test's own."""
    train_hub.fate.unlink(missing_ok=True)
    if not train_hub.runs:
        train_hub.start()
    train_hub.change_repo()
    return train_hub
