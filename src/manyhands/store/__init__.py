"""The SQLite file: event log, projections, receipts, acknowledgements, tokens; opened only here."""

from manyhands.store.batch import Batch, Decision, ItemsMissing, StaleEpoch, Stored
from manyhands.store.ledger import Token, TokenKind
from manyhands.store.store import Store

__all__ = [
    "Batch",
    "Decision",
    "ItemsMissing",
    "StaleEpoch",
    "Store",
    "Stored",
    "Token",
    "TokenKind",
]
