"""A route as the API documents it: its own answer, or one of the failures in their one shape."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus

import litestar
from litestar.openapi.datastructures import ResponseSpec

from manyhands.api.failures import Failure

_STATUSES = (400, 401, 403, 404, 405, 409, 413, 415, 500, 503, 507)
FAILURES = {
    status: ResponseSpec(Failure, description=HTTPStatus(status).phrase, generate_examples=False)
    for status in _STATUSES
}

get = partial(litestar.get, responses=FAILURES)
post = partial(litestar.post, responses=FAILURES)
