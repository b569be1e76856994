"""Values of a phantom over the iterations of a run."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.models.images.volume_origin import Origin
from app.state.models.run_images import StoredImage
from app.state.services.context import AppContext
from app.ui.theme.widgets import label
from app.views.colour.colours import ViewColours
from app.views.plots.curve_view import CurveView
from engine.analysis.quality import PhantomFacts, QualityPhantom
from engine.core.errors import EngineError
from engine.data import Volume

Point = tuple[int, tuple[float, ...]]
"""An iteration and its figures."""


class IterateCurves(QWidget):
    """Two figures of each stored image over the iterations: gain and cost."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context, self._run = context, context.session.run
        self._phantom: QualityPhantom | None = None
        self._facts = PhantomFacts()
        self._origin = Origin()
        self._is_measuring = False
        self.points: dict[int, tuple[float, ...]] = {}
        # Failed iterations are also in this set, so that they are not tried again and again.
        self._done: set[int] = set()
        self.views = (CurveView(), CurveView())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(label(tr("Values by iteration"), "caption"))
        for view in self.views:
            view.setMinimumHeight(150)
            view.setMaximumHeight(200)
            column.addWidget(view)
        # New iterates are measured as they arrive.
        self._run.images_changed.connect(self._measure_next)
        self._run.begun.connect(self._follow_run)
        self.forget()

    def set_colours(self, colours: ViewColours) -> None:
        """Use the colours of another theme."""
        for view in self.views:
            view.set_colours(colours)

    def forget(self) -> None:
        """Stop following a phantom."""
        self._phantom = None
        self._clear_points()

    def follow(self, phantom: QualityPhantom, facts: PhantomFacts) -> None:
        """Measure every image of the run at the known position of the phantom.

        Parameters
        ----------
        phantom
            phantom to measure
        facts
            its facts with the position, so that it is not searched in each image
        """
        self._phantom, self._facts = phantom, facts
        self._origin = self._origin_of_run
        for view, (group, name) in zip(self.views, phantom.followed, strict=False):
            view.set_title(f"{group}, {name}", "")
        self._clear_points()
        self._measure_next()

    @property
    def _origin_of_run(self) -> Origin:
        record = self._run.record
        return Origin.of_scan(record.study, record.known_inputs)

    def _follow_run(self) -> None:
        """Measure the images of a further run of the same scan; forget the phantom of another."""
        if self._origin.is_same_scan(self._origin_of_run) is not True:
            self._phantom = None
        self._clear_points()

    def _clear_points(self) -> None:
        self.points, self._done = {}, set()
        self._show()

    def _measure_next(self) -> None:
        """Measure the next image without a value, one at a time."""
        phantom, facts = self._phantom, self._facts
        waiting = [
            stored for stored in self._run.record.images.items if self._needs_measurement(stored)
        ]
        if phantom is None or not phantom.followed or self._is_measuring or not waiting:
            return
        stored, images = waiting[0], self._run.record.images
        iteration = _iteration(stored)
        self._done.add(iteration)
        self._is_measuring = True

        def take(found: tuple[float, ...]) -> None:
            # A new run or another phantom may have started while this was measured.
            if found and images is self._run.record.images and phantom is self._phantom:
                self.points[iteration] = found
                self._show()

        def end() -> None:
            self._is_measuring = False
            self._measure_next()

        self._context.commands.run_task(
            lambda _: figures_of(phantom, stored.volume, facts), take, on_end=end
        )

    def _needs_measurement(self, stored: StoredImage) -> bool:
        # Images within an iteration have labels with the subset and are left out.
        is_whole = stored.place is not None and stored.label == f"iteration {_iteration(stored)}"
        return is_whole and _iteration(stored) not in self._done

    def _show(self) -> None:
        self.setVisible(bool(self.points))
        iterations = sorted(self.points)
        for k, view in enumerate(self.views):
            view.set_points(iterations, [self.points[i][k] for i in iterations])


def figures_of(phantom: QualityPhantom, volume: Volume, facts: PhantomFacts) -> tuple[float, ...]:
    """Return the followed figures of an image.

    Parameters
    ----------
    phantom
        phantom to measure
    volume
        image
    facts
        facts and position of the phantom

    Returns
    -------
    tuple of float
        empty if the phantom is not found
    """
    try:
        report = phantom.measure(volume, facts)
    except EngineError:
        return ()
    return tuple(report.figure(group, name).value for group, name in phantom.followed)


def _iteration(stored: StoredImage) -> int:
    return int(stored.place[0]) if stored.place is not None else 0
