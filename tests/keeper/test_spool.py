"""The outbox keeps its numbers and its promises, whatever is cut off."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from manyhands.keeper.spool import Spool, read_spool, spool_path


def test_numbers_start_at_one_and_go_on_in_order(tmp_path: Path) -> None:
    spool = Spool(spool_path(tmp_path, 3))
    assert [spool.append(b"a"), spool.append(b""), spool.append(b"c" * 100_000)] == [1, 2, 3]
    assert read_spool(tmp_path / "3.spool") == [(1, b"a"), (2, b""), (3, b"c" * 100_000)]
    assert spool.after(1) == [b"", b"c" * 100_000]
    assert spool.after(3) == []
    spool.close()


def test_a_batch_is_bounded_but_never_empty(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "1.spool")
    for _ in range(10):
        spool.append(b"x" * 1000)
    assert len(spool.after(0, limit=3500)) == 3
    assert len(spool.after(0, limit=10)) == 1
    spool.close()


def test_a_spool_that_was_never_made_is_empty(tmp_path: Path) -> None:
    assert read_spool(tmp_path / "9.spool") == []


def test_something_else_is_no_spool(tmp_path: Path) -> None:
    (tmp_path / "1.spool").write_bytes(b"not ours, and long enough to be read")
    with pytest.raises(ValueError, match="no spool"):
        read_spool(tmp_path / "1.spool")


@given(
    bodies=st.lists(st.binary(max_size=300), min_size=1, max_size=20),
    cut=st.integers(min_value=0, max_value=8000),
    junk=st.binary(max_size=40),
)
@settings(deadline=None)
def test_a_torn_tail_costs_only_the_torn_record(bodies: list[bytes], cut: int, junk: bytes) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "1.spool"
        spool = Spool(path)
        ends = []
        for body in bodies:
            spool.append(body)
            ends.append(path.stat().st_size)
        spool.close()
        kept = min(cut, path.stat().st_size)
        with path.open("r+b") as file:
            file.truncate(kept)
        whole = [body for body, end in zip(bodies, ends, strict=True) if end <= kept]
        assert [body for _, body in read_spool(path)] == whole
        again = Spool(path)
        assert again.append(b"next") == len(whole) + 1
        again.close()
        assert [body for _, body in read_spool(path)] == [*whole, b"next"]


class AnyOrder(RuleBasedStateMachine):
    """Whatever is appended, acknowledged and reopened: the unacknowledged is there, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.path = Path(self.directory.name) / "1.spool"
        self.spool = Spool(self.path, compact_bytes=2000)
        self.said: list[bytes] = []
        self.acked = 0

    @rule(body=st.binary(max_size=900))
    def append(self, body: bytes) -> None:
        self.said.append(body)
        assert self.spool.append(body) == len(self.said)

    @precondition(lambda self: self.said)
    @rule(data=st.data())
    def ack(self, data: st.DataObject) -> None:
        self.acked = max(self.acked, data.draw(st.integers(0, len(self.said))))
        self.spool.ack(self.acked)

    @rule()
    def reopen(self) -> None:
        self.spool.close()
        self.spool = Spool(self.path, compact_bytes=2000)

    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        n = data.draw(st.integers(self.acked, len(self.said)))
        limit = data.draw(st.integers(1, 3000))
        found = self.spool.after(n, limit=limit)
        assert found == self.said[n : n + len(found)]
        assert found or n == len(self.said)

    @invariant()
    def nothing_unacknowledged_is_missing(self) -> None:
        stored = dict(read_spool(self.path))
        for n in range(self.acked, len(self.said)):
            assert stored[n + 1] == self.said[n]

    def teardown(self) -> None:
        self.spool.close()
        self.directory.cleanup()


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(deadline=None, max_examples=60, stateful_step_count=30)


def test_acknowledged_records_make_room(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "1.spool", compact_bytes=200_000)
    largest = 0
    for n in range(1, 2001):
        spool.append(b"x" * 1000)
        spool.ack(n - 3)
        largest = max(largest, spool.path.stat().st_size)
    assert largest < 600_000
    assert [n for n, _ in read_spool(spool.path)][-3:] == [1998, 1999, 2000]
    spool.close()


WRITER = """
import sys
from pathlib import Path
from manyhands.keeper.spool import Spool
spool = Spool(Path(sys.argv[1]))
for n in range(1, 10**9):
    assert spool.append(b"%d " % n * (n % 50)) == n
    sys.stdout.buffer.write(b"%d\\n" % n)
    sys.stdout.buffer.flush()
"""


def test_a_killed_writer_loses_nothing_that_it_reported(tmp_path: Path) -> None:
    for round_number in range(5):
        path = tmp_path / f"{round_number}.spool"
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE
        ) as child:
            assert child.stdout is not None
            for _ in range(200 + 97 * round_number):
                child.stdout.readline()
            os.kill(child.pid, signal.SIGKILL)
            reported = 200 + 97 * round_number + len(child.stdout.read().splitlines())
        records = read_spool(path)
        assert [n for n, _ in records] == list(range(1, len(records) + 1))
        assert len(records) >= reported - 1
        assert all(body == b"%d " % n * (n % 50) for n, body in records)


def test_what_a_full_disk_refuses_waits_and_keeps_its_number(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "1.spool")
    spool.append(b"before")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (spool.path.stat().st_size + 20, hard))
        assert spool.append(b"refused " * 50) == 2
        assert spool.append(b"small") == 3
        assert read_spool(spool.path) == [(1, b"before")]
        assert spool.after(1) == [b"refused " * 50, b"small"]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert spool.flush()
    assert read_spool(spool.path) == [(1, b"before"), (2, b"refused " * 50), (3, b"small")]
    spool.close()
