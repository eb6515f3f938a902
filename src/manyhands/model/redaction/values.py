"""Secrets among variables: what an environment or a `.env` file holds that nobody may be told."""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.model.redaction.judging import is_secret
from manyhands.model.redaction.table import TABLE


def secret_values(variables: Mapping[str, str]) -> list[str]:
    """Those values that look like secrets, by their own form or by the name they go by."""
    found = [v for name, v in variables.items() if is_secret(name, v)]
    for value in variables.values():
        found += [value[span.start : span.end] for span in TABLE.find(value)]
    return list(dict.fromkeys(found))
