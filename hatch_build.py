"""Puts the built page into the package: builds it when stale, refuses a wheel without one."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def load_build_ui(root: Path) -> ModuleType:
    """The shared build script, which is no importable package in a build environment."""
    spec = importlib.util.spec_from_file_location("build_ui", root / "scripts" / "build_ui.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["build_ui"] = module
    spec.loader.exec_module(module)
    return module


class PageHook(BuildHookInterface[Any]):
    def dependencies(self) -> list[str]:
        build_ui = load_build_ui(Path(self.root))
        stale = build_ui.Page(Path(self.root)).is_stale()
        return [build_ui.NODE_REQUIREMENT] if stale and build_ui.find_node() is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build_ui = load_build_ui(Path(self.root))
        page = build_ui.Page(Path(self.root))
        try:
            build_ui.build(page)
            if not page.is_built():
                raise build_ui.BuildFailed("There is no built page, and no web/ to build it from.")
        except build_ui.BuildFailed as failure:
            if version != "editable":
                self.app.abort(str(failure))
            self.app.display_warning(f"{failure} The hub will serve no page until `make setup`.")
