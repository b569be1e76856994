"""The rows above the views: first volume, second volume, fusion mode."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.state.models.images.error_images import RELATIVE, SPREAD, has_error
from app.state.models.images.open_volume import OpenVolume
from app.state.services.context import AppContext
from app.state.services.key_images import add_key_image, obstacle
from app.state.services.volume_commands import Place
from app.ui.theme.file_dialogs import ask_open
from app.ui.theme.widgets import icon_button, label, set_tone
from app.viewing.fusion.view_menu import ViewMenu
from app.viewing.fusion.volume_menu import VolumeMenu
from app.views.colour.window_controls import COMPARISON, SECOND_VOLUME, WindowControls
from app.views.fusion.comparing import COMPARING
from app.views.fusion.fusion_state import FusionMode
from app.views.fusion.fusion_text import explanation_of, warning_of
from app.views.literal_text import literal_tip
from app.views.slices.labels import shortened_name
from app.views.slices.ortho_view import OrthoView

MIN_NAME_PX = 76
SLIDER_PX, MARGIN_PX, SPACING_PX = 90, 8, 6
STEPS = 100
MODES: tuple[tuple[FusionMode, str, str], ...] = (
    ("blend", tr("Blend"), tr("The upper volume is shown semi-transparently over the lower one")),
    ("swipe", tr("Swipe"), tr("A border separates the two volumes. Drag it in any view.")),
    ("blink", tr("Blink"), tr("Shows the two volumes in turn. Press O to change by hand.")),
    (
        "side by side",
        tr("Side by side"),
        tr("Both volumes in separate views, at the same position and scale"),
    ),
    (
        "compare",
        tr("Compare"),
        tr("Both volumes and their difference, with one window, at the same position and scale"),
    ),
    (
        "difference",
        tr("Difference"),
        tr("Second volume minus first volume; the window is centred on 0"),
    ),
    ("ratio", tr("Ratio"), tr("Second volume divided by first volume; the window is centred on 1")),
    (
        "significance",
        tr("Difference / error"),
        tr(
            "Second volume minus first volume, divided by the error of the difference. One voxel "
            "in 20 exceeds the limit by chance."
        ),
    ),
)
QUANTITIES = (
    ("", tr("Image"), tr("The slices show the image")),
    (SPREAD, tr("Error"), tr("The slices show the standard deviation of each voxel")),
    (
        RELATIVE,
        tr("Relative error"),
        tr("The slices show the standard deviation as a percentage of the value of the voxel"),
    ),
)
"""Quantities that the slices can show of an image with an error map: key, title and tooltip."""
KINDS = tr("Volumes (*);;All files (*)")


class FusionBar(QWidget):
    """Controls for the open volumes. The second row is visible while two volumes are displayed."""

    def __init__(self, context: AppContext, views: OrthoView) -> None:
        super().__init__()
        self.view = QPushButton(tr("View"))
        self.view.setToolTip(
            tr("Rotate, flip or copy the most recently used view, or set the patient position")
        )
        self.view.setAccessibleName(tr("View"))
        menu = ViewMenu(views, self.view)
        menu.error_chosen.connect(context.volumes.show_error)
        menu.report_chosen.connect(lambda view: add_key_image(context, view))
        menu.report_obstacle = partial(obstacle, context.session)
        views.menu_requested.connect(menu.popup)
        # Buttons and lists take the focus from the views, but the key should still work.
        QShortcut(QKeySequence("E"), views, lambda: add_key_image(context, views.active))
        self.copy_views = menu.copy_all
        self.view.setMenu(menu)
        self._context, self._commands = context, context.volumes
        self._volumes = context.session.volumes
        self._fusion = context.session.view.fusion
        self.base = self._name_button("base")
        self.overlay = self._name_button("overlay")
        self.compare = self._name_button("compare")
        self.compare.setText(tr("Compare"))
        self.compare.setAccessibleName(tr("Compare"))
        self.compare.setToolTip(
            literal_tip(tr("Show another volume next to this one, with their difference"))
        )
        words = tr("Swap the volumes. Regions and values refer to the first one. PET stays on top.")
        self.swap = icon_button("swap", context.theme, self._volumes.swap, words)
        self.quantity = self._quantity_box()
        self.mode = self._mode_box()
        self.share = self._slider()
        self.hides_low = self._switch(
            tr("Hide values below window"), tr("Values below the window are transparent")
        )
        self.hides_low.toggled.connect(self._fusion.set_hides_low)
        self.linked = self._switch(
            tr("Shared window"), tr("Both volumes use the same window and colour map")
        )
        self.linked.toggled.connect(self._link)
        self.window_of_upper = WindowControls(self._fusion, SECOND_VOLUME)
        self.window_of_both = WindowControls(self._fusion.compared, COMPARISON)
        self.words = label("", wrap=True)
        self.words.setContentsMargins(10, 0, 10, 4)
        # Visibility by settings; the available width may hide more.
        self._wanted: dict[QWidget, bool] = {}
        self._lay_out()
        fusion, view = self._fusion, context.session.view
        for signal in (self._volumes.changed, fusion.volume_changed, fusion.mixing_changed):
            signal.connect(self.refresh)
        for signal in (
            view.volume_changed,
            fusion.display_changed,
            fusion.compared.display_changed,
        ):
            signal.connect(self.refresh)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN_PX, 4, MARGIN_PX, 4)
        row.setSpacing(SPACING_PX)
        row.addWidget(self.base)
        row.addWidget(self.quantity)
        row.addWidget(self.swap)
        row.addWidget(self.overlay)
        row.addWidget(self.compare)
        for each in (self.mode, self.share, self.hides_low, self.linked):
            row.addWidget(each)
        row.addStretch(1)
        row.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.window_of_upper)
        column.addWidget(self.window_of_both)
        column.addWidget(self.words)

    def _switch(self, text: str, words: str) -> QToolButton:
        made = QToolButton()
        made.setText(text)
        made.setToolTip(literal_tip(words))
        made.setAccessibleName(text)
        made.setProperty("role", "small")
        made.setCheckable(True)
        return made

    def _name_button(self, place: Place) -> QPushButton:
        made = QPushButton()
        menu = VolumeMenu(
            self._commands, place, lambda: self._key(place), lambda: self._ask_file(place)
        )
        menu.setParent(made, menu.windowFlags())
        made.setMenu(menu)
        return made

    def _quantity_box(self) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(tr("Image or error"))
        for key, title, tip in QUANTITIES:
            box.addItem(title, key)
            box.setItemData(box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        box.activated.connect(lambda index: self._take_quantity(box.itemData(index)))
        return box

    def _take_quantity(self, key: str) -> None:
        self._commands.show_error(key)
        # A large error map is computed first; until then the box names the displayed quantity.
        self.refresh()

    def _mode_box(self) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(tr("Fusion mode"))
        for key, title, tip in MODES:
            box.addItem(title, key)
            box.setItemData(box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        box.activated.connect(lambda index: self._commands.set_mode(box.itemData(index)))
        return box

    def _slider(self) -> QSlider:
        made = QSlider(Qt.Orientation.Horizontal)
        made.setRange(0, STEPS)
        made.setFixedWidth(SLIDER_PX)
        made.valueChanged.connect(self._take_share)
        return made

    def _take_share(self, value: int) -> None:
        # One slider serves both modes, because only one of them is active.
        if self._fusion.mode == "swipe":
            self._fusion.set_swipe(value / STEPS)
        else:
            self._fusion.set_opacity(value / STEPS)

    def _link(self, on: bool) -> None:
        view = self._context.session.view
        self._fusion.set_links_windows(on)
        if on:
            # The second volume takes the window of the first, so that linking is predictable.
            self._fusion.set_window(*view.window)
            self._fusion.set_colour_map(view.colour_map)

    def _ask_file(self, place: Place) -> None:
        preferences = self._context.preferences
        title = tr("Show a volume") if place == "base" else tr("Show a second volume")
        title = tr("Compare with a volume") if place == "compare" else title
        path = ask_open(self.window(), title, preferences.folder_last_used, KINDS)
        if path is not None:
            preferences.folder_last_used = str(path.parent)
            self._commands.open_file(path, place)

    def _volume_at(self, place: Place) -> OpenVolume | None:
        return self._volumes.base if place == "base" else self._volumes.overlay

    def _key(self, place: Place) -> str:
        found = self._volume_at(place)
        return found.key if found is not None else ""

    def minimumSizeHint(self) -> QSize:
        # Switches and slider may be hidden, so they do not count.
        parts = self._fixed_controls
        names = len(self._names) * MIN_NAME_PX + self.view.sizeHint().width()
        width = names + sum(each.sizeHint().width() for each in parts)
        gaps = (2 + len(parts)) * SPACING_PX + 2 * MARGIN_PX
        rows = [each for each in (self.window_of_upper, self.window_of_both) if each.isVisible()]
        least = max([width + gaps, *(row.minimumSizeHint().width() for row in rows)])
        return QSize(least, super().minimumSizeHint().height())

    @property
    def _fixed_controls(self) -> list[QWidget]:
        """Controls besides the names that are never hidden for lack of space."""
        is_error, two = self._fusion.is_error, self._fusion.has_values
        shown = (
            (self.quantity, self._offers_error and not self._has_second_image),
            (self.swap, two and not is_error),
            (self.mode, two),
        )
        return [widget for widget, is_shown in shown if is_shown]

    @property
    def _hideable_controls(self) -> tuple[QWidget, ...]:
        """Controls that are hidden for lack of space, the last one first."""
        parts = (self.compare, self.share, self.linked, self.hides_low)
        # The menu of the view offers the error too.
        return (*parts, self.quantity) if self._has_second_image else parts

    @property
    def _offers_error(self) -> bool:
        return has_error(self._context.session.view.volume)

    @property
    def _has_second_image(self) -> bool:
        return self._fusion.has_values and not self._fusion.is_error

    @property
    def _names(self) -> list[QPushButton]:
        """The visible buttons with the names of volumes."""
        return [self.base] if self._fusion.is_error else [self.base, self.overlay]

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit_to_width()

    def _fit_to_width(self) -> None:
        """Hide switches and slider that do not fit, then shorten the names."""
        parts = self._fixed_controls
        wanted = [each for each in self._hideable_controls if self._wanted.get(each)]
        free = self.width() - 2 * MARGIN_PX - self.view.sizeHint().width() - SPACING_PX
        free -= sum(each.sizeHint().width() + SPACING_PX for each in parts)
        names = self._names
        widths = [each.sizeHint().width() for each in names]
        space = free - sum(widths) - len(names) * SPACING_PX
        for each in self._hideable_controls:
            # The slider has a fixed width that its size hint does not know.
            needed = (each.width() if each is self.share else each.sizeHint().width()) + SPACING_PX
            shown = each in wanted and needed <= space
            each.setVisible(shown)
            space -= needed if shown else 0
        free -= len(names) * SPACING_PX
        least = max(free // len(names), MIN_NAME_PX)
        for each in names:
            rest = free - min(widths) if len(names) > 1 else free
            each.setMaximumWidth(max(least, rest))

    def refresh(self) -> None:
        """Show the displayed volumes and their settings."""
        fusion, view = self._fusion, self._context.session.view
        self._show_name(self.base, "base", tr("No volume"))
        self._show_name(self.overlay, "overlay", tr("Second volume …"))
        two, blends = fusion.has_values, fusion.mode == "blend"
        self.swap.setVisible(two and not fusion.is_error)
        self.mode.setVisible(two)
        self.quantity.setVisible(self._offers_error)
        # The box names the error already.
        self.overlay.setVisible(not fusion.is_error)
        self.quantity.setCurrentIndex(self.quantity.findData(self._volumes.shown_error))
        self.quantity.setToolTip(literal_tip(QUANTITIES[self.quantity.currentIndex()][2]))
        mixes = two and fusion.mode in ("blend", "swipe")
        # A shared window needs equal units, and a comparison has a window of its own.
        same_unit = two and view.unit == fusion.unit and fusion.mode not in COMPARING
        same_unit = same_unit and not fusion.is_error
        self._wanted = {self.share: mixes, self.hides_low: mixes, self.linked: same_unit}
        # With a second volume, the box with the modes has the comparison.
        self._wanted[self.compare] = view.volume is not None and not two
        self._wanted[self.quantity] = self._offers_error
        shares = same_unit and fusion.links_windows
        self.window_of_upper.setVisible(two and not shares and fusion.mode not in COMPARING)
        self.window_of_both.setVisible(fusion.shows_comparison)
        self._offer_modes()
        self.mode.setCurrentIndex(self.mode.findData(fusion.mode))
        self.mode.setToolTip(literal_tip(MODES[self.mode.currentIndex()][2]))
        name = tr("Opacity of the upper volume") if blends else tr("Border between the volumes")
        self.share.setAccessibleName(name)
        tip = tr("Opacity of the upper volume (press O to hide it)") if blends else name
        self.share.setToolTip(literal_tip(tip))
        # Setting the slider must not change the value that it shows.
        self.share.blockSignals(True)
        self.share.setValue(round(STEPS * (fusion.opacity if blends else fusion.swipe)))
        self.share.blockSignals(False)
        self.hides_low.setChecked(fusion.hides_low)
        self.linked.setChecked(fusion.links_windows)
        warning, note = warning_of(view), fusion.note[:1].upper() + fusion.note[1:]
        # A warning is more important than a note.
        note = f"{note}." if note and explanation_of(view) else note
        words = warning or " ".join(filter(None, (explanation_of(view), note)))
        self.words.setText(words)
        self.words.setVisible(two and bool(words))
        set_tone(self.words, "warning" if warning else "muted")
        self._fit_to_width()

    def _offer_modes(self) -> None:
        """Disable the modes that these volumes do not allow. Their tooltips state the reason."""
        model = self.mode.model()
        for row, (mode, _, tip) in enumerate(MODES):
            why = self._fusion.obstacle(mode)
            # The column of the model is set explicitly: tooltips of other columns are ignored.
            index = model.index(row, self.mode.modelColumn())
            model.setData(index, literal_tip(why or tip), Qt.ItemDataRole.ToolTipRole)
            item = model.item(row) if isinstance(model, QStandardItemModel) else None
            if item is not None:
                item.setEnabled(not why)

    def _show_name(self, button: QPushButton, place: Place, empty: str) -> None:
        found = self._volume_at(place)
        title = tr("First volume") if place == "base" else tr("Second volume")
        button.setText(shortened_name(found.name) if found is not None else empty)
        button.setToolTip(literal_tip(f"{title}: {found.name}" if found is not None else title))
        button.setAccessibleName(f"{title}: {button.text()}")
