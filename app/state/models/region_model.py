"""The regions of the open scan, with selection, drawing tool and undo.

Each scan has its own regions. An image of another scan replaces them. They are copied to another
scan only if the user requests it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.undo_history import UndoHistory
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
HALF = 0.5
BRUSH_MM = 10.0


@dataclass
class _ScanRegions:
    """Regions of one scan with their undo history.

    Attributes
    ----------
    is_drawn : True once the user has changed them, also if none are left
    """

    title: str
    patient: str
    history: UndoHistory[RegionSet] = field(default_factory=lambda: UndoHistory(RegionSet()))
    is_drawn: bool = False

    @property
    def takes_stored(self) -> bool:
        """True if regions from disk lose nothing of the user, who may have deleted them."""
        return not self.is_drawn and self.current.is_empty

    @property
    def current(self) -> RegionSet:
        return self.history.current


class RegionModel(QObject):
    """Regions by scan. Those of the open scan can be edited.

    Signals
    -------
    changed : the regions, or the scan that they belong to
    chosen_changed, tool_changed : the selection; the drawing tool
    scan_changed : the regions of another scan are active

    Attributes
    ----------
    chosen : names of the selected regions, in the order of selection
    tool : shape that a drag in a slice draws; "" for none
    brush_mm : diameter of the brush [mm]
    erases : True if the brush removes voxels
    """

    changed = Signal()
    chosen_changed = Signal()
    tool_changed = Signal()
    scan_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._open = _ScanRegions("", "")
        self._scans = [self._open]
        self.chosen: tuple[str, ...] = ()
        self.tool: Tool = ""
        self.brush_mm = BRUSH_MM
        self.erases = False

    @property
    def current(self) -> RegionSet:
        """The regions of the open scan."""
        return self._open.current

    @property
    def regions(self) -> tuple[Region, ...]:
        """The regions of the open scan in their order."""
        return self.current.regions

    @property
    def chosen_region(self) -> Region | None:
        """The selected region; None unless exactly one is selected."""
        return self.current.named(self.chosen[0]) if len(self.chosen) == 1 else None

    @property
    def title(self) -> str:
        """Name of the scan of these regions."""
        return self._open.title

    # Scans

    def follow(
        self, volume: Volume, marks: tuple[str, ...], title: str, regions: RegionSet | None = None
    ) -> None:
        """Activate the regions of the scan that an image belongs to.

        Parameters
        ----------
        volume
            the image; regions are converted to its axes
        marks
            identifiers of its scan, such as digests of the data
        title
            name of the scan, for the user
        regions
            regions from disk; used only if none of this scan were read or changed before
        """
        before = self.current
        found = self._found(marks)
        if found is None:
            first = regions or RegionSet(axes=RegionSet().facing(volume).axes)
            found = _ScanRegions(title, volume.patient, UndoHistory(first))
            self._scans.append(found)
        elif regions is not None and found.takes_stored:
            found.history = UndoHistory(regions)
        facing = found.current.facing(volume)
        if facing != found.current:
            found.history = UndoHistory(facing)  # older states have other coordinates
        found.history.convert(lambda each: each.bound_to(marks))
        is_other = found is not self._open
        if not is_other and found.current == before:
            return
        if is_other:
            self._open.history.end_group()
            self._open, self.chosen = found, ()
        if is_other:
            self.scan_changed.emit()
        self.changed.emit()
        self.chosen_changed.emit()

    def of_scan(self, marks: tuple[str, ...]) -> RegionSet | None:
        """Return the regions of a scan; None if there are none in memory.

        Parameters
        ----------
        marks
            identifiers of the scan
        """
        found = self._found(marks)
        return None if found is None else found.current

    def awaits_stored(self, marks: tuple[str, ...]) -> bool:
        """Return True if regions from disk can be passed to `follow`, False if it has them.

        Parameters
        ----------
        marks
            identifiers of the scan
        """
        found = self._found(marks)
        if found is None:
            return True
        # Each new image of the scan would otherwise read the same files.
        is_read = found is self._open and set(marks) <= set(found.current.scans)
        return found.takes_stored and not is_read

    def _found(self, marks: tuple[str, ...]) -> _ScanRegions | None:
        return next((each for each in self._scans if each.current.is_of(marks)), None)

    def others(self) -> list[tuple[str, RegionSet]]:
        """Return the regions of other scans with the names of these scans."""
        return [
            (each.title, each.current)
            for each in self._scans
            if each is not self._open and not each.current.is_empty
        ]

    def are_of_other_patient(self, title: str) -> bool:
        """Return True if another scan is known to belong to a different patient.

        Parameters
        ----------
        title
            name of the other scan
        """
        other = next((each for each in self._scans if each.title == title), self._open)
        # Two unknown IDs say nothing. Only two known, different ones prove it.
        patients = {self._open.patient, other.patient}
        return len(patients) == 2 and "" not in patients

    def copy_regions(self, found: RegionSet, volume: Volume) -> None:
        """Copy regions to the open scan, as the user requested.

        Parameters
        ----------
        found
            regions of another scan or of a file
        volume
            image of the open scan; regions are converted to its axes
        """
        made = self.current
        for region in found.facing(volume).regions:
            copy = region.model_copy(update={"name": made.free_name(region.name)})
            made = made.model_copy(update={"regions": (*made.regions, copy)})
        notes = (*made.annotations, *found.facing(volume).annotations)
        self.replace(made.model_copy(update={"annotations": notes}))

    # Changes

    def replace(self, regions: RegionSet) -> None:
        """Replace the regions. This clears the redo history.

        Parameters
        ----------
        regions
            the new regions of the open scan
        """
        if regions == self.current:
            return
        self._open.is_drawn = True
        self._open.history.push(regions)
        names = {region.name for region in regions.regions}
        if not set(self.chosen) <= names:
            self.choose(*(name for name in self.chosen if name in names))
        self.changed.emit()

    def begin_drag(self) -> None:
        """Combine all changes until `end_drag` into one undo step, during a drag."""
        self._open.history.begin_group()

    def end_drag(self) -> None:
        """End the combined undo step, and drop it if nothing changed."""
        self._open.history.end_group()

    @property
    def can_undo(self) -> bool:
        """True if there is an earlier state."""
        return self._open.history.can_undo

    @property
    def can_redo(self) -> bool:
        """True if there is a later state."""
        return self._open.history.can_redo

    def undo(self) -> None:
        """Go one step back."""
        self._restore(self._open.history.undo)

    def redo(self) -> None:
        """Go one step forward."""
        self._restore(self._open.history.redo)

    def _restore(self, step: Callable[[], None]) -> None:
        before = self.current
        step()
        if self.current is not before:
            # A region that does not exist in this state cannot stay selected.
            self.choose(*(name for name in self.chosen if self.current.named(name)))
            self.changed.emit()

    def add(self, shape: RegionShape, name: str) -> str:
        """Add a region and select it.

        Parameters
        ----------
        shape
            its shape in coordinates of the scan [mm]
        name
            preferred name; a number is added if another region has it

        Returns
        -------
        the name that it received
        """
        regions = self.current
        values = {"name": regions.free_name(name), "colour": regions.free_colour(), "shape": shape}
        made = Region.model_validate(values)
        self.replace(regions.model_copy(update={"regions": (*regions.regions, made)}))
        self.choose(made.name)
        return made.name

    def change(self, which: str, /, **values: object) -> None:
        """Change name, colour, shape or visibility of a region.

        Parameters
        ----------
        which
            name of the region; an unknown one is ignored
        values
            new values of fields of `Region`

        Raises
        ------
        ValueError
            a value is invalid, or another region has the name
        """
        found = self.current.named(which)
        if found is None:
            return
        values_now = {key: getattr(found, key) for key in Region.model_fields}
        # Validation of all fields, since `model_copy` would accept any value.
        made = Region.model_validate(values_now | values)
        if made.name != which and self.current.named(made.name) is not None:
            raise ValueError(tr("another region is already named {name!r}", name=made.name))
        regions = tuple(made if each is found else each for each in self.regions)
        # The selection follows the new name first, or `replace` would deselect the region.
        if made.name != which:
            self.chosen = tuple(made.name if each == which else each for each in self.chosen)
        self.replace(self.current.model_copy(update={"regions": regions}))

    def remove(self, *names: str) -> None:
        """Remove regions.

        Parameters
        ----------
        names
            their names; unknown ones are ignored
        """
        left = tuple(each for each in self.regions if each.name not in names)
        self.replace(self.current.model_copy(update={"regions": left}))

    def duplicate(self, *names: str) -> None:
        """Add copies of regions.

        Parameters
        ----------
        names
            names of the originals
        """
        for name in names:
            found = self.current.named(name)
            if found is not None:
                self.add(found.shape, name)

    def combine(self, operation: Operation) -> None:
        """Add a region made from the selected ones.

        Parameters
        ----------
        operation
            "union", "intersection", or "minus", which subtracts the later ones from the first
        """
        named = [self.current.named(name) for name in self.chosen]
        parts = tuple(each.shape for each in named if each is not None)
        if len(parts) > 1:
            sign = {"union": " + ", "minus": " − ", "intersection": " ∩ "}[operation]
            # The name shows how the region was made, but must fit into the table.
            name = sign.join(self.chosen)[:40].strip()
            self.add(CombinedRegion(operation=operation, parts=parts), name)

    def contour(self, name: str, **rule: object) -> None:
        """Turn a region into the part of it above a level.

        Parameters
        ----------
        name
            name of the region; an existing contour gets the new level
        rule
            fields of `ContourRegion` that define the level
        """
        found = self.current.named(name)
        if found is None:
            return
        shape = found.shape
        solid = shape.within if isinstance(shape, ContourRegion) else shape
        self.change(name, shape=ContourRegion.model_validate({"within": solid, **rule}))

    def freeze(self, name: str, volume: Volume) -> None:
        """Turn a region into a mask of the voxels that are at least half inside it.

        Parameters
        ----------
        name
            name of the region
        volume
            image that defines the voxels

        Raises
        ------
        DataError
            no voxel is inside
        """
        found = self.current.named(name)
        if found is None:
            return
        coverage = coverage_of(found.shape, volume)
        inside = coverage.share >= HALF
        if not inside.any():
            raise DataError(tr("the region contains no voxels of the image; make it larger."))
        self.change(name, shape=MaskRegion.of(inside, volume.grid, coverage.start))

    # Selection and tool

    def choose(self, *names: str) -> None:
        """Select regions.

        Parameters
        ----------
        names
            their names; none clears the selection
        """
        if names != self.chosen:
            self.chosen = names
            self.chosen_changed.emit()

    def set_tool(self, tool: Tool) -> None:
        """Choose the drawing tool for slices.

        Parameters
        ----------
        tool
            kind of region or annotation; "" for none
        """
        if tool != self.tool:
            self.tool = tool
            self.tool_changed.emit()
