"""Which tracker a reference to an issue means, among those of the repository."""

from __future__ import annotations

from urllib.parse import urlsplit

from manyhands.errors import BadInput, ManyhandsError, NotFound
from manyhands.forges.remote import parse_remote
from manyhands.hub.core import Hub
from manyhands.hub.repos.pins import require_main_remote
from manyhands.hub.trackers.trackers import ON_FORGES, canonical, configured, is_own
from manyhands.model.landing.tracker_config import TrackerConfig
from manyhands.trackers.reference import Reference, parse_reference

SERVICES = ("linear", "jira")
LINEAR = "linear.app"


async def resolve(hub: Hub, repo: str, text: str, tracker: str = "") -> tuple[str, str]:
    """The tracker, by the name that a session keeps, and the issue's key there."""
    ref = parse_reference(text, tracker)
    if ref.tracker:
        return canonical(hub, repo, ref.tracker), _key(ref)
    if not ref.is_number:
        return _service(configured(hub, repo), ref), ref.key
    named = [n for n, c in configured(hub, repo).items() if _is_forge_of(c, ref)]
    if not ref.slug or not named:
        await _require_own(hub, repo, ref)
        return "", _key(ref)
    return _only(named, ref), ref.key


def _key(ref: Reference) -> str:
    return f"{ref.slug}#{ref.key}" if ref.slug else ref.key


def _service(known: dict[str, TrackerConfig], ref: Reference) -> str:
    """Linear or Jira: the one whose team or project it is, else one that is bound to none."""
    there = {n: c for n, c in known.items() if c.kind in SERVICES and _is_at(c, ref)}
    own = [n for n, c in there.items() if (c.team or c.project).upper() == ref.project]
    free = [n for n, c in there.items() if not (c.team or c.project)]
    if found := own or free:
        return _only(found, ref)
    raise NotFound(
        f"no tracker of this repository has issues called {ref.project}-…",
        hint=f'name it in config.toml: [trackers.NAME] kind = "linear", team = "{ref.project}"',
    )


def _only(names: list[str], ref: Reference) -> str:
    if len(names) > 1:
        ways = " or ".join(f"{name}:{ref.key}" for name in names)
        raise BadInput(f"{ref.key} could be an issue of {', '.join(names)}", hint=f"say {ways}")
    return names[0]


def _is_at(config: TrackerConfig, ref: Reference) -> bool:
    """Whether an address, where one was given, is the tracker's."""
    if not ref.host:
        return True
    if config.kind == "linear":
        return ref.host == LINEAR
    return _host(config.url) == ref.host


def _is_forge_of(config: TrackerConfig, ref: Reference) -> bool:
    if config.kind not in ON_FORGES or is_own(config):
        return False
    same = config.project.casefold() == ref.slug.casefold()
    return same and (not ref.host or not config.url or _host(config.url) == ref.host)


def _host(url: str) -> str:
    parts = urlsplit(url)
    return (parts.hostname or "") + (f":{parts.port}" if parts.port else "")


async def _require_own(hub: Hub, repo: str, ref: Reference) -> None:
    """An address of another forge must not lead to an issue of the same number here."""
    if not ref.host:
        return
    try:
        name, address = await require_main_remote(hub, repo)
        here = parse_remote(name, address.push[0]).host
    except ManyhandsError:
        here = ""
    if here.partition(":")[0] != ref.host.partition(":")[0]:
        raise NotFound(
            f"{ref.host} is neither the forge of {repo} nor a configured tracker",
            hint="name it in config.toml: [trackers.NAME] kind, url and project",
        )
