"""Unusual repositories work, or one sentence says why not before anything is begun."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.driver import Refused, RunningHub, bash, script


def test_what_we_cannot_work_with_is_refused_when_it_is_added(
    hub: RunningHub, tmp_path: Path
) -> None:
    hub.git("init", "-q", "--object-format=sha256", str(tmp_path / "sha"), cwd=tmp_path)
    with pytest.raises(Refused, match="names its objects by sha256"):
        hub.post("/api/repos", {"path": str(tmp_path / "sha")})
    table = tmp_path / "table"
    hub.git("init", "-q", str(table), cwd=tmp_path)
    hub.git("config", "core.repositoryFormatVersion", "1", cwd=table)
    hub.git("config", "extensions.refStorage", "reftable", cwd=table)
    with pytest.raises(Refused, match="keeps its refs in a reftable, which this git version"):
        hub.post("/api/repos", {"path": str(table)})
    with pytest.raises(Refused, match="is no git repository"):
        hub.post("/api/repos", {"path": str(tmp_path)})


def test_a_bare_repository_with_worktrees_works_from_any_of_them(
    hub: RunningHub, tmp_path: Path
) -> None:
    bare, main = tmp_path / "lay out" / ".bare", tmp_path / "lay out" / "main"
    hub.git("clone", "-q", "--bare", str(hub.repo), str(bare), cwd=tmp_path)
    hub.git("worktree", "add", "-q", str(main), "main", cwd=bare)
    assert hub.post("/api/repos/trust", {"path": str(main)})["path"] == str(bare)
    note = bash("echo bare > bare.txt")
    session = hub.new(script(note, {"text": "done"}), repo=str(main), base="main")
    assert session["repo"] == str(bare)
    id = session["id"]
    hub.wait_idle(id)
    hub.act(id, "commit", message="Bare")
    hub.act(id, "archive")
    hub.act(id, "restore")
    assert Path(session["worktree"], "bare.txt").read_text() == "bare\n"
    assert [f for f in hub.get("/api/doctor") if not f["ok"] and str(bare) in f["detail"]] == []
