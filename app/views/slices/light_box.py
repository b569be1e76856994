"""A light box: many slices of one plane with common zoom, window and colours."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.language.keys import name_of_key
from app.language.translation import tr
from app.views.colour.raster import Raster
from app.views.layout import ViewLayout
from app.views.planes.plane_geometry import slice_index
from app.views.slices.slab import SlabCutter
from app.views.slices.slice_view import SliceView
from app.views.state import ViewState
from app.views.text import millimetres
from app.views.viewport import Viewport
from engine.data import Volume
from engine.geometry import Point

MIN_PX, MARGIN_PX = 60, 16.0


class SheetSlice(SliceView):
    """One tile of the light box: a slice whose position the box sets."""

    paged = Signal(int)
    margin_px = MARGIN_PX

    def __init__(
        self,
        state: ViewState,
        layout: ViewLayout,
        place: int,
        cutters: tuple[SlabCutter, SlabCutter],
    ) -> None:
        # Before the base class, whose constructor already asks for the slice.
        self.index = 0
        super().__init__(state, layout.plane, cutters=cutters)
        self.setMinimumSize(MIN_PX, MIN_PX)
        self.set_place(place)
        self._stride = 1

    def set_place(self, place: int) -> None:
        """Set the position in the box. Only the first tile has letters, only the second a scale.

        Parameters
        ----------
        place
            index of the tile
        """
        self.setAccessibleName(
            tr(
                "Light box, slice {place}: {plane}",
                plane=name_of_key(self.plane),
                place=place + 1,
            )
        )
        marks = place == 0, place == 1
        if marks != (self.has_letters, self.has_scale):
            self.has_letters, self.has_scale = marks
            self.update()

    def show_index(self, index: int) -> None:
        """Show another slice.

        Parameters
        ----------
        index
            index of the slice
        """
        if index != self.index:
            self.index = index
            self.forget_raster()

    @property
    def plane_point(self) -> Point:
        point, volume = list(self.state.cursor_mm), self.state.volume
        if volume is not None:
            normal = self.orientation.normal
            point[normal] = float(volume.grid.centres_mm(normal)[self._index(volume)])
        return point[0], point[1], point[2]

    def shows_crosshair(self) -> bool:
        """Return True if the cursor is in this slice."""
        volume, normal = self.state.volume, self.orientation.normal
        if volume is None or not self.state.shows_crosshair:
            return False
        return slice_index(volume.grid, normal, self.state.cursor_mm[normal]) == self.index

    def caption(self) -> str:
        normal = self.orientation.normal
        return f"{'xyz'[normal]} {millimetres(self.plane_point[normal])}"

    def note(self) -> str:
        return ""

    def make_raster(self, volume: Volume) -> Raster:
        """Return the slice, without pixels that a small tile cannot show."""
        whole, n = super().make_raster(volume), self._current_stride()
        self._stride = n
        rows, columns = (length // n for length in whole.values.shape)
        if n == 1 or not rows or not columns:
            return whole
        # From the middle of each block, so that the image does not shift.
        values = whole.values[n // 2 :: n, n // 2 :: n][:rows, :columns].copy()
        return Raster(values, whole.rect.part(columns * n, rows * n, whole.values.shape))

    def show_part(self, viewport: Viewport) -> None:
        super().show_part(viewport)
        self._reread_if_zoomed()

    def fit(self) -> None:
        super().fit()
        self._reread_if_zoomed()

    def _reread_if_zoomed(self) -> None:
        # Zooming in needs pixels that were left out before.
        if self._current_stride() != self._stride:
            self.forget_raster()

    def _current_stride(self) -> int:
        volume, viewport = self.state.volume, self.viewport
        if volume is None or viewport is None:
            return 1
        finest = min(
            volume.grid.voxel_mm[direction.axis]
            for direction in (self.orientation.right, self.orientation.down)
        )
        return max(math.floor(1 / (finest * viewport.px_per_mm * self.devicePixelRatioF())), 1)

    def step(self, n_notches: int) -> None:
        self.paged.emit(n_notches)

    def _index(self, volume: Volume) -> int:
        return min(self.index, volume.grid.shape[2 - self.orientation.normal] - 1)


class LightBox(QObject):
    """Places the tiles: evenly over the volume, or as neighbours of the cursor.

    Parameters
    ----------
    state : display settings of the volume
    layout : plane, rows, columns and spacing
    rearrange : called when the number or order of tiles changes
    """

    def __init__(
        self, state: ViewState, layout: ViewLayout, rearrange: Callable[[], object]
    ) -> None:
        super().__init__()
        self._state, self.layout, self._rearrange = state, layout, rearrange
        cutters = SlabCutter(), SlabCutter()
        n_slices = layout.rows * layout.columns
        self.slices = [SheetSlice(state, layout, k, cutters) for k in range(n_slices)]
        first = self.slices[0]
        for each in self.slices:
            each.paged.connect(self.page)
            if each is not first:
                # All tiles are linked through the first one, in both directions.
                each.follow(first)
                first.follow(each)
        self._first, self._n_shown, self._n_before = 0, 0, -1
        state.volume_changed.connect(self._adapt_to_volume)
        state.cursor_changed.connect(self._follow_cursor)
        self._adapt_to_volume()

    @property
    def rows(self) -> tuple[tuple[SheetSlice, ...], ...]:
        """The tiles row by row. A volume may have fewer slices than there are tiles."""
        shown, n = self.slices[: self._n_shown], self.layout.columns
        return tuple(tuple(shown[k : k + n]) for k in range(0, len(shown), n))

    @property
    def _n_all(self) -> int:
        volume = self._state.volume
        return 0 if volume is None else volume.grid.shape[2 - self._normal]

    @property
    def _normal(self) -> int:
        return self.slices[0].orientation.normal

    @property
    def step(self) -> int:
        """Slices from one tile to the next."""
        return self.layout.spacing or max(math.ceil(self._n_all / len(self.slices)), 1)

    def page(self, n_notches: int) -> None:
        """Show other slices; if the box shows the whole volume, move the cursor.

        Parameters
        ----------
        n_notches
            number of steps
        """
        if self.layout.spacing:
            self._show_from(self._first + n_notches * self.step)
        else:
            self._state.step_cursor(self._normal, n_notches)

    def _adapt_to_volume(self) -> None:
        # The images of a run have equal grids, and paging must survive them.
        if self._n_all == self._n_before:
            return
        self._n_before = self._n_all
        n_shown = min(max(math.ceil(self._n_all / self.step), 1), len(self.slices))
        changed, self._n_shown = n_shown != self._n_shown, n_shown
        if self.layout.spacing:
            self._show_from(self._cursor_index - self.step * ((n_shown - 1) // 2))
        else:
            self._show_from((self._n_all - 1 - self.step * (n_shown - 1)) // 2)
        if changed:
            self._rearrange()

    @property
    def _cursor_index(self) -> int:
        volume = self._state.volume
        if volume is None:
            return 0
        return slice_index(volume.grid, self._normal, self._state.cursor_mm[self._normal])

    def _follow_cursor(self) -> None:
        """Follow the cursor when it leaves the displayed slices."""
        at, step = self._cursor_index, self.step
        beyond = at - (self._first + step * self._n_shown - 1)
        before = self._first - at
        if self.layout.spacing and max(beyond, before) > 0:
            # Whole steps, so that the tiles show the same slices after going back.
            n_on = math.ceil(beyond / step) if beyond > 0 else -math.ceil(before / step)
            self._show_from(self._first + n_on * step)

    def _show_from(self, first: int) -> None:
        # The last tile ends at the last slice, so no tile is empty.
        most = max(self._n_all - 1 - self.step * (self._n_shown - 1), 0)
        self._first = min(max(first, 0), most)
        wanted = [self._first + self.step * k for k in range(self._n_shown)]
        if self.layout.plane == "axial" and not self._state.axes.endswith("I"):
            wanted.reverse()  # from head to feet
        self._reuse_tiles(wanted)

    def _reuse_tiles(self, wanted: list[int]) -> None:
        """Reuse tiles that already show a wanted slice, and move them to their position."""
        # Paging by one step then computes a single new slice.
        reused = {each.index: each for each in self.slices if each.index in wanted}
        free = [each for each in self.slices if reused.get(each.index) is not each]
        found = [reused[index] if index in reused else free.pop(0) for index in wanted]
        before, self.slices = self.slices, [*found, *free]
        for place, (each, index) in enumerate(zip(found, wanted, strict=True)):
            each.show_index(index)
            each.set_place(place)
        if self.slices != before:
            self._rearrange()
