"""The rehearsal as a provider: all that the product knows of it."""

from __future__ import annotations

import subprocess
import sys

from manyhands.model.slug import title_of
from manyhands.providers import Provider, provider_of, providers, spoken
from manyhands.rehearsal import provider


def test_it_is_a_provider_of_one_agent() -> None:
    whole: Provider = provider
    assert providers() == (whole,)
    assert provider_of("rehearsal") is whole
    assert provider_of("claude") is None


def test_a_title_holds_no_script() -> None:
    text = 'Fix the tests <<SCRIPT [{"text": "Done."}] SCRIPT>>'
    assert title_of(spoken(text)) == "Fix the tests"


def test_loading_it_costs_the_command_line_nothing() -> None:
    code = "import sys, manyhands.rehearsal.provider; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert not {"msgspec", "asyncio", "uvicorn", "manyhands.config"} & set(done.stdout.split())
