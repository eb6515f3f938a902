"""Services where a worktree lies: which there are, and what they said."""

from __future__ import annotations

import asyncio
import codecs
from collections import deque
from collections.abc import Mapping
from pathlib import Path

from manyhands.model.clock import monotonic
from manyhands.model.service.spec import ServiceSpec
from manyhands.station.threads import in_thread
from manyhands.station.worktree import Worktree
from manyhands.workspace import services
from manyhands.workspace.service_log import load_end, load_from, log_folder

LARGEST = 256 * 1024
"""Bytes that are handed out at once."""
MOST_LINES = 1000
LONGEST_LINE = 2000
LOOK_SECONDS = 0.2


@in_thread
def load_services(at: Worktree, ports: Mapping[str, int]) -> dict[str, ServiceSpec]:
    return services.load_services(at.root, ports)


@in_thread
def load_log(at: Worktree, name: str, after: int | None) -> tuple[int, int, str]:
    """From there on, or the last of it: where it begins and ends, and the text."""
    folder = _folder(at, name)
    offset = max(0, load_end(folder) - LARGEST // 4) if after is None else after
    begin, data = load_from(folder, offset, LARGEST)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(data)
    held = len(decoder.getstate()[0])
    return begin, begin + len(data) - held, text


@in_thread
def find_in_log(at: Worktree, name: str, words: str) -> tuple[int, str]:
    """The last lines that hold these words, whatever their case, of all that is kept."""
    folder, wanted = _folder(at, name), words.casefold()
    found: deque[str] = deque(maxlen=MOST_LINES)
    offset, end, rest = 0, load_end(folder), ""
    while True:
        begin, data = load_from(folder, offset, LARGEST)
        *lines, rest = (rest + data.decode("utf-8", "replace")).split("\n")
        rest = rest[-LARGEST:]
        found.extend(line[:LONGEST_LINE] for line in lines if wanted in line.casefold())
        offset = begin + len(data)
        if not data or offset >= end:
            break
    if rest and wanted in rest.casefold():
        found.append(rest[:LONGEST_LINE])
    return end, "".join(f"{line}\n" for line in found)


async def wait_for_log(at: Worktree, name: str, after: int, seconds: float) -> None:
    """Until there is more than that, or time is up. Only a reader who waits is looked for: the
    file of a service is nobody's to announce."""
    folder, deadline = _folder(at, name), monotonic() + seconds
    while (  # noqa: ASYNC110 - only a reader that waits asks, and the file tells nobody
        await asyncio.to_thread(load_end, folder) <= after and monotonic() < deadline
    ):
        await asyncio.sleep(LOOK_SECONDS)


def _folder(at: Worktree, name: str) -> Path:
    return log_folder(Path(at.kept), name)
