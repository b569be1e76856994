"""The form that connects to a list-mode scan: source, events, correction files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtWidgets import QCheckBox

from app.language.translation import tr
from app.live.pet_request import EVENTS, PetRequest
from app.live.sender_options import SenderOptions
from app.live.source_form import (
    Chooser,
    Row,
    SourceForm,
    choice,
    field,
    rate_in,
    source_in,
)
from app.views.literal_text import literal_tip

SOURCE_TIP = tr(
    "Address of a sender (tcp://host:port), a list-mode file that a Siemens mMR or SAFIR "
    "scanner is writing, or a stored list-mode scan"
)
SCANNER_TIP = tr("Scanner name or scanner file, if the source does not specify the scanner")
PLAY_TIP = tr(
    "Play a stored scan as if it were being acquired now. 1 is the original speed, and 5 is five "
    "times as fast."
)
FILES_TIP = tr(
    "A μ-map applies to one patient position, and a normalisation to one scanner. Use the "
    "files of the current study only if they match the scan that is being acquired."
)
NO_SPEED = tr(
    "The playback speed {text!r} is not valid. Enter a multiple of the original speed, such as 1."
)
WRITTEN = tr("Choose a file that is being written, or a stored scan")
NO_FILES = tr("The current study has no correction files")


class EventsForm(SourceForm):
    """Form for a source of events.

    Parameters
    ----------
    files : returns the auxiliary files of the current study, by role
    """

    def __init__(self, files: Callable[[], Mapping[str, Path]]) -> None:
        super().__init__()
        self._files = files
        self.source = field(tr("Source"), tr("tcp://scanner:9668 or a file"), SOURCE_TIP)
        self.scanner = field(tr("Scanner"), tr("From the source"), SCANNER_TIP)
        self.rate = field(tr("Playback speed"), tr("Live scan"), PLAY_TIP)
        self.events = choice(tr("Events in the image"), [words for words, _ in EVENTS])
        self.uses_files = QCheckBox()
        self.uses_files.setAccessibleName(tr("Use files from the current study"))
        self.uses_files.setToolTip(literal_tip(FILES_TIP))
        self.senders = SenderOptions(self.file_into)
        file = Chooser(tr("File …"), lambda: self.file_into(self.source, WRITTEN), WRITTEN)
        self.lay_out(
            (
                Row(tr("Source"), self.source, (file,)),
                Row(tr("Senders"), self.senders),
                Row(tr("Scanner"), self.scanner),
                Row(tr("Events"), self.events),
                Row(tr("Corrections"), self.uses_files),
                Row(tr("Playback speed"), self.rate, tr("× original speed (stored scans only)")),
            )
        )
        self.show_files()

    def show_files(self) -> None:
        """Offer the files of the current study. They are used only if the user ticks them."""
        names = [path.name for path in self._files().values()]
        self.uses_files.setText(tr("Use {value}", value=", ".join(names)) if names else NO_FILES)
        self.uses_files.setEnabled(bool(names))
        # A tick without files would silently correct nothing.
        if not names:
            self.uses_files.setChecked(False)

    def request(self) -> PetRequest:
        """Return the entered request.

        Raises
        ------
        SourceFaultError
            if the source is missing or the playback speed is invalid
        """
        source = source_in(self.source)
        rate = rate_in(self.rate, NO_SPEED)
        _, newest_s = EVENTS[self.events.currentIndex()]
        # Copied: the study may change while the scan runs.
        files = dict(self._files()) if self.uses_files.isChecked() else {}
        return PetRequest(
            source,
            self.scanner.text().strip(),
            newest_s,
            rate,
            files,
            network=self.senders.network.isChecked(),
            sender_keys=self.senders.sender_keys,
            sender=self.senders.only_sender.text().strip(),
        )

    def show_request(self, request: PetRequest) -> None:
        """Fill in an earlier request.

        Files must be selected again for each scan, because a μ-map fits only one patient position.

        Parameters
        ----------
        request
            earlier request
        """
        self.source.setText(request.source)
        self.scanner.setText(request.scanner)
        self.rate.setText(f"{request.rate:g}" if request.rate else "")
        self.senders.show_request()
        # The texts are translated, so the duration identifies an entry.
        offered = [seconds for _, seconds in EVENTS]
        self.events.setCurrentIndex(offered.index(request.newest_s))
        self.uses_files.setChecked(False)
