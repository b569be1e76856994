"""The open study: its inputs, its protocol, and the memory and time that a run would need."""

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
    refuse_if_too_large,
)


class StudyModel(ProtocolState):
    """Inputs and protocol of the scan to reconstruct.

    Signals
    -------
    inputs_changed, protocol_changed : another file or setting
    scan_replaced : the scan is gone or another one; images of the old one belong to nothing

    Attributes
    ----------
    inputs : the files of the scan at hand; another scan has others
    reading : names of the files that are being read, by their role
    done_once : what runs of this session have computed once and kept, see `once_key`
    """

    inputs_changed = Signal()
    scan_replaced = Signal()

    def __init__(self, device: DeviceChoice) -> None:
        super().__init__(lambda: self.inputs.open_study)
        self.device = device
        self.inputs = Inputs()
        self.reading: dict[str, str] = {}
        self.done_once: set[str] = set()

    # inputs

    def begin(self, inputs: Inputs, protocol: Protocol | None = None) -> None:
        """Begin the study of another scan: with the protocol of its study, or with its own.

        Nothing of the scan before stays: no setting, no quality level, no file.
        """
        before = self.identified()
        if DATA in self.inputs:
            self.scan_replaced.emit()
        self.inputs = inputs
        self._begin(protocol, before)
        self._show_all()

    def other(self, inputs: Inputs, protocol: Protocol | None = None) -> StudyModel:
        """Return the study of another scan, with the protocol that the scan would open with."""
        made = StudyModel(self.device)
        made.library, made.offered, made.pins = self.library, self.offered, self.pins
        made.begin(inputs, protocol)
        return made

    def revise(self, inputs: Inputs) -> None:
        """Take the same scan as it was read for another scanner."""
        quality, self.inputs, self.note = self.quality, inputs, ""
        self._follow_inputs(quality)

    def set_input(self, role: str, found: Input | None) -> None:
        """Add, replace or clear one input; a scan begins another study, and ends with its own."""
        if role == DATA:
            before = {} if DATA in self.inputs else dict(self.inputs)  # a scanner chosen for it
            self.begin(Inputs(**before, data=found) if found is not None else Inputs())
            return
        quality = self.quality
        if found is None:
            self.inputs.pop(role, None)
        elif role in self.roles:
            self.inputs[role] = found
        self._follow_inputs(quality)

    def show_reading(self, names: dict[str, str]) -> None:
        """Say which files are being read, by role; until then the study cannot run."""
        if names != self.reading:
            self.reading = names
            self.inputs_changed.emit()

    def _follow_inputs(self, quality: Quality | None) -> None:
        """Let the protocol of the open scan follow its files, at the same quality."""
        self._follow(quality)
        self._show_all()

    def _show_all(self) -> None:
        if self.suitable:
            self._drop_foreign()
        self.inputs_changed.emit()
        self.protocol_changed.emit()

    def _drop_foreign(self) -> None:
        for role in set(self.inputs) - set(self.roles):
            del self.inputs[role]

    def _drop_foreign_inputs(self) -> None:
        self._drop_foreign()
        self.inputs_changed.emit()

    @property
    def xray(self) -> XrayStudy | None:
        """Scan and protocol of projections; None for other kinds of scans."""
        scan, protocol = self.inputs.scan, self.protocol
        if isinstance(scan, ProjectionsSummary) and isinstance(protocol, CtProtocol):
            return XrayStudy(scan, protocol)
        return None

    def steps(self) -> tuple[Settings, ...]:
        """Return how each part of the preparation is done, in order."""
        return tuple(self.modality.choices(self.protocol).values())

    def note_axis(self, scan: ProjectionsSummary, protocol: CtProtocol, column: float) -> None:
        """Remember where a preview found the axis of rotation: the volume lies around it."""
        steps = tuple(protocol.steps.steps())
        if scan.axes.get(steps) != column:
            scan.axes[steps] = column
            self.inputs_changed.emit()

    @property
    def scanner(self) -> Scanner | None:
        """The scanner in use."""
        return self.inputs.scanner

    def to_study(self) -> Study:
        """Return the study as the engine takes it; the scan must have been chosen.

        Its protocol records which saved one it is, and the differences from that.
        """
        return self.inputs.to_study(self.identified())

    @property
    def roles(self) -> tuple[str, ...]:
        """Keys of the inputs that the study may hold."""
        return roles_of(self.modality)

    # what a run would need

    def grid(self) -> ImageGrid | None:
        """Return the grid of the protocol for the inputs, None while it is not known.

        Raises `EngineError` where there is none, such as for too many voxels.
        """
        return self.modality.grid(self.protocol, self.known)

    def requirements(self, on: DeviceInfo | None = None, left: float = 1.0) -> Requirements | None:
        """Return what a run needs, of which `left` is to do, on the chosen device or another."""
        on = on or self.device.in_use
        estimate = self.estimate(on, left) if on is not None else None
        if on is None or estimate is None:
            return None
        if once_key(self.inputs, self.protocol, on) in self.done_once:
            estimate = estimate.without_once()
        return Speeds(self.modality, on, self.device.speed_ratios).applied(estimate)

    def estimate(self, on: DeviceInfo, left: float = 1.0) -> Requirements | None:
        """Return what the engine estimates, whatever was measured on this machine."""
        protocol, known, grid = self.protocol, self.known, self.grid()
        return None if grid is None else self.modality.requirements(protocol, known, grid, on, left)

    def obstacle(self) -> str:
        """Return why a run cannot start, empty if it can."""
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
