"""The row of the 3D view: mode, level of the surface, regions, copy, save."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QCheckBox, QHBoxLayout, QSlider, QWidget

from app.language.translation import tr
from app.state.models.messages import Problem
from app.state.services.context import AppContext
from app.state.services.key_images import png_of
from app.state.services.saving import may_write
from app.ui.forms.fields import QuietCombo
from app.ui.forms.number_box import NumberBox
from app.ui.theme.file_dialogs import ask_save, with_ending
from app.ui.theme.widgets import icon_button, label
from app.views.grabbing import grab_when_complete
from app.views.literal_text import literal_tip
from app.views.rendering.ray_shader import RenderMode
from app.views.rendering.rendering_state import first_level
from app.views.slices.ortho_view import OrthoView
from app.views.volume_facts import facts_of

MODES: tuple[tuple[RenderMode, str, str], ...] = (
    ("volume", tr("Volume"), tr("Colours and opacity follow the window of the views")),
    ("surface", tr("Surface"), tr("Shows the surface of all values above the level")),
    ("projection", tr("MIP"), tr("Maximum along each line of sight, from any direction")),
)
STEPS, SLIDER_PX, MIN_SLIDER_PX, BOX_PX, COMBO_PX = 400, 160, 50, 84, 110
FIGURES = 3
NOT_COPIED, NOT_SAVED = tr("The 3D view was not copied."), tr("The 3D view was not saved.")
NO_IMAGE = tr("It shows another image now, or cannot be drawn.")
FILE_NAME, KINDS = "3d.png", tr("Pictures (*.png)")


class RenderingBar(QWidget):
    """Shows and controls the 3D view; hidden without it."""

    def __init__(self, context: AppContext, views: OrthoView) -> None:
        super().__init__()
        self._context, self._views = context, views
        self._rendering, self._state = views.rendering, views.state
        self.mode = QuietCombo()
        self.mode.setAccessibleName(tr("3D mode"))
        self.mode.setFixedWidth(COMBO_PX)
        for key, title, tip in MODES:
            self.mode.addItem(title, key)
            self.mode.setItemData(self.mode.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.mode.activated.connect(lambda _: self._rendering.set_mode(self.mode.currentData()))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setMinimumWidth(MIN_SLIDER_PX)
        self.slider.setMaximumWidth(SLIDER_PX)
        self.slider.valueChanged.connect(self._take_slider)
        self.levels = tuple(NumberBox(False, None, None) for _ in range(2))
        self._captions = tuple(label("", "caption") for _ in range(2))
        for upper, box in enumerate(self.levels):
            box.setFixedWidth(BOX_PX)
            box.edited.connect(partial(self._take_number, bool(upper)))
        self.regions = QCheckBox(tr("Regions"))
        self.regions.setToolTip(literal_tip(tr("Show the visible regions as coloured surfaces")))
        self.regions.toggled.connect(self._rendering.set_shows_regions)
        theme = context.theme
        self.copy = icon_button("copy", theme, self._copy, tr("Copy the 3D view"))
        self.save = icon_button("save", theme, self._save, tr("Save the 3D view as PNG …"))
        self.close_ = icon_button("remove", theme, self._close, tr("Back to the projection"))
        self._lay_out()
        for signal in (
            self._rendering.changed, views.layout_changed, views.rendering_failed,
            self._state.volume_changed, self._state.fusion.volume_changed,
            context.session.regions.changed,
        ):  # fmt: skip
            signal.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 8, 4)
        row.setSpacing(6)
        row.addWidget(label(tr("3D"), "caption"))
        row.addWidget(self.mode)
        row.addWidget(self._captions[0])
        row.addWidget(self.slider, 8)
        row.addWidget(self.levels[0])
        row.addWidget(self._captions[1])
        row.addWidget(self.levels[1])
        row.addWidget(self.regions)
        row.addStretch(1)
        for each in (self.copy, self.save, self.close_):
            row.addWidget(each)

    @property
    def is_wanted(self) -> bool:
        """True while the 3D view is in the layout and can be drawn."""
        views = self._views
        is_there = views.layout_now.projection == "3d" and not views.no_rendering
        return is_there and self._state.volume is not None

    def refresh(self) -> None:
        """Show the current settings."""
        shown = [each for each in self._context.session.regions.regions if each.shown]
        self._rendering.set_regions(tuple((each.shape, each.colour) for each in shown))
        self.setVisible(self.is_wanted)
        if not self.is_wanted:
            return
        mode = self._rendering.mode
        self.mode.setCurrentIndex(self.mode.findData(mode))
        self.mode.setToolTip(literal_tip(MODES[self.mode.currentIndex()][2]))
        has_levels = mode == "surface"
        self.slider.setVisible(has_levels)
        for upper, (box, caption) in enumerate(zip(self.levels, self._captions, strict=True)):
            is_shown = has_levels and (not upper or self._rendering.is_fused)
            box.setVisible(is_shown)
            caption.setVisible(is_shown)
            if is_shown:
                self._show_level(box, bool(upper))
        self.regions.setVisible(bool(shown) and mode != "projection")
        with QSignalBlocker(self.regions):
            self.regions.setChecked(self._rendering.shows_regions)

    def _show_level(self, box: NumberBox, upper: bool) -> None:
        appearance = self._rendering.appearance(upper=upper)
        level, unit = self._rendering.level(upper=upper), appearance.shown_unit
        words = tr("Second ({unit})", unit=unit) if upper else tr("Level ({unit})", unit=unit)
        self._captions[upper].setText(words)
        tip = tr("Value of the surface ({unit}). All values above it are inside.", unit=unit)
        for each in (box, self.slider) if not upper else (box,):
            each.setAccessibleName(words)
            each.setToolTip(literal_tip(tip))
        box.show_number(_rounded(appearance.to_shown(level)))
        if not upper:
            low, high = self._level_range
            with QSignalBlocker(self.slider):
                self.slider.setValue(round(STEPS * min(max((level - low) / (high - low), 0), 1)))

    @property
    def _level_range(self) -> tuple[float, float]:
        """Smallest and largest level of the slider, in the unit of the volume."""
        volume = self._state.volume
        if volume is None:
            return 0.0, 1.0
        found = facts_of(volume).histogram
        # The first level may be outside a sample of the values.
        first = first_level(volume)
        return min(found.lowest, first), max(found.highest, first)

    def _take_slider(self, value: int) -> None:
        low, high = self._level_range
        self._rendering.set_level(_rounded(low + (high - low) * value / STEPS), upper=False)

    def _take_number(self, upper: bool) -> None:
        typed = self.levels[upper].raw()
        if isinstance(typed, int | float) and math.isfinite(typed):
            value = self._rendering.appearance(upper=upper).from_shown(float(typed))
            self._rendering.set_level(value, upper=upper)
        # An invalid text is replaced by the current level.
        self.refresh()

    def _copy(self) -> None:
        grab_when_complete(self._views.rendering_view, self._state, self._take_copy)

    def _take_copy(self, image: QImage | None) -> None:
        if image is None or self._views.rendering_view.fault:
            self._context.session.raise_problem(Problem(NOT_COPIED, NO_IMAGE, is_fault=False))
        else:
            QApplication.clipboard().setImage(image)

    def _save(self) -> None:
        preferences = self._context.preferences
        folder = Path(preferences.export_folder or Path.home())
        path = ask_save(self, tr("Save the 3D view"), folder / FILE_NAME, KINDS)
        if path is None:
            return
        target = with_ending(path, (".png",))
        if may_write(self, target, self._context.session):
            preferences.export_folder = str(target.parent)
            self.write(target)

    def write(self, target: Path) -> None:
        """Write the 3D view with its letters and caption, once all its pixels are drawn.

        Parameters
        ----------
        target
            PNG file; an existing one is replaced
        """
        grab_when_complete(self._views.rendering_view, self._state, partial(self._write, target))

    def _write(self, target: Path, image: QImage | None) -> None:
        if image is None or self._views.rendering_view.fault:
            self._context.session.raise_problem(Problem(NOT_SAVED, NO_IMAGE, is_fault=False))
            return
        from engine.io import write_atomically

        self._context.commands.run_task(
            lambda _: write_atomically(png_of(image), target),
            lambda _: self._context.session.add_log(
                "info", tr("3D view saved: {target}", target=target)
            ),
            busy=tr("Writing {name}", name=target.name),
            failed=tr("{name} could not be written.", name=target.name),
        )

    def _close(self) -> None:
        self._views.show_rendering(False)


def _rounded(value: float) -> float:
    return float(f"{value:.{FIGURES}g}")
