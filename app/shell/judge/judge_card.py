"""The card of the page Judge: the completed run, its warnings, the verdict and the next actions."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.language.translation import tr
from app.output.report.sign_off import SignOff
from app.output.results.film_strip import MIN_RESULTS
from app.output.results.image_caption import ImageCaption
from app.output.results.result_text import SIGNED
from app.shell.actions import Actions
from app.shell.header_parts import verb_button
from app.shell.judge.again_button import AgainButton
from app.shell.judge.drop_down import DropDown
from app.shell.judge.run_warnings import warnings_of_run
from app.shell.page.pages import Pages
from app.state.models.run_record import RunState
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button
from app.views.literal_text import LiteralLabel, literal_tip
from app.views.slices.labels import ElidedLabel
from app.workspace.steps.folded_warnings import FoldedWarnings

NOTHING = tr("No image yet")
PREVIOUS = tr("Previous image")
ENDED = {RunState.ABORTED: tr("aborted"), RunState.FAILED: tr("stopped by an error")}
SPACING_PX, TEXT_PX = 8, 60
TITLE_PX = 180
"""Least width of the title next to the button for another quality; Prepare offers that too [px]."""


class JudgeCard(QWidget):
    """Summary of the run, count of warnings, verdict, and Send, Report and Next scan."""

    def __init__(self, context: AppContext, actions: Actions, pages: Pages) -> None:
        super().__init__()
        self._session, self._run = context.session, context.session.run
        self._theme, self._context = context.theme, context
        self._mark = LiteralLabel()
        self.title = ElidedLabel()
        self.title.setProperty("role", "entry")
        self.caption = ImageCaption(context, names=False)
        self.warnings = FoldedWarnings(context, separate=True)
        self.sign_off = SignOff(context, separate=True)
        self.signed = button("", self._show_signature, tr("Show who signed off, and the report"))
        self.send, self.report = (verb_button(each) for each in (actions.send, actions.report))
        self.again = AgainButton(context, pages)
        self.next = QPushButton(tr("Next scan"))
        self.next.setToolTip(literal_tip(tr("Open the next scan (Ctrl+O)")))
        self.next.setProperty("role", "primary")
        self.next.clicked.connect(actions.open.trigger)
        set_icon(self.next, "next", context.theme, "on_accent")
        self._lay_out()
        self.warning_card = DropDown(
            tr("Warnings"), self.warnings.inside, context.theme, self.warnings.toggle
        )
        self.verdict_card = DropDown(tr("Sign off"), self.sign_off, context.theme, self._verdict)
        self.warnings.toggle.toggled.connect(self.warning_card.show_card)
        self.warning_card.closed.connect(lambda: self.warnings.toggle.setChecked(False))
        self.verdict_card.closed.connect(self.sign_off.clear_draft)
        self.sign_off.judgement.group.buttonClicked.connect(
            lambda: self.verdict_card.show_card(True)
        )
        self.sign_off.changed.connect(self._show)
        run = self._run
        for signal in (
            *(run.state_changed, run.record_changed, run.images_changed, run.result_stored),
            *(context.session.results.changed, context.session.study.inputs_changed),
            context.session.view.volume_changed,
        ):
            signal.connect(self._show)
        self._show()

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(0)
        words.addWidget(self.title)
        self.caption.setContentsMargins(0, 0, 0, 0)
        words.addWidget(self.caption)
        for each in (self.title, self.caption):
            each.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            each.setMinimumWidth(TEXT_PX)
        self._verdict = QWidget()
        verdict = QHBoxLayout(self._verdict)
        verdict.setContentsMargins(0, 0, 0, 0)
        verdict.addWidget(self.sign_off.judgement)
        verdict.addWidget(self.signed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACING_PX)
        row.addWidget(self._mark)
        row.addLayout(words, 1)
        row.addWidget(self.warnings)
        row.addWidget(self._verdict)
        for made in (self.send, self.report, self.again, self.next):
            row.addWidget(made)

    def minimumSizeHint(self) -> QSize:
        # Without the button that a narrow card leaves out.
        spared = 0 if self.again.isHidden() else self.again.sizeHint().width() + SPACING_PX
        return super().minimumSizeHint() - QSize(spared, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the button for another quality if the card is narrow.

        Parameters
        ----------
        event
            event of Qt
        """
        self._offer_again()

    def _offer_again(self) -> None:
        """Offer another quality after the first run of a scan, if the card is wide."""
        record, results = self._run.record, self._session.results
        # With two results the film strip compares them, and Prepare offers further qualities.
        is_first = len(results.of_scan(record.study, record.known_inputs)) < MIN_RESULTS
        others = (self._mark, self.warnings, self._verdict, self.send, self.report, self.next)
        used = sum(each.sizeHint().width() + SPACING_PX for each in (*others, self.again))
        self.again.setVisible(is_first and self.width() - used >= TITLE_PX)

    def _show(self) -> None:
        record, state = self._run.record, self._run.state
        has_image = bool(record.images.items)
        scan = record.study.data.name if record.study is not None else ""
        parts = (self._session.image_name, scan, ENDED.get(state, ""))
        text = " · ".join(dict.fromkeys(filter(None, parts)))
        # After a run without an image, the views still show the image before it.
        instead = NOTHING if self._session.view.volume is None else PREVIOUS
        self.title.set_full_text(text if has_image else instead)
        self._offer_again()
        found = warnings_of_run(self._context) if has_image else []
        tone = "missing" if state is RunState.FAILED else "warning" if found else "ok"
        tone = tone if has_image else "waiting"
        set_icon(self._mark, tone, self._theme, "muted" if tone == "waiting" else tone)
        self.warnings.show_warnings(found, editable=not state.is_active)
        signature = self.sign_off.signature
        self.signed.setVisible(signature is not None)
        if signature is not None:
            self.signed.setText(SIGNED[signature.judgement])
            set_icon(self.signed, "ok", self._theme, "ok")

    def _show_signature(self) -> None:
        self.verdict_card.show_card(not self.verdict_card.isVisible())
