"""The regions of the scan on show, which is chosen, which tool draws; with undo.

Each scan has its own regions. When an image of another scan is shown, its regions take their place,
and none go along unless the user says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from engine.analysis.regions import (
    AnnotationKind,
    CombinedRegion,
    ContourRegion,
    MaskRegion,
    Operation,
    Region,
    RegionSet,
    RegionShape,
    coverage_of,
)
from engine.core.errors import DataError
from engine.data import Volume

RegionTool = Literal["", "sphere", "ellipsoid", "box", "cylinder", "polygon", "brush"]
Tool = RegionTool | AnnotationKind
DEPTH = 200
HALF = 0.5
BRUSH_MM = 10.0


@dataclass
class _OfScan:
    """Regions of one scan, as they were and as they are."""

    title: str
    patient: str
    states: list[RegionSet] = field(default_factory=lambda: [RegionSet()])
    at: int = 0

    @property
    def current(self) -> RegionSet:
        return self.states[self.at]


class RegionModel(QObject):
    """Regions by scan; those of the scan on show can be changed.

    Signals
    -------
    changed : other regions, or others of another scan
    chosen_changed, tool_changed : what is chosen, what the pointer draws
    scan_changed : regions of another scan are at hand

    Attributes
    ----------
    chosen : names of the chosen regions, in the order they were chosen
    tool : what dragging in a slice draws; "" nothing
    brush_mm : diameter of the brush
    erases : whether the brush takes away
    """

    changed = Signal()
    chosen_changed = Signal()
    tool_changed = Signal()
    scan_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._scans = [_OfScan("", "")]
        self._at = self._scans[0]
        self._is_held = False
        self.chosen: tuple[str, ...] = ()
        self.tool: Tool = ""
        self.brush_mm = BRUSH_MM
        self.erases = False

    @property
    def current(self) -> RegionSet:
        """The regions of the scan on show."""
        return self._at.current

    @property
    def regions(self) -> tuple[Region, ...]:
        """The regions of the scan on show, in their order."""
        return self.current.regions

    @property
    def chosen_region(self) -> Region | None:
        """The one that is chosen; None where it is none or several."""
        return self.current.named(self.chosen[0]) if len(self.chosen) == 1 else None

    @property
    def title(self) -> str:
        """Name of the scan that they are of."""
        return self._at.title

    # scans

    def follow(
        self, volume: Volume, marks: tuple[str, ...], title: str, kept: RegionSet | None = None
    ) -> None:
        """Take the regions of the scan that an image is of, whose marks these are.

        `kept` are those of the disk, which are taken where none of the scan are at hand.
        """
        found = next((each for each in self._scans if each.current.is_of(marks)), None)
        if found is None:
            first = kept or RegionSet(axes=RegionSet().facing(volume).axes)
            found = _OfScan(title, volume.patient, [first.bound_to(marks)])
            self._scans.append(found)
        elif kept is not None and found.current.is_empty:
            found.states, found.at = [kept], 0
        facing = found.current.facing(volume).bound_to(marks)
        is_other = found is not self._at
        if facing != found.current:
            found.states, found.at = [facing], 0  # steps back would be in other coordinates
        elif not is_other:
            return
        self._at, self.chosen = found, self.chosen if not is_other else ()
        if is_other:
            self.scan_changed.emit()
        self.changed.emit()
        self.chosen_changed.emit()

    def others(self) -> list[tuple[str, RegionSet]]:
        """Return regions of other scans, with the scans' names."""
        return [
            (each.title, each.current)
            for each in self._scans
            if each is not self._at and not each.current.is_empty
        ]

    def are_of_other_patient(self, title: str) -> bool:
        """Whether another scan is known to be of another patient than the one on show."""
        other = next((each for each in self._scans if each.title == title), self._at)
        return bool(self._at.patient and other.patient and self._at.patient != other.patient)

    def take_over(self, found: RegionSet, volume: Volume) -> None:
        """Add copies of regions of another scan, or of a file, as the user said they hold here."""
        made = self.current
        for region in found.facing(volume).regions:
            copy = region.model_copy(update={"name": made.free_name(region.name)})
            made = made.model_copy(update={"regions": (*made.regions, copy)})
        notes = (*made.annotations, *found.facing(volume).annotations)
        self.put(made.model_copy(update={"annotations": notes}))

    # changes

    def put(self, regions: RegionSet) -> None:
        """Take other regions; what was undone before is gone."""
        if regions == self.current:
            return
        scan = self._at
        first = scan.at if self._is_held and scan.at else scan.at + 1
        scan.states = [*scan.states[:first], regions][-DEPTH:]
        scan.at = len(scan.states) - 1
        names = {region.name for region in regions.regions}
        if not set(self.chosen) <= names:
            self.choose(*(name for name in self.chosen if name in names))
        self.changed.emit()

    def hold(self) -> None:
        """Make one step of all changes until `let_go`: the pointer drags."""
        self._is_held = False
        self._at.states = [*self._at.states[: self._at.at + 1], self.current][-DEPTH:]
        self._at.at = len(self._at.states) - 1
        self._is_held = True

    def let_go(self) -> None:
        """End what was one step; it is none where nothing changed."""
        self._is_held = False
        states, at = self._at.states, self._at.at
        if at and states[at] == states[at - 1]:
            self._at.states, self._at.at = states[:at], at - 1

    @property
    def can_undo(self) -> bool:
        """Whether there is an earlier state."""
        return self._at.at > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a later state."""
        return self._at.at < len(self._at.states) - 1

    def undo(self) -> None:
        """Go one step back."""
        self._go(-1 if self.can_undo else 0)

    def redo(self) -> None:
        """Go one step forward."""
        self._go(1 if self.can_redo else 0)

    def _go(self, steps: int) -> None:
        if steps:
            self._at.at += steps
            self.choose(*(name for name in self.chosen if self.current.named(name)))
            self.changed.emit()

    def add(self, shape: RegionShape, name: str) -> str:
        """Add a region and choose it; returns its name, which no other has."""
        regions = self.current
        values = {"name": regions.free_name(name), "colour": regions.free_colour(), "shape": shape}
        made = Region.model_validate(values)
        self.put(regions.model_copy(update={"regions": (*regions.regions, made)}))
        self.choose(made.name)
        return made.name

    def change(self, which: str, /, **values: object) -> None:
        """Change name, colour, shape of a region, or whether it is drawn; refuses what may not be.

        Raises `ValueError` with the reason.
        """
        found = self.current.named(which)
        if found is None:
            return
        said = {key: getattr(found, key) for key in Region.model_fields}
        made = Region.model_validate(said | values)
        if made.name != which and self.current.named(made.name) is not None:
            raise ValueError(tr("another region has the name {name}", name=made.name))
        regions = tuple(made if each is found else each for each in self.regions)
        if made.name != which:
            self.chosen = tuple(made.name if each == which else each for each in self.chosen)
        self.put(self.current.model_copy(update={"regions": regions}))

    def remove(self, *names: str) -> None:
        """Take regions away."""
        left = tuple(each for each in self.regions if each.name not in names)
        self.put(self.current.model_copy(update={"regions": left}))

    def duplicate(self, *names: str) -> None:
        """Add copies of regions."""
        for name in names:
            found = self.current.named(name)
            if found is not None:
                self.add(found.shape, name)

    def combine(self, operation: Operation) -> None:
        """Add what is made of the chosen regions; minus takes the later ones off the first."""
        named = [self.current.named(name) for name in self.chosen]
        parts = tuple(each.shape for each in named if each is not None)
        if len(parts) > 1:
            sign = {"union": " + ", "minus": " − ", "intersection": " ∩ "}[operation]
            name = sign.join(self.chosen)[:40].strip()
            self.add(CombinedRegion(operation=operation, parts=parts), name)

    def contour(self, name: str, **rule: object) -> None:
        """Make of a solid what lies above a level in it; a contour gets another level."""
        found = self.current.named(name)
        if found is None:
            return
        shape = found.shape
        solid = shape.within if isinstance(shape, ContourRegion) else shape
        self.change(name, shape=ContourRegion.model_validate({"within": solid, **rule}))

    def freeze(self, name: str, volume: Volume) -> None:
        """Make of a region the voxels of an image that it holds at least half of.

        Raises
        ------
        DataError
            where it holds none
        """
        found = self.current.named(name)
        if found is None:
            return
        coverage = coverage_of(found.shape, volume)
        inside = coverage.share >= HALF
        if not inside.any():
            raise DataError(tr("the region contains no image voxel; make it larger."))
        self.change(name, shape=MaskRegion.of(inside, volume.grid, coverage.start))

    # what is chosen

    def choose(self, *names: str) -> None:
        """Choose regions by their names."""
        if names != self.chosen:
            self.chosen = names
            self.chosen_changed.emit()

    def set_tool(self, tool: Tool) -> None:
        """Let dragging in a slice draw this; "" nothing."""
        if tool != self.tool:
            self.tool = tool
            self.tool_changed.emit()
