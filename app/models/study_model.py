"""The study at hand: its inputs, its protocol, and what a run of it would need."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.models.device_choice import DeviceChoice
from app.models.inputs import DATA, Input, Inputs, XrayStudy, roles_of
from app.models.messages import protocol_refused, protocol_taken
from app.models.quality import Qualities, Quality
from app.models.speeds import Speeds, once_key
from app.models.undo_history import UndoHistory
from engine.backend import DeviceInfo
from engine.errors import EngineError, SettingsError
from engine.geometry import ImageGrid, Scanner
from engine.modalities import (
    MODALITIES,
    AnyModality,
    CtProtocol,
    OpenStudy,
    ProjectionsSummary,
    Protocol,
    Requirements,
    SettingChange,
    Study,
    changed_from,
    modality_of,
    refuse_if_too_large,
    setting_changes,
)
from engine.settings import Settings

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
    inputs : the files of the scan at hand; another scan has others
    reading : names of the files that are being read, by their role
    note : why the protocol is another than for the last scan, empty if it is not
    done_once : what runs of this session have computed once and kept, see `once_key`
    """

    inputs_changed = Signal()
    protocol_changed = Signal()
    scan_replaced = Signal()
    protocol_replaced = Signal(str)

    def __init__(self, device: DeviceChoice) -> None:
        super().__init__()
        self.device = device
        self.inputs = Inputs()
        self.base: Protocol = MODALITIES[0].standard()
        self.history = UndoHistory(self.base)
        self.note = ""
        self.reading: dict[str, str] = {}
        self.done_once: set[str] = set()
        self._suitable: SuitableModalities = ()
        self._picked: dict[SuitableModalities, Protocol] = {}  # by hand; () is for the next scan

    # inputs

    def begin(self, inputs: Inputs, protocol: Protocol | None = None) -> None:
        """Begin the study of another scan, with a protocol if it names one; nothing else stays."""
        quality, self.note = self.quality, ""
        if DATA in self.inputs:
            self.scan_replaced.emit()
        self.inputs = inputs
        if protocol is not None:
            self._picked[()] = protocol
            self._take(protocol)
        self._follow_inputs(None if protocol is not None else quality)

    def revise(self, inputs: Inputs) -> None:
        """Take the same scan as it was read for another scanner."""
        self.note = ""
        quality, self.inputs = self.quality, inputs
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
        """Take the protocol that the inputs ask for, at the same quality, and show it."""
        self._follow_scan()
        if quality is not None:
            self.history.push(self.qualities_of(self.base).at(quality))
        self.inputs_changed.emit()
        self.protocol_changed.emit()

    def _follow_scan(self) -> None:
        """For a scan of another kind take what was picked for it, else what suits it."""
        suitable, before = self.suitable, self._suitable
        if not suitable:
            return
        self._suitable, asked_for = suitable, self._picked.pop((), None)  # asked for with this scan
        stays = self.modality in suitable and (suitable == before or asked_for is not None)
        protocol = self._picked.get(suitable) or suitable[0].standard()
        if not stays and modality_of(protocol) is not self.modality:
            self._take_for_scan(protocol, is_first=not before)
        self._drop_inputs_foreign_to(self.modality)

    def _take_for_scan(self, protocol: Protocol, *, is_first: bool) -> None:
        """Begin with a protocol that nobody asked for, and say so unless it is the first."""
        last = self.base.name
        self._restart(protocol)
        if not is_first:
            self.note = protocol_taken(protocol.name, last)
            self.protocol_replaced.emit(self.note)

    def _take(self, protocol: Protocol) -> None:
        """Begin with a protocol that was asked for."""
        if modality_of(protocol) is not self.modality:
            self._restart(protocol)
        self.base = protocol
        self.history.push(protocol)

    def _drop_inputs_foreign_to(self, modality: AnyModality) -> None:
        for role in set(self.inputs) - set(roles_of(modality)):
            del self.inputs[role]

    def _restart(self, base: Protocol) -> None:
        """Begin with a protocol; nothing before it can be brought back."""
        self.base, self.history = base, UndoHistory(base)

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

    @property
    def known(self) -> OpenStudy:
        """What is known of the study before it runs."""
        return self.inputs.open_study

    def to_study(self) -> Study:
        """Return the study as the engine takes it; the scan must have been chosen.

        Its protocol says which saved one it is, and what differs from that.
        """
        at = (f"at {self.quality.capitalize()}",) if self.quality not in (None, "standard") else ()
        return self.inputs.to_study(changed_from(self.base, self.protocol, at))

    # protocol

    @property
    def protocol(self) -> Protocol:
        """The protocol in use."""
        return self.history.current

    @property
    def modality(self) -> AnyModality:
        """The kind of scan the protocol is for."""
        return modality_of(self.protocol)

    @property
    def roles(self) -> tuple[str, ...]:
        """Keys of the inputs that the study may hold."""
        return roles_of(self.modality)

    @property
    def suitable(self) -> SuitableModalities:
        """Kinds of protocols that suit the open scan, the usual one first; none before."""
        return tuple(modality for modality in MODALITIES if modality.suits(self.known))

    @property
    def quality(self) -> Quality | None:
        """Fast, standard or fine; None for a protocol changed by hand."""
        return self.qualities_of(self.base).of(self.protocol)

    def qualities_of(self, base: Protocol) -> Qualities:
        """Return the three qualities of a saved protocol, for the open scan."""
        return Qualities(base, self.known)

    def use_protocol(self, base: Protocol) -> None:
        """Start from a saved protocol; raises `SettingsError` if the scan is of another kind."""
        wanted, suitable = modality_of(base), self.suitable
        if suitable and wanted not in suitable:
            raise SettingsError(protocol_refused(base.name, wanted.title, suitable[0].title))
        self._picked[suitable], self.note = base, ""
        is_other = wanted is not self.modality
        self._take(base)
        if is_other:
            self._drop_inputs_foreign_to(wanted)
            self.inputs_changed.emit()
        self.protocol_changed.emit()

    def use_quality(self, quality: Quality) -> None:
        """Take the saved protocol at a quality."""
        self.set_protocol(self.qualities_of(self.base).at(quality))

    @property
    def changes(self) -> list[SettingChange]:
        """What differs from the saved protocol; nothing at one of its qualities."""
        return [] if self.quality is not None else setting_changes(self.base, self.protocol)

    def set_protocol(self, protocol: Protocol) -> None:
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
