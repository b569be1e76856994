"""The view colours of the current theme."""

from __future__ import annotations

from app.ui.theme.theme import Theme
from app.views.colour.colours import DARK, LIGHT, ViewColours


def view_colours(theme: Theme) -> ViewColours:
    """Return the colours of the views.

    Parameters
    ----------
    theme
        the theme
    """
    return DARK if theme.colours.is_dark else LIGHT
