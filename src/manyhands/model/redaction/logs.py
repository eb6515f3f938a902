"""Lines of a log file without secrets, tracebacks included."""

from __future__ import annotations

import logging

from manyhands.model.redaction.redactor import Redactor


class RedactingFormatter(logging.Formatter):
    def __init__(self, redactor: Redactor) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        return self._redactor.text(super().format(record))
