"""The open study: its inputs, its protocol, and the estimated memory and time of a run."""

from __future__ import annotations

from PySide6.QtCore import Signal

from app.language.translation import tr
from app.state.models.device_choice import DeviceChoice
from app.state.models.inputs import DATA, Input, Inputs, XrayStudy, roles_of
from app.state.models.protocols.state import ProtocolState
from app.state.models.quality import Quality
from app.state.models.speeds import Speeds, once_key
from engine.core.backend import DeviceInfo
from engine.core.errors import EngineError
from engine.core.settings import Settings
from engine.geometry import ImageGrid, Scanner
from engine.modalities import (
    CtProtocol,
    ProjectionsSummary,
    Protocol,
    Requirements,
    Study,
    digest_of,
    refuse_if_too_large,
)

_Key = tuple[object, ...]
"""Files and settings of a study."""


class StudyModel(ProtocolState):
    """Inputs and protocol of the open scan.

    Signals
    -------
    inputs_changed, protocol_changed : another file or setting
    scan_replaced : the scan was closed or replaced; images of the old one are obsolete
    stored : the study was saved or queued, or a run of it can be continued

    Attributes
    ----------
    inputs : the files of the open scan; another scan has other inputs
    reading : names of the files that are being read, by role
    done_once : keys of work that runs of this session have cached, see `once_key`
    """

    inputs_changed = Signal()
    scan_replaced = Signal()
    stored = Signal()

    def __init__(self, device: DeviceChoice) -> None:
        super().__init__(lambda: self.inputs.open_study)
        self.device = device
        self.inputs = Inputs()
        self.reading: dict[str, str] = {}
        self.done_once: set[str] = set()
        self._stored: set[_Key] = set()

    # Inputs

    def begin(self, inputs: Inputs, protocol: Protocol | None = None) -> None:
        """Begin the study of another scan. No setting or file of the previous one stays.

        Parameters
        ----------
        inputs
            its files
        protocol
            protocol of its study file; None chooses the scan's own
        """
        before = self.identified()
        if DATA in self.inputs:
            self.scan_replaced.emit()
        self.inputs = inputs
        self._begin(protocol, before)
        # The unchanged study can be opened again from its files, so it counts as stored.
        self._stored = {_key_of(self.to_study())} if DATA in self.inputs else set()
        self._show_all()

    def other(self, inputs: Inputs, protocol: Protocol | None = None) -> StudyModel:
        """Return the study of another scan, with the protocol it would open with.

        Parameters
        ----------
        inputs
            its files
        protocol
            protocol of its study file; None chooses the scan's own
        """
        made = StudyModel(self.device)
        made.library, made.offered, made.pins = self.library, self.offered, self.pins
        made.begin(inputs, protocol)
        return made

    def revise(self, inputs: Inputs) -> None:
        """Replace the inputs after the scan was read for another scanner.

        Parameters
        ----------
        inputs
            the files of the same scan
        """
        quality, self.inputs, self.note = self.quality, inputs, ""
        self._follow_inputs(quality)

    def set_input(self, role: str, found: Input | None) -> None:
        """Add, replace or remove one input.

        Parameters
        ----------
        role
            input role; a new scan begins another study
        found
            the input; None removes it, and removing the scan clears the study
        """
        if role == DATA:
            # A scanner that was chosen before any scan was open belongs to the scan that follows.
            before = {} if DATA in self.inputs else dict(self.inputs)
            self.begin(Inputs(**before, data=found) if found is not None else Inputs())
            return
        quality = self.quality
        if found is None:
            self.inputs.pop(role, None)
        elif role in self.roles:
            self.inputs[role] = found
        self._follow_inputs(quality)

    def show_reading(self, names: dict[str, str]) -> None:
        """Store which files are being read. The study cannot run until they are.

        Parameters
        ----------
        names
            names of the files by role
        """
        if names != self.reading:
            self.reading = names
            self.inputs_changed.emit()

    def _follow_inputs(self, quality: Quality | None) -> None:
        """Adapt the protocol of the open scan to its files, at the same quality."""
        self._follow(quality)
        self._show_all()

    def _show_all(self) -> None:
        # Without a scan any role may come first, so nothing is foreign yet.
        if self.suitable:
            self._drop_foreign_files()
        self.inputs_changed.emit()
        self.protocol_changed.emit()

    def _drop_foreign_files(self) -> None:
        for role in set(self.inputs) - set(self.roles):
            del self.inputs[role]

    def _drop_foreign_inputs(self) -> None:
        self._drop_foreign_files()
        self.inputs_changed.emit()

    @property
    def xray(self) -> XrayStudy | None:
        """Scan and protocol of projections; None for other modalities."""
        scan, protocol = self.inputs.scan, self.protocol
        if isinstance(scan, ProjectionsSummary) and isinstance(protocol, CtProtocol):
            return XrayStudy(scan, protocol)
        return None

    def steps(self) -> tuple[Settings, ...]:
        """Return the settings of each preparation step, in order."""
        return tuple(self.modality.choices(self.protocol).values())

    def note_axis(self, scan: ProjectionsSummary, protocol: CtProtocol, column: float) -> None:
        """Store the rotation axis that a preview found, because the volume is centred on it.

        Parameters
        ----------
        scan
            summary of the open scan
        protocol
            protocol of the preview; only its preparation steps matter
        column
            detector column of the axis
        """
        # The axis depends on the preparation steps, which may shift or crop columns.
        steps = tuple(protocol.steps.steps())
        if scan.axes.get(steps) != column:
            scan.axes[steps] = column
            self.inputs_changed.emit()

    @property
    def scanner(self) -> Scanner | None:
        """The scanner in use."""
        return self.inputs.scanner

    def to_study(self) -> Study:
        """Return the study for the engine; the scan must be open.

        Its protocol records which saved one it is, and the differences from it.
        """
        return self.inputs.to_study(self.identified())

    @property
    def edited(self) -> Study | None:
        """The study if its current settings and files exist only in this window; else None."""
        if DATA not in self.inputs:
            return None
        study = self.to_study()
        return None if _key_of(study) in self._stored else study

    def note_stored(self, study: Study) -> None:
        """Note that a study was saved or queued, or that a run of it can be continued.

        Parameters
        ----------
        study
            the study with the settings that are stored now
        """
        self._stored.add(_key_of(study))
        self.stored.emit()

    def note_edited(self) -> None:
        """Note that the settings of the open study exist only in this window."""
        self._stored.clear()

    @property
    def roles(self) -> tuple[str, ...]:
        """Roles of inputs that the study may have."""
        return roles_of(self.modality)

    # Requirements of a run

    def grid(self) -> ImageGrid | None:
        """Return the image grid of the protocol; None while it is not known.

        Raises `EngineError` if no grid is possible, for example with too many voxels.
        """
        return self.modality.grid(self.protocol, self.known)

    def requirements(self, on: DeviceInfo | None = None, left: float = 1.0) -> Requirements | None:
        """Return memory and time of a run, corrected by speeds measured on this computer.

        Parameters
        ----------
        on
            the device; None for the chosen one
        left
            share of the iterations still to do, 0 to 1

        Returns
        -------
        None while grid or device is not known
        """
        on = on or self.device.in_use
        estimate = self.estimate(on, left) if on is not None else None
        if on is None or estimate is None:
            return None
        if once_key(self.inputs, self.protocol, on) in self.done_once:
            # The sensitivity or matrix is in the cache already, so the next run is faster.
            estimate = estimate.without_once()
        return Speeds(self.modality, on, self.device.speed_ratios).applied(estimate)

    def estimate(self, on: DeviceInfo, left: float = 1.0) -> Requirements | None:
        """Return the engine's estimate of memory and time, without measured speeds.

        Parameters
        ----------
        on
            the device
        left
            share of the iterations still to do, 0 to 1

        Returns
        -------
        None while the grid is not known
        """
        protocol, known, grid = self.protocol, self.known, self.grid()
        return None if grid is None else self.modality.requirements(protocol, known, grid, on, left)

    def obstacle(self) -> str:
        """Return the reason why no run can start; empty if one can."""
        for name in self.reading.values():
            return tr("{name} is still being read.", name=name)
        unsuited = self.modality.fault(self.protocol, self.known)
        if fault := self.inputs.fault() or unsuited or self.device.obstacle():
            return fault
        try:
            grid = self.grid()
            requirements = self.requirements()
            if grid is not None and requirements is not None:
                refuse_if_too_large(requirements, grid)
        except EngineError as e:
            return str(e)
        return ""


def _key_of(study: Study) -> _Key:
    """Return the files and settings of a study; records of saved protocols do not count."""
    return (
        (study.data, study.scanner, study.complete_events),
        tuple(sorted(study.inputs.items())),
        digest_of(study.protocol),
    )
