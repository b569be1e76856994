"""Choose the layout of the views by the kind of the open data, and remember it for each kind."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject

from app.state.services.context import AppContext
from app.views.hanging import HANGINGS, HangingKind, kind_of
from app.views.layout import ViewLayout
from app.views.slices.ortho_view import OrthoView


class Hanging(QObject):
    """Shows each kind of data in its layout. A layout that the user chooses stays with the kind.

    Parameters
    ----------
    context : application with the displayed volumes and the preferences
    views : the views
    """

    def __init__(self, context: AppContext, views: OrthoView) -> None:
        super().__init__(views)
        self._session, self._preferences = context.session, context.preferences
        self._views = views
        self.kind: HangingKind = "activity"
        state = context.session.view
        for signal in (state.volume_changed, state.display_changed, state.fusion.volume_changed):
            signal.connect(self._follow)
        views.layout_changed.connect(self._remember)
        views.set_layout(self._layout_of(self.kind))
        self._follow()

    def _follow(self) -> None:
        has_frames = bool(self._session.run.record.images.frames)
        kind = kind_of(self._session.view, has_frames=has_frames)
        # Without a volume, the last layout stays. For the same kind, the user's choice stays.
        if kind is not None and kind != self.kind:
            self.kind = kind
            # A 3D view stays: opening the PET of a CT must not close it.
            shown = self._views.layout_now.projection
            self._views.hang(replace(self._layout_of(kind), projection=shown))

    def _layout_of(self, kind: HangingKind) -> ViewLayout:
        stored = self._preferences.layout_of(kind)
        return ViewLayout.of(stored) if stored else HANGINGS[kind]

    def _remember(self) -> None:
        now = self._views.layout_now
        # The layout of the protocol need not be stored, so a later version can improve it.
        is_stored = bool(self._preferences.layout_of(self.kind))
        if is_stored or now != HANGINGS[self.kind]:
            self._preferences.set_layout_of(self.kind, now.to_text())
