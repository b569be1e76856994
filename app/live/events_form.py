"""What is asked before a list-mode scan is followed: its source, which events, which files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtWidgets import QCheckBox

from app.language.translation import tr
from app.live.pet_request import EVENTS, PetRequest
from app.live.source_form import Chooser, Row, SourceForm, choice, field, rate_in, source_in
from app.views.literal_text import plain_tip

SOURCE_TIP = tr(
    "tcp://host:port of a sender, the words of a Siemens mMR or SAFIR that are being written, or a "
    "stored list-mode scan"
)
SCANNER_TIP = tr("Name or file of the scanner, where the source does not say it")
PLAY_TIP = tr(
    "A stored scan is played as if it were measured now: 1 is its own pace, 5 five times that"
)
FILES_TIP = tr(
    "A μ-map lies where this patient lay, and a normalisation is of this scanner: take them from "
    "the study at hand only if they belong to the scan that is measured now"
)
WRITTEN = tr("A file that is being written, or a stored scan")
NO_FILES = tr("The study at hand has none")


class EventsForm(SourceForm):
    """Asks for a source of events.

    Parameters
    ----------
    files : returns the further files of the study at hand, by their roles
    """

    def __init__(self, files: Callable[[], Mapping[str, Path]]) -> None:
        super().__init__()
        self._files = files
        self.source = field(tr("Source"), tr("tcp://scanner:9668 or a file"), SOURCE_TIP)
        self.scanner = field(tr("Scanner"), tr("As the source says"), SCANNER_TIP)
        self.rate = field(tr("Play at"), tr("Is being measured"), PLAY_TIP)
        self.events = choice(tr("Events in the image"), [words for words, _ in EVENTS])
        self.uses_files = QCheckBox()
        self.uses_files.setAccessibleName(tr("Files of the study at hand"))
        self.uses_files.setToolTip(plain_tip(FILES_TIP))
        file = Chooser(tr("File …"), lambda: self.file_into(self.source, WRITTEN), WRITTEN)
        self.lay_out(
            (
                Row(tr("Source"), self.source, (file,)),
                Row(tr("Scanner"), self.scanner),
                Row(tr("Events"), self.events),
                Row(tr("Corrections"), self.uses_files),
                Row(tr("Play at"), self.rate, tr("times its pace, a stored scan")),
            )
        )
        self.show_files()

    def show_files(self) -> None:
        """Offer the files of the study at hand; they are not taken unless they are chosen."""
        names = [path.name for path in self._files().values()]
        self.uses_files.setText(tr("With {value}", value=", ".join(names)) if names else NO_FILES)
        self.uses_files.setEnabled(bool(names))
        if not names:
            self.uses_files.setChecked(False)

    def request(self) -> PetRequest:
        """Return what is filled in.

        Raises
        ------
        SourceFaultError
            where it cannot be followed
        """
        source = source_in(self.source)
        rate = rate_in(self.rate, tr("how many times its own pace, such as 1"))
        _, newest_s = EVENTS[self.events.currentIndex()]
        files = dict(self._files()) if self.uses_files.isChecked() else {}
        return PetRequest(source, self.scanner.text().strip(), newest_s, rate, files)

    def show_request(self, request: PetRequest) -> None:
        """Fill in what was asked for before; files are chosen anew for each scan."""
        self.source.setText(request.source)
        self.scanner.setText(request.scanner)
        self.rate.setText(f"{request.rate:g}" if request.rate else "")
        offered = [seconds for _, seconds in EVENTS]
        self.events.setCurrentIndex(offered.index(request.newest_s))
        self.uses_files.setChecked(False)
