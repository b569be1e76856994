"""Describe a saved protocol next to the list: settings, quality levels, unsaved changes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.language.translation import named, tr
from app.state.models.protocols.library import OWNERS, ListedProtocol
from app.state.models.protocols.text import facts_of, quality_texts
from app.state.models.quality import Qualities
from app.state.services.context import AppContext
from app.ui.theme.widgets import label, scrolled
from engine.core.visible_text import visible_line
from engine.modalities import OpenStudy, Protocol, modality_of, version_text

MIN_PX = 300
NAME_PX = 84
DIGITS = 12
"""Digits of a digest that are shown, enough to compare two by eye."""


class ProtocolFacts(QWidget):
    """Rows of names and values, created again for each protocol."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._study = context.session.study
        self.setMinimumWidth(MIN_PX)
        self._inside: QWidget | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    def show_protocol(self, listed: ListedProtocol | None) -> None:
        """Show a protocol.

        Parameters
        ----------
        listed
            the protocol; None clears the panel
        """
        if self._inside is not None:
            self._column.removeWidget(self._inside)
            # `deleteLater` alone would show old and new rows together for a moment.
            self._inside.hide()
            self._inside.deleteLater()
            self._inside = None
        if listed is None:
            return
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(10)
        column.addWidget(label(visible_line(version_text(listed.protocol)), "heading", wrap=True))
        column.addLayout(_rows(self._fact_rows(listed)))
        column.addWidget(label(tr("Quality"), "entry"))
        column.addLayout(_rows(quality_texts(self._qualities_of(listed.protocol))))
        if changes := self._changes(listed):
            column.addWidget(label(tr("Current study, not saved"), "entry"))
            column.addLayout(_rows(changes))
        column.addStretch(1)
        self._inside = scrolled(inside)
        self._column.addWidget(self._inside)

    def _qualities_of(self, protocol: Protocol) -> Qualities:
        """Return the quality levels for the open scan; of another modality without its facts."""
        is_kind = modality_of(protocol) is self._study.modality
        return Qualities(protocol, self._study.known if is_kind else OpenStudy())

    @staticmethod
    def _fact_rows(listed: ListedProtocol) -> list[tuple[str, str]]:
        saved = listed.protocol.saved
        rows = [*facts_of(listed.protocol), (tr("Source"), OWNERS[listed.source])]
        if saved is not None and saved.sha256:
            rows.append(("SHA-256", f"{saved.sha256[:DIGITS]} …"))
        if saved is not None and saved.changed:
            rows.append((tr("Note"), "; ".join(saved.changed)))
        return rows

    def _changes(self, listed: ListedProtocol) -> list[tuple[str, str]]:
        study = self._study
        # Unsaved changes belong to the protocol in use only.
        same = listed.protocol.name == study.base.name
        if not same or modality_of(listed.protocol) is not study.modality:
            return []
        found = [each.difference for each in study.changes]
        return [
            (named(each.label).capitalize(), tr("{now} (was {then})", now=each.now, then=each.then))
            for each in found
        ]


def _rows(rows: list[tuple[str, str]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(10)
    grid.setVerticalSpacing(5)
    grid.setColumnStretch(1, 1)
    # One width for all groups, so that their values are aligned.
    grid.setColumnMinimumWidth(0, NAME_PX)
    for k, (name, value) in enumerate(rows):
        grid.addWidget(label(name, "caption"), k, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(label(value, wrap=True), k, 1)
    return grid
