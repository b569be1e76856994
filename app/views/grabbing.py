"""Pictures of views that draw slowly, such as the 3D view: taken once every pixel is drawn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from app.views.colour.raster_view import RasterView
from app.views.state import ViewState

WAIT_MS = 2
"""Time between two parts of a view that is drawn slowly."""


def advance(widget: QWidget) -> bool:
    """Continue the slow drawing of a view, or of all visible views in a widget.

    Parameters
    ----------
    widget
        the view, or a widget with views

    Returns
    -------
    True if all show the current volumes completely, or cannot show them
    """
    inside = [each for each in widget.findChildren(QWidget) if each.isVisible()]
    # Every view continues, also after one that is not complete.
    complete = [each.advance() for each in (widget, *inside) if isinstance(each, RasterView)]
    return all(complete)


def grab_when_complete(
    widget: QWidget, state: ViewState, take: Callable[[QImage | None], object]
) -> None:
    """Call a function with a picture of a widget, once its views are complete.

    Parameters
    ----------
    widget
        the view, or a widget with views
    state
        state of the views
    take
        receives the picture; None if another scan or result is shown meanwhile
    """
    _take_later(widget, state, take, state.subjects)


def _take_later(
    widget: QWidget,
    state: ViewState,
    take: Callable[[QImage | None], object],
    subjects: tuple[object, object],
) -> None:
    if state.subjects != subjects:
        take(None)
    elif advance(widget):
        take(widget.grab().toImage())
    else:
        again = partial(_take_later, widget, state, take, subjects)
        QTimer.singleShot(WAIT_MS, widget, again)
