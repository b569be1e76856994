"""The form that connects to an X-ray scan: source, geometry, views."""

from __future__ import annotations

from pathlib import Path

from app.language.translation import tr
from app.live.live_request import MODES, LiveRequest
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

SOURCE_TIP = tr(
    "Address of a sender (tcp://host:port) or of an EPICS channel (pva://CHANNEL), a "
    "folder that receives images, or an HDF5 file that is being written"
)
GEOMETRY_TIP = tr(
    "A stored scan with the same geometry, if the source does not include its geometry"
)
PLAY_TIP = tr(
    "Play a stored scan at this number of frames per second, as if it were being acquired now"
)
NO_RATE = tr("The playback speed {text!r} is not valid. Enter frames per second, such as 30.")
WRITTEN = tr("Choose a file that is being written, or a stored scan")
FILLS = tr("Choose a folder that receives images")


class FramesForm(SourceForm):
    """Form for a source of frames."""

    def __init__(self) -> None:
        super().__init__()
        addresses = tr("tcp://detector:9667, pva://CHANNEL, a folder or a file")
        self.source = field(tr("Source"), addresses, SOURCE_TIP)
        self.like = field(tr("Geometry"), tr("From the source"), GEOMETRY_TIP)
        self.rate = field(tr("Playback speed"), tr("Live scan"), PLAY_TIP)
        self.mode = choice(tr("Views used for reconstruction"), [words for words, *_ in MODES])
        self.senders = SenderOptions(self.file_into)
        folder = Chooser(tr("Folder …"), lambda: self.folder_into(self.source, FILLS), FILLS)
        file = Chooser(tr("File …"), lambda: self.file_into(self.source, WRITTEN), WRITTEN)
        same = tr("Choose a scan with the same geometry")
        scan = Chooser(tr("Scan …"), lambda: self.file_into(self.like, same), GEOMETRY_TIP)
        self.lay_out(
            (
                Row(tr("Source"), self.source, (folder, file)),
                Row(tr("Senders"), self.senders),
                Row(tr("Geometry"), self.like, (scan,)),
                Row(tr("Views"), self.mode),
                Row(tr("Playback speed"), self.rate, tr("frames/s (stored scans only)")),
            )
        )

    def request(self) -> LiveRequest:
        """Return the entered request.

        Raises
        ------
        SourceFaultError
            if the source is missing or the playback speed is invalid
        """
        source = source_in(self.source)
        rate = rate_in(self.rate, NO_RATE)
        geometry = self.like.text().strip()
        _, mode, turn = MODES[self.mode.currentIndex()]
        # An empty text would become the path ".".
        scan = Path(geometry) if geometry else None
        return LiveRequest(
            source,
            scan,
            mode,
            turn,
            rate is not None,
            rate,
            network=self.senders.network.isChecked(),
            sender_keys=self.senders.sender_keys,
            sender=self.senders.only_sender.text().strip(),
        )

    def show_request(self, request: LiveRequest) -> None:
        """Fill in an earlier request.

        Parameters
        ----------
        request
            earlier request; a choice of views that the form does not offer becomes the first one
        """
        self.source.setText(request.source)
        self.like.setText(str(request.geometry or ""))
        self.rate.setText(f"{request.rate:g}" if request.rate else "")
        self.senders.show_request()
        modes = [(mode, turn) for _, mode, turn in MODES]
        # Labels are translated, so mode and turn identify an entry.
        asked = (request.mode, request.turn)
        self.mode.setCurrentIndex(modes.index(asked) if asked in modes else 0)
