"""Routes of previews: their pictures, and what is to be seen on them."""

from __future__ import annotations

from typing import Any

from manyhands.api.route import does, reads
from manyhands.api.session_routes import SESSION
from manyhands.hub.preview.shot import elements, picture, shot

ROUTES: list[Any] = [
    does(f"{SESSION}/shot", shot),
    reads(f"{SESSION}/pictures/{{name:str}}", picture),
    reads(f"{SESSION}/pictures/{{name:str}}/elements", elements),
]
