"""An agent that cannot start says why, in one sentence, and before a session begins."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from manyhands.agents.catalogue import require_usable
from manyhands.config import AgentConfig, Home, Settings
from manyhands.errors import AgentFailed
from tests.conformance.bench import Stand
from tests.conformance.capability import proves

pytestmark = pytest.mark.timeout(300)


@proves("exit at start", "not installed", "not logged in")
async def test_an_agent_that_cannot_start_is_one_sentence_with_the_way_out(
    stand: Stand, tmp_path: Path
) -> None:
    bin = tmp_path / "bin"
    bin.mkdir()
    broken = bin / "broken"
    broken.write_text("#!/bin/sh\necho 'a library is missing' >&2\nexit 3\n")
    broken.chmod(0o755)
    spec = stand.spec()
    failing = msgspec.structs.replace(spec, command=(str(broken),))
    assert "a library is missing" in (await stand.refusal(failing)).message
    missing = msgspec.structs.replace(spec, command=("no-such-program",))
    refusal = await stand.refusal(missing)
    assert "not installed" in refusal.message
    assert "config.toml" in refusal.hint
    if spec.kind == "acp" and stand.subject.capabilities.login:
        bare = {"PATH": spec.env["PATH"], "HOME": str(tmp_path)}
        refusal = await stand.refusal(msgspec.structs.replace(spec, env=bare))
        assert refusal.message == f"agent {spec.name} is not logged in"
        assert refusal.hint
    _is_told_before_a_session_begins(stand, tmp_path)


def _is_told_before_a_session_begins(stand: Stand, tmp_path: Path) -> None:
    subject, home = stand.subject, Home(tmp_path / "mh")
    nowhere = {"HOME": str(tmp_path / "empty"), "CODEX_HOME": "", "CLAUDE_CONFIG_DIR": ""}
    config = AgentConfig(
        kind=subject.kind,  # type: ignore[arg-type]
        like=subject.like,
        command=subject.command(),
        env=nowhere,
    )
    settings = Settings(agents={subject.name: config})
    if subject.capabilities.login:
        with pytest.raises(AgentFailed, match="is not logged in") as caught:
            require_usable(subject.name, settings, home)
        assert caught.value.hint
    else:
        require_usable(subject.name, settings, home)
    gone = msgspec.structs.replace(config, command=("no-such-program",))
    with pytest.raises(AgentFailed, match="is not installed") as caught:
        require_usable(subject.name, Settings(agents={subject.name: gone}), home)
    assert caught.value.hint
