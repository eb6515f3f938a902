"""Which services come before which: what is named must be there, nothing waits for itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from manyhands.errors import BadInput
from manyhands.model.service.spec import ServiceSpec


def start_order(
    specs: Mapping[str, ServiceSpec], wanted: Iterable[str] | None = None
) -> tuple[str, ...]:
    """The wanted ones, or all, with what they depend on before them; raises where that is unknown
    or goes in a circle."""
    found: list[str] = []
    for name in specs if wanted is None else wanted:
        _visit(specs, name, (), found)
    return tuple(found)


def _visit(
    specs: Mapping[str, ServiceSpec], name: str, above: tuple[str, ...], found: list[str]
) -> None:
    if name in above:
        circle = " → ".join((*above[above.index(name) :], name))
        raise BadInput(
            f"the services wait for each other: {circle}", hint="take one out of `depends_on`"
        )
    if name in found:
        return
    for other in specs[name].depends_on:
        if other not in specs:
            raise BadInput(
                f"service {name!r} depends on {other!r}, and there is no such service",
                hint=f"there are: {_listed(specs)}",
            )
        _visit(specs, other, (*above, name), found)
    found.append(name)


def _listed(names: Collection[str]) -> str:
    return ", ".join(names)
