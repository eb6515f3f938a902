"""The user's config file, shown and changed without harm.

A change names the content it was made on and is refused where the file is another by now; it is
parsed as the hub itself would before it is written, whole or not at all. Comments stay.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from manyhands.config import Settings, parse_toml
from manyhands.contract.hub import ConfigView
from manyhands.errors import BadInput, ManyhandsError, NotPossible
from manyhands.hub.core import Hub
from manyhands.hub.insight.config_fields import fields

MOST_BYTES = 256 * 1024


async def config(hub: Hub) -> ConfigView:
    return await asyncio.to_thread(_load, hub)


async def set_config(hub: Hub, text: str, digest: str) -> ConfigView:
    """The whole text anew."""
    return await asyncio.to_thread(_write, hub, text, digest)


async def set_setting(hub: Hub, key: str, value: Any, digest: str) -> ConfigView:
    """One setting; with no value it goes back to its default. Everything else stays as typed."""
    text = await asyncio.to_thread(_edited, hub, key, value)
    return await asyncio.to_thread(_write, hub, text, digest)


def _text(hub: Hub) -> str:
    try:
        return hub.home.config.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{hub.home.config} cannot be read: {error}") from error


def _load(hub: Hub) -> ConfigView:
    text, path, problem = _text(hub), hub.home.config, ""
    try:
        settings = parse_toml(text, path, Settings)
        given = tomllib.loads(text)
    except ManyhandsError as error:
        settings, given, problem = hub.last_settings, {}, error.message
    return ConfigView(
        path=str(path),
        text=text,
        digest=_digest(text),
        problem=problem,
        fields=fields(settings, given),
    )


def _edited(hub: Hub, key: str, value: Any) -> str:
    import tomlkit  # a megabyte, for those who change something by the page
    from tomlkit.exceptions import TOMLKitError

    section, dot, name = key.partition(".")
    if not dot or not name or "." in name:
        raise BadInput(f"{key!r} is no setting", hint="a setting is called like limits.working")
    try:
        document = tomlkit.parse(_text(hub))
    except TOMLKitError as error:
        raise BadInput(f"{hub.home.config} is not valid TOML: {error}") from error
    if value is None:
        table = document.get(section)
        if table is not None:
            table.pop(name, None)
    else:
        if section not in document:
            document.add(section, tomlkit.table())
        document[section][name] = value
    return tomlkit.dumps(document)


def _write(hub: Hub, text: str, digest: str) -> ConfigView:
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise BadInput(f"a config has {MOST_BYTES // 1024} kB at most")
    parse_toml(text, hub.home.config, Settings)
    # A link to a file among someone's dotfiles stays a link.
    target = Path(os.path.realpath(hub.home.config))
    descriptor, unfinished = tempfile.mkstemp(dir=target.parent, prefix=".config-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        if _digest(_text(hub)) != digest:
            raise NotPossible(
                f"{hub.home.config} was changed meanwhile; nothing was written",
                hint="look at what is there now, then make the change again",
            )
        Path(unfinished).replace(target)
    finally:
        Path(unfinished).unlink(missing_ok=True)
    return _load(hub)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
