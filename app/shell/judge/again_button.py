"""Button of the page Judge that prepares the displayed scan again at another quality level."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QMenu, QPushButton

from app.language.keys import name_of_key
from app.language.translation import tr
from app.shell.page.pages import Pages
from app.state.models.inputs import DATA
from app.state.models.messages import Problem
from app.state.models.quality import QUALITIES, Quality, caption_of, tip_of
from app.state.services.context import AppContext
from app.views.literal_text import literal_tip

NO_FINGERPRINT = tr(
    "The image has no fingerprint of its scan, so check that the open scan is of this patient."
)
NOT_CHANGED = tr("The quality was not changed.")
VERSION_MISSING = tr("The version of the protocol that made this image is no longer saved.")


class AgainButton(QPushButton):
    """Offers the two other quality levels; a choice shows the page Prepare, ready to start.

    Parameters
    ----------
    context : context with the displayed run and the study
    pages : pages of the window
    """

    def __init__(self, context: AppContext, pages: Pages) -> None:
        super().__init__(tr("Again as"))
        self._run, self._study = context.session.run, context.session.study
        self._pages, self._report = pages, context.session.raise_problem
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(self.fill)
        self.setMenu(menu)
        run = self._run
        for signal in (run.state_changed, run.record_changed, self._study.inputs_changed):
            signal.connect(self._show)
        self._show()

    @property
    def quality(self) -> Quality | None:
        """Quality level of the displayed image; None if its protocol was changed by hand."""
        record, study = self._run.record, self._study
        known = None if record.run is None else record.run.quality
        found = next((quality for quality in QUALITIES if quality == known), None)
        # A protocol that is not saved has no quality in its record.
        if (
            found is None
            and known is None
            and record.study is not None
            and self._uses_same_protocol
        ):
            made = record.study.protocol.model_copy(update={"saved": study.base.saved})
            return study.qualities.of(made)
        return found

    @property
    def _uses_same_protocol(self) -> bool:
        """True if the study uses the protocol of the image, at any quality."""
        made, base = self._run.record.study, self._study.base
        if made is None:
            return False
        # Another version of a protocol has other settings under the same name.
        saved = (made.protocol.saved, self._study.identified().saved)
        versions = {each.sha256 for each in saved if each is not None and each.sha256}
        is_named = made.protocol.name == base.name and made.protocol.modality == base.modality
        return is_named and len(versions) < 2

    def obstacle(self) -> str:
        """Return the reason why the scan cannot be prepared again; empty if it can."""
        record, study = self._run.record, self._study
        if record.study is None or not record.images.items:
            return tr("There is no image yet.")
        if not study.inputs.is_scan_of(record.study):
            return tr("Open the scan of this image first.")
        if self.quality is None:
            return tr("The protocol of this image was changed, so it has no quality level.")
        return ""

    def fill(self) -> None:
        """Offer the other quality levels."""
        menu, base = self.menu(), self._study.base
        menu.clear()
        for quality in QUALITIES:
            if quality == self.quality:
                continue
            words = f"{name_of_key(quality)} ({caption_of(quality, base)})"
            action = menu.addAction(words)
            action.setToolTip(literal_tip(tip_of(quality, base)))
            action.triggered.connect(partial(self._prepare, quality))

    def _prepare(self, quality: Quality, _: bool = False) -> None:
        study, made = self._study, self._run.record.study
        if made is None:
            return
        # Only the quality may differ from the image, so a protocol chosen since then is replaced.
        if not self._uses_same_protocol:
            study.use_protocol(made.protocol)
        if self._uses_same_protocol:
            study.use_quality(quality)
        else:
            self._report(Problem(NOT_CHANGED, VERSION_MISSING, is_fault=False))
        self._pages.show("prepare")

    def _show(self) -> None:
        why = self.obstacle()
        self.setEnabled(not why)
        tip = tr("Prepare this scan again with another quality, to compare both images")
        made = self._run.record.study
        if made is not None and DATA not in made.fingerprints:
            tip = f"{tip}. {NO_FINGERPRINT}"
        self.setToolTip(literal_tip(why or tip))
