"""The keeper's log file: bounded, and as clean of secrets as everything else it tells."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler

from manyhands.model.redaction import RedactingFormatter, Redactor

LOG_BYTES = 1024 * 1024


def log_to(path: str, redactor: Redactor) -> None:
    if not path:
        return
    handler = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=1)
    handler.setFormatter(RedactingFormatter(redactor))
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.INFO)
