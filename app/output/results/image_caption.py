"""A line below the views: provenance of the displayed image, and changes of settings since then."""

from __future__ import annotations

from app.language.translation import tr
from app.output.results.result_text import made_with
from app.state.models.inputs import DATA
from app.state.models.run_record import RunRecord
from app.state.services.context import AppContext
from app.ui.theme.widgets import set_tone
from app.views.slices.labels import ElidedLabel
from engine.data import Volume

OF_LAST = tr("Image from the previous run. The first image of this run is not available yet.")


class ImageCaption(ElidedLabel):
    """Caption that follows the image and the settings; hidden until a run has made an image.

    Parameters
    ----------
    context : context with the displayed image
    names : False if the owner states the name of the image
    """

    def __init__(self, context: AppContext, *, names: bool = True) -> None:
        super().__init__()
        self._names = names
        self._session, self._volumes = context.session, context.session.volumes
        self._study, self._run = context.session.study, context.session.run
        self._of: RunRecord | None = None
        self.setContentsMargins(10, 3, 10, 3)
        self.setAccessibleName(tr("Image provenance"))
        self._run.image_selected.connect(self._follow_image)
        for signal in (
            self._study.protocol_changed,
            self._study.inputs_changed,
            self._run.state_changed,
            self._run.begun,
            self._volumes.changed,
            context.session.results.changed,
        ):
            signal.connect(self._show)
        self.hide()

    def _follow_image(self, volume: Volume | None) -> None:
        # A new run has a new record; the caption keeps that of the displayed image.
        self._of = self._run.record if volume is not None else None
        self._show()

    def _show(self) -> None:
        record = self._of
        if record is None or record.study is None or not self._volumes.shows_image:
            self.hide()
            return
        now = self._study.to_study() if DATA in self._study.inputs else None
        is_named = self._names and record is self._run.record
        name = self._session.image_name if is_named else ""
        text, has_changed = made_with(record, now, name, self._run.selected)
        # The first image of the new run is not there yet; a warning about changes would only
        # confuse.
        if record is not self._run.record and self._run.state.is_active:
            text, has_changed = f"{OF_LAST} {text}", False
        self.set_full_text(text)
        set_tone(self, "warning" if has_changed else "muted")
        self.show()
