"""The shape of a part of the session's fold: for each type of event, what it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Folds = dict[type[Any], Callable[[Any, Any], Mapping[str, object]]]
