"""Three linked slices and a projection, or a light box, with the display controls below."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.views.colour.colours import ViewColours
from app.views.colour.raster_view import RasterView
from app.views.filling import is_flat
from app.views.fusion.fusion_text import values_text
from app.views.layout import ViewLayout
from app.views.rendering.rendering_state import RenderingState
from app.views.slices.blinking import Blinking
from app.views.slices.comparison_start import ComparisonStart
from app.views.slices.light_box import LightBox
from app.views.slices.linked_planes import LinkedPlanes
from app.views.slices.mip_view import MipView
from app.views.slices.panes import Panes
from app.views.slices.slice_view import Part, SliceView
from app.views.state import ViewState
from app.views.text import place
from app.views.view_toolbar import ViewToolbar

if TYPE_CHECKING:
    from app.views.rendering.rendering_view import RenderingView


class OrthoView(QWidget):
    """Axial, coronal, sagittal and projection. A double-click enlarges one of them.

    `active` is the view that had the focus last, `layout_now` the current layout. The 3D view takes
    the place of the projection if the layout asks for it. `rendering` has its settings, and
    `no_rendering` the reason why it cannot be shown.
    """

    layout_changed = Signal()
    rendering_failed = Signal()
    menu_requested = Signal(QPoint)

    def __init__(self, state: ViewState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = state
        self.axial = SliceView(state, "axial")
        self.coronal = SliceView(state, "coronal")
        self.sagittal = SliceView(state, "sagittal")
        self.mip = MipView(state)
        self.rendering = RenderingState(state)
        self.no_rendering = ""
        self._refused: tuple[object, ...] = ()
        self._rendering_view: RenderingView | None = None
        self.toolbar = ViewToolbar(state)
        self._linked = LinkedPlanes(self.slices)
        self._panes = Panes(state, (*self.slices, self.mip))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._middle = QHBoxLayout()
        self._middle.setSpacing(0)
        self._middle.addWidget(self._panes, 1)
        column.addLayout(self._middle, 1)
        column.addWidget(self.toolbar)
        self._upper: tuple[SliceView, ...] = ()
        self._differences: tuple[SliceView, ...] = ()
        self.active: RasterView = self.axial
        self._alone: RasterView | None = None
        self.layout_now = ViewLayout()
        self.light_box: LightBox | None = None
        for view in (*self.slices, self.mip):
            self._listen_to(view)
        self._was_flat = False
        self._comparison = ComparisonStart()
        for signal in (state.volume_changed, state.fusion.volume_changed):
            signal.connect(self._offer_rendering)
        state.volume_changed.connect(self._follow_shape)
        state.display_changed.connect(self._arrange)
        state.fusion.volume_changed.connect(self._arrange)
        self._blinking = Blinking(state.fusion, self)
        state.fusion.volume_changed.connect(self._blinking.follow)

    @property
    def views(self) -> tuple[RasterView, ...]:
        """The four views, in reading order."""
        return *self.slices, self.turning

    @property
    def turning(self) -> MipView | RenderingView:
        """The view that turns: the 3D view, or the projection."""
        is_wanted = self.layout_now.projection == "3d" and not self.no_rendering
        return self.rendering_view if is_wanted else self.mip

    @property
    def rendering_view(self) -> RenderingView:
        """The 3D view, created when it is first shown."""
        if self._rendering_view is None:
            # Imported late, so that the window opens without it.
            from app.views.rendering.rendering_view import RenderingView

            self._rendering_view = RenderingView(self.state, self.rendering)
            self._listen_to(self._rendering_view)
            self._rendering_view.failed.connect(self._refuse_rendering)
        return self._rendering_view

    @property
    def shows_rendering(self) -> bool:
        """True if the layout has the 3D view in place of the projection."""
        return self.layout_now.projection == "3d"

    def show_rendering(self, on: bool) -> None:
        """Show the 3D view in place of the projection, or the projection again.

        Parameters
        ----------
        on
            True for the 3D view
        """
        alone, was = self._alone, self.turning
        layout = replace(self.layout_now, projection="3d" if on else "mip")
        # A layout without the projection would not show the 3D view either.
        hides = layout.kind == "sheet" or (layout.kind == "one" and layout.main != "projection")
        self.set_layout(replace(layout, kind="four") if on and hides else layout)
        if alone is was:
            self._alone = self.turning
            self._arrange()

    def release(self) -> None:
        """Free the memory of the 3D view outside Python, before the window is deleted."""
        if self._rendering_view is not None:
            self._rendering_view.release()

    def _listen_to(self, view: RasterView, first: RasterView | None = None) -> None:
        """Follow a view; `first` is the view of the first volume if this is one of a pair."""
        view.enlarge_requested.connect(lambda: self.toggle_enlarged(first or view))
        view.focused.connect(lambda: self._activate(view))
        view.menu_requested.connect(self.menu_requested)

    def _refuse_rendering(self, why: str) -> None:
        """Show the projection with the reason, in every layout from now on."""
        was, self._refused = self._rendering_view, self._shown_images()
        self.no_rendering = self.mip.no_rendering = why
        if self._alone is was:
            self._alone = self.mip
        if self.active is was:
            self.active = self.mip
        self._arrange()
        self.rendering_failed.emit()

    def _offer_rendering(self) -> None:
        """Offer the 3D view again once other volumes are shown than those that failed."""
        # The previews of a run would fail like their predecessor, and the panes would flicker.
        if not self.no_rendering or self._shown_images() == self._refused:
            return
        view, was = self._rendering_view, self.turning
        if view is None or not view.forget_packing_fault():
            return
        self.no_rendering = self.mip.no_rendering = ""
        if self._alone is was:
            self._alone = self.turning
        if self.active is was:
            self.active = self.turning
        self._arrange()

    def _shown_images(self) -> tuple[object, ...]:
        """Return facts that are equal for all previews of a run."""
        shown = ((each.name, each.volume) for each in (self.state, self.state.fusion))
        return tuple((name, v and (v.grid, v.unit)) for name, v in shown)

    @property
    def panes(self) -> QWidget:
        """The widget with the views, without the controls."""
        return self._panes

    @property
    def upper_views(self) -> tuple[SliceView, ...]:
        """Views of the second volume next to those of the first, created when first shown."""
        # Most users never compare side by side, and each view connects to many signals.
        if not self._upper:
            self._upper = tuple(self._linked_view(view, "upper") for view in self.slices)
        return self._upper

    @property
    def difference_views(self) -> tuple[SliceView, ...]:
        """Views of the difference next to those of both volumes, created when first shown."""
        if not self._differences:
            self._differences = tuple(self._linked_view(view, "difference") for view in self.slices)
        return self._differences

    def _linked_view(self, view: SliceView, part: Part) -> SliceView:
        """Return a view of another part of the pair, linked with the view of the first volume."""
        made = SliceView(self.state, view.plane, part=part)
        made.fitted_scale = view.fitted_scale
        # Zoom and pan of a pair stay equal, in both directions.
        made.follow(view)
        view.follow(made)
        self._listen_to(made, view)
        return made

    @property
    def slices(self) -> tuple[SliceView, ...]:
        """The three slices."""
        return self.axial, self.coronal, self.sagittal

    @property
    def enlarged(self) -> RasterView | None:
        """The enlarged view; None if all are shown."""
        return self._alone

    def add_side_widget(self, widget: QWidget) -> None:
        """Add a widget to the left of the views.

        Parameters
        ----------
        widget
            the widget
        """
        self._middle.insertWidget(0, widget)

    def _activate(self, view: RasterView) -> None:
        self.active = view

    def toggle_enlarged(self, view: RasterView) -> None:
        """Show one view alone, or all again.

        Parameters
        ----------
        view
            the view
        """
        # A double-click in a layout with one view has nothing to enlarge, so it returns to four.
        if self.layout_now.kind == "one" and self._alone is None:
            self.set_layout(replace(self.layout_now, kind="four"))
            return
        self._alone = view if self._alone is None else None
        self._arrange()
        view.setFocus()

    def set_layout(self, layout: ViewLayout) -> None:
        """Set the layout of the views.

        Parameters
        ----------
        layout
            the layout
        """
        if layout == self.layout_now:
            return
        before = self.turning
        # An enlarged view of the old layout may not exist in the new one.
        self.layout_now, self._alone = layout, None
        if self.active is before:
            self.active = self.turning
        box, self.light_box = self.light_box, None
        if layout.kind == "sheet":
            self.light_box = LightBox(self.state, layout, self._arrange)
            for each in self.light_box.slices:
                each.enlarge_requested.connect(lambda: self.toggle_enlarged(self._main))
                each.focused.connect(lambda: self._activate(self._main))
                each.menu_requested.connect(self.menu_requested)
        self._arrange()
        # The old tiles are deleted after the new layout has removed them from the grid.
        if box is not None:
            for each in box.slices:
                each.deleteLater()
            box.deleteLater()
        self.layout_changed.emit()

    def hang(self, layout: ViewLayout) -> None:
        """Set the layout for another kind of data; a thin volume still shows one slice.

        Parameters
        ----------
        layout
            the layout
        """
        self.set_layout(layout)
        if self._was_flat:
            self._alone = self.axial
            self._arrange()

    @property
    def _main(self) -> RasterView:
        """The main view of the layout."""
        layout = self.layout_now
        name = layout.plane if layout.kind == "sheet" else layout.main
        places = ("axial", "coronal", "sagittal", "projection")
        return self.views[places.index(name)]

    def _follow_shape(self) -> None:
        """Show only the axial slices of a thin volume; the other views would show a line."""
        volume = self.state.volume
        flat = volume is not None and is_flat(volume.grid)
        # Only a change counts. Otherwise each new image would undo the user's choice of view.
        if flat != self._was_flat:
            self._was_flat = flat
            self._alone = self.axial if flat else None
            self._arrange()

    def _arrange(self) -> None:
        """Place the visible views: pairs, one, or all with the sharp ones largest."""
        self._alone = self._comparison.alone(self)
        alone, fusion = self._alone, self.state.fusion
        if fusion.is_side_by_side and (alone is None or alone is not self.turning):
            parts = [self.slices, self.upper_views]
            if fusion.is_compared:
                parts.append(self.difference_views)
            sets = list(zip(*parts, strict=True))
            shown = [each for each in sets if alone in (None, *each)]
            # Three pairs are shown as two rows of three. A single pair is side by side.
            upright = len(shown) > 1
            rows = list(zip(*shown, strict=True)) if upright else shown
            self._panes.show_rows(tuple(tuple(row) for row in rows))
        elif alone is not None:
            self._panes.show_rows(((alone,),))
        elif self.layout_now.kind == "one":
            self._panes.show_rows(((self._main,),))
        elif self.light_box is not None:
            self._panes.show_rows(self.light_box.rows)
        elif self.layout_now.kind == "main":
            self._panes.show_four(self.views, self._main)
        else:
            # Two panels resolve poorly along their normal, so the slice across this axis is sharp.
            sharp = {1: self.coronal, 2: self.axial, 0: self.sagittal}
            axis = self.state.blurred_axis
            self._panes.show_four(self.views, None if axis is None else sharp[axis])

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self.state.set_colours(colours)

    def cursor_text(self) -> str:
        """Return position and values at the cursor for the status bar; empty without a volume."""
        text = values_text(self.state)
        if not text:
            return ""
        at = place(self.state.cursor_mm, self.state.length_unit)
        # Position first: values have different lengths, and the position must not jump.
        return f"{at}   {text}"

    def snapshot(self) -> QImage:
        """Return an image of the views as they are on the screen."""
        return self._panes.grab().toImage()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.enlarged is not None:
            self.toggle_enlarged(self.enlarged)
        else:
            super().keyPressEvent(event)
