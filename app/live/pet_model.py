"""The model of a running list-mode scan: image, history, detector blocks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.language.translation import tr
from app.live.following_model import FollowingModel
from app.live.pet_history import PetHistory
from app.live.pet_request import PetRequest, begin_pet
from app.state.models.inputs import DATA, SCANNER
from app.state.services.context import AppContext
from app.ui.theme.formatting import sentence_case
from engine.core.errors import EngineError

if TYPE_CHECKING:
    from engine.geometry import Scanner
    from engine.jobs import Loader
    from engine.live import LivePetSession, LivePetUpdate
    from engine.modalities import ListModeProtocol, Study

MS = 1000


class LivePetModel(FollowingModel["PetRequest", "LivePetSession", "LivePetUpdate"]):
    """Model of a running list-mode scan.

    Attributes
    ----------
    history : curves over the time of the scan
    per_period : True if the full reconstruction makes one image per period between motions
    """

    waits = tr("Waiting for events.")

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(context, parent)
        self.history, self.per_period = PetHistory(), False
        self._protocol = self.protocol()

    @property
    def has_scan(self) -> bool:
        request, update = self.request, self.update
        # With a time window old events are dropped, so there is no complete scan to save.
        is_growing = request is not None and request.newest_s is None
        return is_growing and update is not None and update.image is not None

    @property
    def scanner(self) -> Scanner | None:
        """The scanner; None until the source has sent it."""
        return None if self._session is None else self._session.scanner

    def n_received(self, update: LivePetUpdate) -> int:
        return update.statistics.events

    def waiting_for(self, update: LivePetUpdate) -> str:
        return f"{sentence_case(update.state)}." if update.state else ""

    def opener(self, request: PetRequest) -> Callable[[Loader], LivePetSession]:
        self.history.restart()
        self.per_period = False
        protocol = self._protocol = request.protocol or self.protocol()
        return lambda loader: begin_pet(request, protocol, loader)

    def handle_update(self, update: LivePetUpdate) -> None:
        self.history.add(update)

    def ended(self) -> None:
        # After the last event the image no longer changes, so the threads can end.
        self.close_session()

    def writer(self) -> Callable[[Path], object]:
        if self._session is None:
            raise EngineError(tr("There is no scan."))
        self.stop()
        scan = self._session.scan()

        def write(path: Path) -> None:
            from engine.io import write_listmode

            write_listmode(scan, path)

        return write

    def study_of(self, path: Path) -> Study:
        """Return the study of the saved scan with the settings of the live image.

        Parameters
        ----------
        path
            file of the saved scan
        """
        from engine.modalities import Study

        protocol = self._protocol
        # `_protocol` is that of the live image, also if the current study has changed since.
        if self.per_period:
            protocol = protocol.model_copy(update={"frames": self.frames_between_motions})
        files = {} if self.request is None else dict(self.request.files)
        return Study(data=path, inputs=files, protocol=protocol)

    @property
    def frames_between_motions(self) -> str:
        """Durations between motions as time frames, such as "12.4,30.1"; empty without motion."""
        update = self.update
        if update is None or not update.motions:
            return ""
        until = update.statistics.image_until_s
        # One ms more, so that events at the very end are in the last frame.
        ends = [*(each.at_s for each in update.motions), until + 1 / MS]
        # Rounded edges, not rounded durations: their errors would add up.
        edges = [0.0, *(round(MS * end) / MS for end in ends)]
        lengths = [b - a for a, b in pairwise(edges) if b > a]
        return ",".join(f"{length:.3f}" for length in lengths)

    def study_files(self) -> dict[str, Path]:
        """Return the auxiliary files of the current study by role, if it is a list-mode study."""
        study = self._context.session.study
        if not self.has_current_protocol:
            return {}
        return {
            key: Path(each.value)
            for key, each in study.inputs.items()
            # The live source replaces the data, and it states its scanner.
            if key not in (DATA, SCANNER)
        }

    def protocol(self) -> ListModeProtocol:
        """Return the current list-mode protocol, or the default one for other modalities."""
        from engine.modalities import ListModeProtocol

        protocol = self._context.session.study.protocol
        return protocol if isinstance(protocol, ListModeProtocol) else ListModeProtocol()

    @property
    def has_current_protocol(self) -> bool:
        """True if the current study uses list mode."""
        return self.protocol() is self._context.session.study.protocol
