"""The form for a new normalisation: scans, scanner, source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.analysis.calibrate.scan_list import ScanList
from app.analysis.calibrate.scanner_choice import ScannerChoice
from app.language.translation import tr
from app.state.models.inputs import DATA
from app.state.services.context import AppContext
from app.ui.forms.forms import Form
from app.ui.theme.widgets import label
from engine.modalities import ScanSummary
from engine.tools.normalisation_scan import NormalisationSettings

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.normalisation_scan import NormalisationRequest

NO_SCAN = tr("Add a scan of the source first.")


class NormaliseForm(QWidget):
    """Form with scans, scanner and source; the open scan is preset if it is in list mode."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.scans = ScanList(context.preferences, _open_scan(context))
        self.scanner = ScannerChoice(context)
        self.form = Form(NormalisationSettings)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(6)
        column.addWidget(label(tr("Scans of the source"), "heading"))
        column.addWidget(self.scans)
        column.addSpacing(6)
        column.addWidget(label(tr("Scanner"), "heading"))
        column.addWidget(self.scanner)
        column.addSpacing(6)
        column.addWidget(label(tr("Source"), "heading"))
        column.addWidget(self.form)
        column.addStretch(1)

    def request(self) -> NormalisationRequest | str:
        """Return the request, or the reason why it is incomplete."""
        from engine.core.errors import EngineError
        from engine.tools.normalisation_scan import NormalisationRequest

        if not self.scans.paths:
            return NO_SCAN
        # None means that the form has marked its invalid fields itself.
        found = self.form.checked()
        if found is None:
            return tr("A source field is empty or invalid. See the message below the field.")
        settings = cast(NormalisationSettings, found)
        cpu = self._context.session.device.named("cpu")
        try:
            source = settings.source.source()
        except EngineError as e:
            return str(e)
        return NormalisationRequest(
            tuple(self.scans.paths),
            source,
            scanner=self.scanner.chosen,
            interference=settings.interference,
            threads=cpu.threads if cpu is not None else None,
        )


def _open_scan(context: AppContext) -> tuple[Path, ...]:
    """Return the file of the open scan if it is list mode."""
    study = context.session.study
    scan: ScanSummary | None = study.inputs.scan
    if scan is None or not scan.is_list_mode:
        return ()
    return (Path(study.inputs[DATA].value),)
