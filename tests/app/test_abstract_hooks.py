"""Tests that editors and views override the abstract methods of their base classes.

Qt's metaclass does not support ABC: Python creates objects with abstract methods without an error.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QWidget

import app
from app.ui.forms.fields import Editor, SettingsEditor
from app.views.colour.raster_view import RasterView
from app.views.pane_content import PaneContent
from app.views.scan.detector_view import DetectorView

OPEN = {Editor, SettingsEditor, PaneContent, RasterView, DetectorView}
"""Base classes without direct instances."""


def below(base: type[QWidget]) -> Iterator[type[QWidget]]:
    """Yield the program's subclasses of a base class."""
    for module in pkgutil.walk_packages(app.__path__, "app."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for child in base.__subclasses__():
        yield child
        yield from below(child)


def left_open(kind: type) -> list[str]:
    """Return the abstract methods that a class does not implement."""
    return [name for name in dir(kind) if getattr(getattr(kind, name), "__isabstractmethod__", 0)]


@pytest.mark.parametrize("base", [Editor, PaneContent])
def test_every_class_implements_all_abstract_methods(base: type[QWidget]) -> None:
    concrete = [
        kind for kind in below(base) if kind not in OPEN and kind.__module__.startswith("app.")
    ]
    assert len(concrete) > 4, "classes are missing"
    assert {kind.__name__: left_open(kind) for kind in concrete if left_open(kind)} == {}


def test_missing_method_is_found() -> None:
    assert "raw" in left_open(Editor)
    assert "place_at" in left_open(DetectorView)
