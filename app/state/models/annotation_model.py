"""The annotations of the open scan. They share undo and storage with its regions."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.state.models.region_model import RegionModel
from engine.analysis.regions import Annotation, AnnotationKind

ANNOTATION_TOOLS: tuple[AnnotationKind, ...] = ("distance", "angle", "arrow", "text", "curve")


class AnnotationModel(QObject):
    """Adds, changes and removes annotations, and tracks the chosen one.

    Signals
    -------
    changed : the annotations changed, or another one was chosen

    Attributes
    ----------
    regions : the model that stores them
    chosen : index of the chosen annotation; −1 for none
    """

    changed = Signal()

    def __init__(self, regions: RegionModel) -> None:
        super().__init__(regions)
        self.regions = regions
        self.chosen = -1
        regions.changed.connect(self._follow)

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """Annotations of the open scan, in the order they were made."""
        return self.regions.current.annotations

    @property
    def chosen_one(self) -> Annotation | None:
        """The chosen annotation; None if none is chosen."""
        found = self.annotations
        return found[self.chosen] if 0 <= self.chosen < len(found) else None

    def choose(self, which: int) -> None:
        """Choose an annotation.

        Parameters
        ----------
        which
            its index; −1 for none
        """
        if which != self.chosen:
            self.chosen = which
            self.changed.emit()

    def add(self, made: Annotation) -> int:
        """Add an annotation and choose it.

        Parameters
        ----------
        made
            the new annotation

        Returns
        -------
        its index
        """
        # Choose first: `_replace_all` emits `changed`, and views then draw the new one as chosen.
        self.chosen = len(self.annotations)
        self._replace_all((*self.annotations, made))
        return self.chosen

    def change(self, which: int, made: Annotation) -> None:
        """Replace an annotation.

        Parameters
        ----------
        which
            index of the one to replace
        made
            the new annotation
        """
        self._replace_all((*self.annotations[:which], made, *self.annotations[which + 1 :]))

    def remove(self, which: int) -> None:
        """Remove the annotation with this index."""
        self._replace_all((*self.annotations[:which], *self.annotations[which + 1 :]))

    def _replace_all(self, annotations: tuple[Annotation, ...]) -> None:
        # The set of regions holds the annotations, so that one undo covers both.
        regions = self.regions
        regions.replace(regions.current.model_copy(update={"annotations": annotations}))

    def _follow(self) -> None:
        # An undo or another scan may have fewer annotations.
        if self.chosen >= len(self.annotations):
            self.chosen = -1
        self.changed.emit()
