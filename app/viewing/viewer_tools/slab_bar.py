"""The slab row: combined value and thickness."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget

from app.language.translation import tr
from app.ui.forms.fields import QuietCombo
from app.ui.forms.number_box import NumberBox
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import icon_button, label
from app.views.literal_text import literal_tip
from app.views.slices.slab import MAX_EACH_SIDE, MAX_MM, MIN_MM, SlabKind
from app.views.state import ViewState

KINDS: tuple[tuple[SlabKind, str, str], ...] = (
    ("highest", tr("Maximum (MIP)"), tr("Maximum along each line through the slab")),
    ("mean", tr("Mean"), tr("Mean along each line through the slab: less noise, more blur")),
    (
        "lowest",
        tr("Minimum (MinIP)"),
        tr("Minimum along each line: shows airways, and vessels without contrast agent"),
    ),
)
STEPS, SLIDER_PX, BOX_PX, COMBO_PX = 200, 160, 76, 150
MIN_SLIDER_PX = 50


class SlabBar(QWidget):
    """Shows and controls the slab; hidden while single slices are shown."""

    def __init__(self, state: ViewState, theme: Theme) -> None:
        super().__init__()
        self._state = state
        self.kind = QuietCombo()
        self.kind.setAccessibleName(tr("Slab mode"))
        self.kind.setFixedWidth(COMBO_PX)
        for key, title, tip in KINDS:
            self.kind.addItem(title, key)
            self.kind.setItemData(self.kind.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.kind.activated.connect(lambda _: self._take_kind())
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setMinimumWidth(MIN_SLIDER_PX)
        self.slider.setMaximumWidth(SLIDER_PX)
        self.slider.valueChanged.connect(self._take_slider)
        self.number = NumberBox(False, MIN_MM, MAX_MM)
        self.number.setFixedWidth(BOX_PX)
        self.number.edited.connect(self._take_number)
        self.close_ = icon_button("remove", theme, self._close, tr("Back to single slices (B)"))
        self._caption = label(tr("Thickness (mm)"), "caption")
        self._lay_out()
        for signal in (state.slab_changed, state.volume_changed):
            signal.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 8, 4)
        row.setSpacing(6)
        row.addWidget(label(tr("Slab"), "caption"))
        for each in (self.kind, self._caption, self.slider, self.number):
            row.addWidget(each, 8 if each is self.slider else 0)
        row.addStretch(1)
        row.addWidget(self.close_)

    @property
    def _thickness_range(self) -> tuple[float, float]:
        """Smallest and largest thickness that make a difference [mm]."""
        volume = self._state.volume
        voxels = volume.grid.voxel_mm if volume is not None else (1.0,)
        low = max(min(voxels), MIN_MM)
        # Always a range, even for voxels larger than the largest slab.
        return low, max(min(MAX_MM, (2 * MAX_EACH_SIDE + 1) * max(voxels)), 2 * low)

    def refresh(self) -> None:
        """Show the current slab."""
        state, slab = self._state, self._state.slab
        self.setVisible(bool(slab.kind) and state.volume is not None)
        self.kind.setCurrentIndex(max(self.kind.findData(slab.kind), 0))
        self.kind.setToolTip(literal_tip(KINDS[self.kind.currentIndex()][2]))
        unit = state.length_unit
        self._caption.setText(tr("Thickness ({length_unit})", length_unit=unit))
        tip = tr("Slab thickness ({length_unit}), rounded to whole slices", length_unit=unit)
        for each in (self.slider, self.number):
            each.setAccessibleName(tr("Slab thickness ({length_unit})", length_unit=unit))
            each.setToolTip(literal_tip(tip))
        low, high = self._thickness_range
        # Logarithmic: one millimetre matters for a thin slab, not for a thick one.
        part = math.log(max(slab.thickness_mm, low) / low) / math.log(high / low)
        self.slider.blockSignals(True)
        self.slider.setValue(round(STEPS * min(part, 1.0)))
        self.slider.blockSignals(False)
        self.number.show_number(slab.thickness_mm)

    def _take_kind(self) -> None:
        self._state.set_slab(replace(self._state.slab, kind=self.kind.currentData()))

    def _take_slider(self, value: int) -> None:
        low, high = self._thickness_range
        self._set_thickness(low * (high / low) ** (value / STEPS))

    def _take_number(self) -> None:
        typed = self.number.raw()
        if isinstance(typed, int | float) and math.isfinite(typed):
            self._set_thickness(float(typed))
        # An invalid text is replaced by the current thickness.
        self.refresh()

    def _set_thickness(self, thickness_mm: float) -> None:
        # A tenth of a millimetre is finer than any voxel that is combined here.
        rounded = round(min(max(thickness_mm, MIN_MM), MAX_MM), 1)
        self._state.set_slab(replace(self._state.slab, thickness_mm=rounded))

    def _close(self) -> None:
        self._state.set_slab(replace(self._state.slab, kind=""))
