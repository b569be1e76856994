"""Judge the displayed image and sign it off with its report: three choices and one button."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.language.translation import tr
from app.output.report.archive_sending import sends_after_sign_off
from app.output.report.judgement_buttons import JudgementButtons
from app.output.report.report_commands import (
    ImageJudgement,
    Reported,
    obstacle,
    people_of,
    send_result,
    sign_and_report,
    signatures_of_run,
)
from app.state.models.images.shown_result import is_result_shown
from app.state.models.messages import Problem
from app.state.models.outbox import RECALL_S
from app.state.models.run_record import RunState
from app.state.services.context import AppContext
from app.ui.forms.fields import QuietCombo
from app.ui.theme.formatting import sentence_case
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button, label, set_tone
from app.views.literal_text import literal_tip
from engine.core.visible_text import visible_line
from engine.results.reports import Signature

UNJUDGED = tr("Review the image first: accept it, accept it with remarks, or reject it.")
NO_REMARK = tr("Enter a remark.")
NOT_SHOWN = tr("The views show other volumes. Show this image before you sign it off.")


class SignOff(QWidget):
    """Signatory, judgement and button for the displayed result; another result clears them.

    Signals
    -------
    changed : the judgement changed, or the image was signed

    Parameters
    ----------
    context : context with the displayed result
    separate : True if the owner places the three buttons of the judgement elsewhere
    """

    changed = Signal()

    def __init__(self, context: AppContext, *, separate: bool = False) -> None:
        super().__init__()
        self._context, self._run = context, context.session.run
        self._of = self._sent = ""
        self._reported: Reported | None = None
        self._signatures: tuple[Signature, ...] = ()
        self._fault = ""
        self.judgement = JudgementButtons()
        self.remark = QLineEdit()
        self.remark.setPlaceholderText(tr("Remark"))
        self.remark.setAccessibleName(tr("Remark"))
        self.who = QuietCombo()
        self.who.setAccessibleName(tr("Signed off by"))
        self.who.setToolTip(
            tr("Person who signs off. You can edit the list of names in the settings.")
        )
        self.sign = button(tr("Sign off and save report"), self._sign, role="primary")
        set_icon(self.sign, "report", context.theme, "on_accent")
        self.send = button(tr("Sign off and send report"), self._sign_and_send, role="primary")
        set_icon(self.send, "send", context.theme, "on_accent")
        self.message = label("", "muted", wrap=True)
        self.open = button(
            tr("Open the report"), self._open, tr("Open the report in the default program")
        )
        self._lay_out(separate)
        self.judgement.group.buttonClicked.connect(self._show)
        self.remark.textChanged.connect(self._show)
        self._has_draft = False
        for signal in (
            *(self.judgement.group.buttonClicked, self.remark.textEdited),
            self.who.currentTextChanged,
        ):
            signal.connect(self._update_draft)
        context.session.outbox.sent.connect(self._show_sent)
        run = self._run
        for signal in (
            *(run.state_changed, run.images_changed, run.result_stored),
            context.session.volumes.changed,
        ):
            signal.connect(self._show)
        self._show()

    def _lay_out(self, separate: bool) -> None:
        self.by = QWidget()
        row = QHBoxLayout(self.by)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(label(tr("By"), "caption"))
        row.addWidget(self.who, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        if not separate:
            column.addWidget(self.judgement)
        column.addWidget(self.remark)
        column.addWidget(self.by)
        column.addWidget(self.sign)
        column.addWidget(self.send)
        column.addWidget(self.message)
        column.addWidget(self.open)

    def _show(self) -> None:
        record = self._run.record
        if record.result_id != self._of:  # another image: the judgement does not apply to it
            self._of, self._sent, self._reported = record.result_id, "", None
            self._signatures, self._fault = signatures_of_run(record)
            self.judgement.clear()
            self.remark.clear()
            self._update_draft()
        self._list_people()
        why = self._obstacle()
        self.sign.setEnabled(not why)
        can_judge = not obstacle(record) and not self.is_signed
        self.judgement.setEnabled(can_judge)
        for each in (self.judgement, self.by, self.sign):
            each.setVisible(not self.is_signed)
        node = self._context.preferences.site.node
        by_itself = sends_after_sign_off(self._context.preferences.site, self.judgement.chosen)
        self.send.setVisible(bool(node) and not by_itself and not self.is_signed)
        self.send.setEnabled(not why)
        signing = tr("Record the review and save the report")
        if by_itself:
            signing = tr(
                "Record the review and save the report. Image and report go to {node} {n} s later.",
                node=node,
                n=round(RECALL_S),
            )
        self.sign.setToolTip(literal_tip(why or signing))
        sending = tr("Record the review, save the report and send it to {node}", node=node)
        self.send.setToolTip(literal_tip(why or sending))
        self.remark.setVisible(self.judgement.chosen not in (None, "acceptable"))
        self.open.setVisible(self._reported is not None)
        self._show_text(why)
        self.changed.emit()

    @property
    def is_signed(self) -> bool:
        """True if the result is signed off; it is then not asked for again."""
        return bool(self._signatures)

    @property
    def signature(self) -> Signature | None:
        """The last signature of the result; None before it is signed off."""
        return self._signatures[-1] if self._signatures else None

    def clear_draft(self) -> None:
        """Clear a judgement that was not signed off."""
        self.judgement.clear()
        self._update_draft()
        self._show()

    def _update_draft(self) -> None:
        """Tell the preview of the report which judgement is being entered."""
        chosen, draft = self.judgement.chosen, self._context.session.draft
        if chosen is not None and not self.is_signed:
            self._has_draft = True
            remark = "" if chosen == "acceptable" else self.remark.text()
            draft.replace(f"{self.who.currentText()}: {chosen}", remark)
        elif self._has_draft:  # of this widget; another one may have the current draft
            self._has_draft = False
            draft.replace("", "")

    def _obstacle(self) -> str:
        if self._run.state in (RunState.PREPARING, RunState.RUNNING, RunState.FINISHING):
            return tr("A reconstruction is running.")
        if why := obstacle(self._run.record):
            return why
        if self.is_signed:
            return tr("The result has been signed off.")
        # A reader could judge the image of another patient under the name of this one.
        if not is_result_shown(self._context.session.volumes, self._run.record.result_id):
            return NOT_SHOWN
        if self.judgement.chosen is None:
            return UNJUDGED
        is_bare = self.judgement.chosen == "acceptable" or self.remark.text().strip()
        return "" if is_bare else NO_REMARK

    def _show_text(self, why: str) -> None:
        self._show_state(why)
        self.message.setVisible(bool(self.message.text()))

    def _show_state(self, why: str) -> None:
        if not self.is_signed:
            self.message.setText(" ".join(filter(None, (self._fault, why))))
            set_tone(self.message, "warning" if self._fault else "muted")
            return
        words, path = sentence_case(self._signatures[-1].describe()), ""
        if self._reported is not None:
            path = str(self._reported.path)
            words = tr("{describe}. Report: {name}", describe=words, name=self._reported.path.name)
        self.message.setText(" ".join(filter(None, (words, self._sent, self._fault))))
        self.message.setToolTip(literal_tip(path))
        set_tone(self.message, "warning" if self._fault else "ok")

    def _list_people(self) -> None:
        people = [visible_line(name) for name in people_of(self._context.preferences.site)]
        # Only a changed list is refilled, so that the selected name stays.
        if [self.who.itemText(i) for i in range(self.who.count())] != people:
            self.who.clear()
            self.who.addItems(people)

    def _sign(
        self, done: Callable[[Reported], object] | None = None, *, sends_report: bool = False
    ) -> None:
        judgement = self.judgement.chosen
        if judgement is None:
            return
        # A second click would sign twice.
        self.sign.setEnabled(False)
        self.send.setEnabled(False)
        verdict = ImageJudgement(self.who.currentText(), judgement, self.remark.text())
        of, title = self._of, self._run.record.local_title

        outbox = self._context.session.outbox
        sends_image = sends_after_sign_off(self._context.preferences.site, judgement)

        def expect_sending() -> None:
            # Stored with the signature, so that a crash of the window does not lose it.
            if sends_image or sends_report:
                outbox.expect(of, title, with_image=sends_image)

        def signed(reported: Reported) -> None:
            (done or self._done)(reported)
            if sends_after_sign_off(self._context.preferences.site, judgement):
                outbox.add(of, title)
            else:
                outbox.changed.emit()

        # The result that this panel shows, whatever the window displays when the work begins.
        sign_and_report(self._context, verdict, signed, id=of, on_signed=expect_sending)

    def _sign_and_send(self) -> None:
        of = self._of

        def done(reported: Reported) -> None:
            self._done(reported)
            send_result(self._context, lambda accepted: self._show_sent(of, accepted), id=of)

        self._sign(done, sends_report=True)

    def _show_sent(self, of: str, accepted: str) -> None:
        if self._run.record.result_id == of:
            self._sent = accepted
            self._show()

    def _done(self, reported: Reported) -> None:
        if self._run.record.result_id == self._of:
            self._reported, self._signatures = reported, reported.signatures
            _, self._fault = signatures_of_run(self._run.record)
            self._update_draft()
        self._show()

    def _open(self) -> None:
        if self._reported is not None:
            path = self._reported.path
            if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
                text = tr("No program opens {path}. Open it in a PDF viewer.", path=path)
                problem = Problem(tr("The report was not opened."), text)
                self._context.session.raise_problem(problem)
