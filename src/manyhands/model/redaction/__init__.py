"""Secrets are taken out of what anyone says before it is stored, sent or shown.

A *known* secret is a value that we were told of; the rest is found by one table of kinds, which the
scan before a push reads too.
"""

from manyhands.model.redaction.logs import RedactingFormatter as RedactingFormatter
from manyhands.model.redaction.redactor import MARK as MARK
from manyhands.model.redaction.redactor import Redactor as Redactor
from manyhands.model.redaction.redactor import is_redacted as is_redacted
from manyhands.model.redaction.streams import Redacted as Redacted
from manyhands.model.redaction.values import secret_values as secret_values
