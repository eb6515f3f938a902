"""The one table of secrets: what is taken out of every record, and stops a push."""

from __future__ import annotations

from manyhands.model.redaction.contexts import CONTEXTS
from manyhands.model.redaction.row import Table
from manyhands.model.redaction.tokens import TOKENS

TABLE = Table((*TOKENS, *CONTEXTS))
