"""A session's box: what was chosen, what holds, and what would."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from manyhands.config import Settings
from manyhands.contract.box import box_words
from manyhands.hub.core.boxes import box_detail, is_wanting, wish_of
from manyhands.model import events as e
from manyhands.model.box import BoxLevel, BoxWish, Means, Network
from manyhands.model.box_config import BoxConfig
from manyhands.model.boxed import IN_PLACE, promise
from manyhands.model.ids import SessionId
from manyhands.model.session.session import Session, fold
from tests.hub.facts import created

FULL = Means(level="full", by="bubblewrap", program="/usr/bin/bwrap")
FILES = Means(level="files", by="landlock", reason="user namespaces are off", fix="allow them")
SEATBELT = Means(level="files", by="seatbelt", reason="macOS has no namespaces")
NONE = Means(reason="there is no bubblewrap", fix="install it")


@pytest.mark.parametrize(
    ("means", "level", "network", "held"),
    [
        (FULL, None, None, ("full", "bubblewrap", "open", "")),
        (FULL, "full", "listed", ("full", "bubblewrap", "listed", "")),
        (FULL, "files", "none", ("files", "bubblewrap", "none", "it was chosen")),
        (FULL, "none", "none", ("none", "", "open", "it was chosen")),
        (FILES, "full", None, ("files", "landlock", "open", "user namespaces are off")),
        (
            *(FILES, "files", "listed"),
            ("files", "landlock", "open", "it was chosen; its network is open, not listed"),
        ),
        (SEATBELT, "full", "listed", ("files", "seatbelt", "listed", "macOS has no namespaces")),
        (NONE, None, "none", ("none", "", "open", "there is no bubblewrap")),
        (NONE, "none", None, ("none", "", "open", "it was chosen")),
    ],
)
def test_what_holds_is_the_lesser_of_wish_and_means(
    means: Means, level: BoxLevel | None, network: Network | None, held: tuple[str, ...]
) -> None:
    found = box_detail(begun(), means, BoxWish(level=level, network=network))
    assert (found.level, found.by, found.network, found.reason) == held


def test_in_the_main_checkout_no_box_is_full() -> None:
    made = fold(Session(id=SessionId("one")), replace(created("one"), in_place=True))
    box = box_detail(made, FULL)
    assert (box.level, box.by, box.reason) == ("files", "bubblewrap", IN_PLACE)
    assert is_wanting(box)


def test_the_session_comes_before_its_repository_and_that_before_the_user() -> None:
    settings = Settings(box=BoxConfig(level="files", network="none", hosts=("a.example",)))
    repo = BoxWish(network="listed", hosts=("b.example",), read=("/opt/sdk",))
    plain = begun()
    assert wish_of(plain, repo, settings) == BoxWish(
        level="files", network="listed", hosts=("b.example", "a.example"), read=("/opt/sdk",)
    )
    chosen = fold(plain, e.BoxChanged(level="full", network="open"))
    wish = wish_of(chosen, repo, settings)
    assert (wish.level, wish.network) == ("full", "open")
    assert wish_of(plain, BoxWish(), Settings()) == BoxWish(level="full", network="open")


def begun(*events: e.AnyEvent) -> Session:
    session = Session(id=SessionId("one"))
    for event in (created("one"), *events):
        session = fold(session, event)
    return session


ENTERED = e.BoxEntered(level="full", by="bubblewrap", network="listed")
STARTED = e.KeeperStarted(epoch=1)
GONE = e.KeeperExited(epoch=1)


def test_before_any_agent_ran_it_is_what_would_hold() -> None:
    box = box_detail(begun(), FILES)
    assert (box.level, box.wanted, box.reason, box.fix) == (
        *("files", "full"),
        *("user namespaces are off", "allow them"),
    )
    assert box_words(box) == ("files (landlock), network open: user namespaces are off; allow them")


def test_what_an_agent_entered_holds_until_the_next_whatever_the_machine_can_do_now() -> None:
    for events in ((STARTED, ENTERED), (STARTED, ENTERED, GONE)):
        box = box_detail(begun(*events), NONE)
        assert (box.level, box.by, box.network, box.pending) == (
            *("full", "bubblewrap"),
            *("listed", False),
        )


def test_a_choice_while_a_keeper_lives_is_pending_and_then_holds() -> None:
    chosen = e.BoxChanged(level="none")
    during = begun(STARTED, ENTERED, chosen)
    box = box_detail(during, FULL, BoxWish(level="none"))
    assert (box.level, box.wanted, box.own, box.pending) == ("full", "none", "none", True)
    assert not is_wanting(box)
    assert "from the next turn" in box_words(box)
    after = box_detail(begun(STARTED, ENTERED, chosen, GONE), FULL, BoxWish(level="none"))
    assert (after.level, after.pending, after.promise) == ("none", False, "")
    assert box_words(after) == "none: it was chosen"
    back = begun(STARTED, ENTERED, chosen, e.BoxChanged())
    assert not box_detail(back, FULL).pending


def test_the_next_keeper_is_born_with_the_choice() -> None:
    chosen = begun(STARTED, e.BoxChanged(level="files", network="none"))
    assert chosen.boxing.is_stale
    assert not fold(chosen, e.KeeperStarted(epoch=2)).boxing.is_stale


def test_a_session_is_created_with_a_choice_of_its_own() -> None:
    event = replace(created("one"), box="none", network="listed")
    made = fold(Session(id=SessionId("one")), event)
    assert made.boxing.wish == BoxWish(level="none", network="listed")


def test_a_network_that_is_asked_for_and_not_confined_is_told() -> None:
    box = box_detail(begun(), FILES, BoxWish(level="files", network="none"))
    assert is_wanting(box)
    assert not is_wanting(box_detail(begun(), FULL, BoxWish(level="files", network="none")))


@pytest.mark.parametrize(
    ("level", "network", "words"),
    [
        ("full", "open", "nothing outside the worktree can be changed"),
        (
            *("full", "listed"),
            "nothing outside the worktree can be changed, and only listed hosts can be reached",
        ),
        ("files", "open", "what files outside the worktree hold cannot be changed"),
        ("none", "open", ""),
    ],
)
def test_each_level_says_what_it_promises(level: BoxLevel, network: Network, words: str) -> None:
    assert promise(level, network) == words
