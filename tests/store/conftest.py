"""An open store in a directory of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from manyhands.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    opened = Store.open(path)
    yield opened
    await opened.close()
