"""Services as the outside sees them: those that run or ran, and those that could."""

from __future__ import annotations

from collections.abc import Mapping

from manyhands.contract.services import ServiceView
from manyhands.hub.core.previews import Previews
from manyhands.model.service.service import Service
from manyhands.model.service.spec import ServiceSpec
from manyhands.model.session.session import Session


def service_views(
    previews: Previews, s: Session, specs: Mapping[str, ServiceSpec]
) -> list[ServiceView]:
    """In the order in which the repository names them; what is named no more comes last, as long
    as it runs."""
    shown = [_view(previews, s, specs[name], s.services.get(name)) for name in specs]
    gone = (one for name, one in s.services.items() if name not in specs and not one.is_over)
    return [*shown, *(_view(previews, s, one.spec, one) for one in gone)]


def _view(previews: Previews, s: Session, spec: ServiceSpec, known: Service | None) -> ServiceView:
    # What runs was started as it was then.
    spec = known.spec if known is not None and not known.is_over else spec
    return ServiceView(
        session=s.id,
        slug=s.slug,
        name=spec.name,
        state=known.state if known else "stopped",
        port=spec.port or None,
        url=previews.url(s, spec.name, spec.port),
        pid=(known.pid or None) if known else None,
        exit_code=known.exit_code if known else None,
        reason=known.reason if known else "",
        tail=known.tail if known else "",
        since=known.since if known else "",
        starts=known.starts if known else 0,
        command=spec.command,
        origin=spec.origin,
        autostart=spec.autostart,
        depends_on=spec.depends_on,
        restart=spec.restart,
    )
