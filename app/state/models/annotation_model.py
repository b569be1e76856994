"""The annotations of the scan on show: kept, undone and saved together with its regions."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.state.models.region_model import RegionModel
from engine.analysis.regions import Annotation, AnnotationKind

ANNOTATION_TOOLS: tuple[AnnotationKind, ...] = ("distance", "angle", "arrow", "text", "curve")


class AnnotationModel(QObject):
    """Adds, changes and removes annotations; which of them is chosen.

    Signals
    -------
    changed : other annotations, or another one is chosen

    Attributes
    ----------
    regions : the model that holds them
    chosen : place of the chosen one in their order; −1 for none
    """

    changed = Signal()

    def __init__(self, regions: RegionModel) -> None:
        super().__init__(regions)
        self.regions = regions
        self.chosen = -1
        regions.changed.connect(self._follow)

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """Annotations of the scan on show, in the order they were made."""
        return self.regions.current.annotations

    @property
    def chosen_one(self) -> Annotation | None:
        """The chosen one; None for none."""
        found = self.annotations
        return found[self.chosen] if 0 <= self.chosen < len(found) else None

    def choose(self, which: int) -> None:
        """Choose one by its place; −1 none."""
        if which != self.chosen:
            self.chosen = which
            self.changed.emit()

    def add(self, made: Annotation) -> int:
        """Add one and choose it; returns its place."""
        self.chosen = len(self.annotations)
        self._put((*self.annotations, made))
        return self.chosen

    def change(self, which: int, made: Annotation) -> None:
        """Put another one in the place of one."""
        self._put((*self.annotations[:which], made, *self.annotations[which + 1 :]))

    def remove(self, which: int) -> None:
        """Take one away."""
        self._put((*self.annotations[:which], *self.annotations[which + 1 :]))

    def _put(self, annotations: tuple[Annotation, ...]) -> None:
        regions = self.regions
        regions.put(regions.current.model_copy(update={"annotations": annotations}))

    def _follow(self) -> None:
        if self.chosen >= len(self.annotations):
            self.chosen = -1
        self.changed.emit()
