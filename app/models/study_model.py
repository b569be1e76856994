"""The study at hand: its inputs, its protocol, and what a run of it would need."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.models.device_choice import DeviceChoice
from app.models.inputs import AnyProtocol, Input, Inputs, Role
from app.models.modalities import MODALITIES, AnyModality, modality_of, suitable_modalities
from app.models.quality import Quality, at_quality, quality_of
from app.models.undo_history import UndoHistory
from app.models.xray_scan import XrayScan
from engine.backend.devices import DeviceInfo
from engine.errors import EngineError, SettingsError
from engine.geometry.grid import ImageGrid, Point
from engine.geometry.scanner import Scanner
from engine.modalities.requirements import Requirements, refuse_if_too_large
from engine.modalities.studies import Study

SuitableModalities = tuple[AnyModality, ...]
"""Kinds of protocols that suit a scan, the usual one first: they tell what kind of scan it is."""


class StudyModel(QObject):
    """Inputs and protocol of the scan to reconstruct.

    Signals
    -------
    inputs_changed, protocol_changed : another file or setting
    scan_replaced : the scan is gone or another one; images of the old one belong to nothing
    protocol_replaced : why nobody chose the protocol that now stands here, one sentence

    Attributes
    ----------
    note : why the protocol is another than for the last scan, empty if it is not
    """

    inputs_changed = Signal()
    protocol_changed = Signal()
    scan_replaced = Signal()
    protocol_replaced = Signal(str)

    def __init__(self, device: DeviceChoice) -> None:
        super().__init__()
        self.device = device
        self.inputs = Inputs()
        self.base: AnyProtocol = MODALITIES["pet"].standard()
        self.history = UndoHistory(self.base)
        self.note = ""
        self._suitable: SuitableModalities = ()
        self._picked: dict[SuitableModalities, AnyProtocol] = {}  # by hand; () is for the next scan

    # inputs

    def set_input(self, role: Role, found: Input | None) -> None:
        """Replace or clear one input of the study."""
        quality = self.quality
        self.inputs.pending.pop(role, None)
        if role == "data" and self._is_other(found):
            self.note = ""
            self.scan_replaced.emit()
        if found is None:
            self.inputs.pop(role, None)
        elif role in self.modality.roles:
            self.inputs[role] = found
        self._follow_scan()
        if quality is not None:
            self.history.push(self._at(quality))
        self.inputs_changed.emit()
        self.protocol_changed.emit()

    def _follow_scan(self) -> None:
        """For a scan of another kind take what was picked for it, else what suits it."""
        suitable, before = suitable_modalities(self.inputs), self._suitable
        if not suitable:
            return
        self._suitable, asked_for = suitable, self._picked.pop((), None)  # asked for with this scan
        if self.modality in suitable and (suitable == before or asked_for is not None):
            return
        protocol = self._picked.get(suitable) or suitable[0].standard()
        if modality_of(protocol) is not self.modality:
            self._take_for_scan(protocol, is_first=not before)

    def _take_for_scan(self, protocol: AnyProtocol, *, is_first: bool) -> None:
        """Begin with a protocol that nobody asked for, and say so unless it is the first."""
        last = self.base.name
        self._drop_inputs_foreign_to(modality_of(protocol))
        self._restart(protocol)
        if not is_first:
            self.note = (
                f"The protocol {protocol.name!r} was taken, which suits this scan; "
                f"{last!r} was for the last one."
            )
            self.protocol_replaced.emit(self.note)

    def _drop_inputs_foreign_to(self, modality: AnyModality) -> None:
        for role in set(self.inputs) - set(modality.roles):
            del self.inputs[role]

    def _restart(self, base: AnyProtocol) -> None:
        """Begin with a protocol; nothing before it can be brought back."""
        self.base, self.history = base, UndoHistory(base)

    def await_input(self, role: Role, value: str) -> None:
        """Note a file that is being read; what it may replace stays until it proves sound."""
        before = self.inputs.get(role)
        if before is None or before.value == value:
            self.set_input(role, Input(value))
        self.inputs.pending[role] = value
        self.inputs_changed.emit()

    def _is_other(self, found: Input | None) -> bool:
        before = self.inputs.get("data")
        return before is not None and (found is None or found.value != before.value)

    def clear_inputs(self) -> None:
        """Begin a study without any file."""
        if "data" in self.inputs:
            self.scan_replaced.emit()
        self.inputs = Inputs()
        self.inputs_changed.emit()

    def note_axis(self, scan: XrayScan, protocol: AnyProtocol, column: float) -> None:
        """Remember where a preview found the axis of rotation: the volume lies around it."""
        steps = tuple(modality_of(protocol).choices(protocol).values())
        if scan.axes.get(steps) != column:
            scan.axes[steps] = column
            self.inputs_changed.emit()

    @property
    def scanner(self) -> Scanner | None:
        """The scanner in use."""
        return self.inputs.scanner

    def to_study(self) -> Study:
        """Return the study as the engine takes it; the scan must have been chosen."""
        return self.inputs.to_study(self.protocol)

    # protocol

    @property
    def protocol(self) -> AnyProtocol:
        """The protocol in use."""
        return self.history.current

    @property
    def modality(self) -> AnyModality:
        """The kind of scan the protocol is for."""
        return modality_of(self.protocol)

    @property
    def quality(self) -> Quality | None:
        """Fast, standard or fine; None for a protocol changed by hand."""
        return quality_of(self.protocol, self.base, self._usual_voxel_mm, self._fitting)

    def use_protocol(self, base: AnyProtocol) -> None:
        """Start from a saved protocol; raises `SettingsError` if the scan is of another kind."""
        wanted, suitable = modality_of(base), suitable_modalities(self.inputs)
        if suitable and wanted not in suitable:
            raise SettingsError(
                f"The protocol {base.name!r} is for {wanted.title} and the open scan is "
                f"{suitable[0].title}; open a scan of {wanted.title} first."
            )
        self._picked[suitable], self.note = base, ""
        if wanted is not self.modality:
            self._drop_inputs_foreign_to(wanted)
            self._restart(base)
            self.inputs_changed.emit()
        self.base = base
        self.set_protocol(base)

    def use_quality(self, quality: Quality) -> None:
        """Take the saved protocol at a quality."""
        self.set_protocol(self._at(quality))

    def _at(self, quality: Quality) -> AnyProtocol:
        return at_quality(self.base, quality, self._usual_voxel_mm, self._fitting)

    def _fitting(self, voxel_mm: Point) -> Point:
        return self.modality.fitting_voxel(voxel_mm, self.inputs)

    @property
    def _usual_voxel_mm(self) -> Point | None:
        """Voxel of the saved protocol where it does not say."""
        try:
            usual = self.modality.usual_grid(self.base, self.inputs)
        except EngineError:
            return None
        return usual[0] if usual else None

    def set_protocol(self, protocol: AnyProtocol) -> None:
        """Change the protocol; it can be undone."""
        self.history.push(protocol)
        self.protocol_changed.emit()

    def undo(self) -> None:
        """Take the last change of the protocol back."""
        self.history.undo()
        self.protocol_changed.emit()

    def redo(self) -> None:
        """Do the last undone change again."""
        self.history.redo()
        self.protocol_changed.emit()

    # what a run would need

    def grid(self) -> ImageGrid | None:
        """Return the grid of the protocol for the inputs, None while it is not known.

        Raises `EngineError` where there is none, such as for too many voxels.
        """
        return self.modality.grid(self.protocol, self.inputs)

    def requirements(self, on: DeviceInfo | None = None, left: float = 1.0) -> Requirements | None:
        """Return what a run needs, of which `left` is to do, on the chosen device or another."""
        grid, on = self.grid(), on or self.device.in_use
        if grid is None or on is None:
            return None
        requirements = self.modality.requirements(self.protocol, self.inputs, grid, on, left)
        return requirements and requirements.times(self.speed_ratio(on))

    def speed_ratio(self, device: DeviceInfo) -> float:
        """Measured over estimated time of runs of this kind on a device."""
        return self.device.speed_ratios.get(self.modality.speed_key(device.key), 1.0)

    def obstacle(self) -> str:
        """Return why a run cannot start, empty if it can."""
        unsuited = self.modality.fault(self.protocol, self.inputs)
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
