"""A running hub that knows real agents by its config, each in a HOME of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conformance.subjects import Place, Subject
from tests.support.driver import RunningHub


@contextmanager
def hub_of(root: Path, subjects: tuple[Subject, ...], *, box: str = "none") -> Iterator[RunningHub]:
    hub = RunningHub(root, working=max(4, len(subjects)), linger=600, box=box)
    hub.start_model()
    tables = _tables(hub, root, subjects)
    hub.configure(hub.home.config.read_text() + "".join(tables))
    with hub:
        hub.make_repo()
        yield hub


def home_of(root: Path, subject: Subject) -> Path:
    return root / "homes" / subject.name


def _tables(hub: RunningHub, root: Path, subjects: Iterable[Subject]) -> Iterator[str]:
    for subject in subjects:
        home = home_of(root, subject)
        home.mkdir(parents=True)
        env = {"HOME": str(home), **subject.configure(Place(home, root, hub.model_url))}
        yield f"[agents.{subject.name}]\nkind = {json.dumps(subject.kind)}\n"
        yield f"command = {json.dumps(subject.command())}\nlike = {json.dumps(subject.like)}\n"
        yield f"model = {json.dumps(subject.models[0])}\n[agents.{subject.name}.env]\n"
        yield from (f"{name} = {json.dumps(value)}\n" for name, value in env.items())
