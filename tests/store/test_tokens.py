"""Tokens: kept by their hash, found at once, gone when revoked."""

from __future__ import annotations

from pathlib import Path

from manyhands.store import Store
from tests.store.facts import ONE, TWO


async def test_a_token_is_found_by_its_hash(store: Store, path: Path) -> None:
    await store.add_token("h1", "human")
    await store.add_token("h2", "agent", ONE)
    assert store.token("h3") is None
    await store.close()
    reopened = Store.open(path)
    human, agent = reopened.token("h1"), reopened.token("h2")
    assert human is not None
    assert agent is not None
    assert (human.kind, human.session) == ("human", "")
    assert (agent.kind, agent.session) == ("agent", ONE)
    await reopened.close()


async def test_a_token_brings_no_event(store: Store) -> None:
    await store.add_token("h1", "read-only")
    assert store.last_seq == 0


async def test_tokens_are_revoked_by_hash_session_or_kind(store: Store) -> None:
    for hash, session in (("a", ONE), ("b", ONE), ("c", TWO), ("d", TWO)):
        await store.add_token(hash, "agent", session)
    await store.add_token("e", "human")
    assert await store.revoke_tokens() == []
    assert await store.revoke_tokens(hash="a") == ["a"]
    assert await store.revoke_tokens(hash="a") == []
    assert await store.revoke_tokens(session=TWO, kind="agent") == ["c", "d"]
    assert await store.revoke_tokens(kind="human") == ["e"]
    assert [hash for hash in "abcde" if store.token(hash)] == ["b"]


async def test_of_a_kind_only_so_many_are_kept_the_newest(store: Store) -> None:
    await store.add_token("agents", "agent", ONE)
    for hash in "abcde":
        await store.add_token(hash, "human", most=3)
    assert [hash for hash in "abcde" if store.token(hash)] == ["c", "d", "e"]
    assert store.token("agents") is not None
