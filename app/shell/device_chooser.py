"""Device in the header: its name, and a menu to choose another one."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

from app.language.translation import tr
from app.state.models.device_choice import LOOKING, describe
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.views.literal_text import literal_tip
from engine.core.backend import DeviceInfo, find_devices

TEXT_PX = 190
RUNNING = tr("You can change the device when the run has ended.")


class DeviceChooser(QToolButton):
    """Menu with automatic choice, CPU and GPUs; devices that cannot be used state the reason."""

    def __init__(self, context: AppContext, tune: QAction) -> None:
        super().__init__()
        self._context, self._choice = context, context.session.device
        self._theme = context.theme
        self.setProperty("role", "chooser")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        # Devices can appear and disappear while the window is open, for example an external GPU.
        menu.aboutToShow.connect(self.refresh)
        self.setMenu(menu)
        self._group = QActionGroup(self)
        self.entries: dict[str, QAction] = {}
        self._end = menu.addSeparator()
        menu.addAction(tune)
        self._was_active = False
        self._choice.changed.connect(self._show)
        context.session.run.state_changed.connect(self._follow_state)
        self._show()
        # The search can take long, and the window must be visible first.
        QTimer.singleShot(0, self, self.refresh)

    def refresh(self) -> None:
        """Search the devices in a thread."""
        from engine.io import usable_memory

        self._context.commands.run_task(
            lambda _: find_devices(usable_memory()),
            self._choice.set_found,
            failed=tr("The devices on this computer could not be listed."),
        )

    def _update_entries(self, keys: tuple[str, ...]) -> None:
        """Update the entries of the menu to one per device."""
        for missing in [key for key in self.entries if key not in keys]:
            entry = self.entries.pop(missing)
            self.menu().removeAction(entry)
            entry.deleteLater()
        for key in keys:
            if key not in self.entries:
                self.entries[key] = self._entry(key)

    def _entry(self, key: str) -> QAction:
        made = QAction(self)
        made.setCheckable(True)
        # `triggered`, not `toggled`: only a click of the user is stored as a preference.
        made.triggered.connect(lambda: self._chosen(key))
        self._group.addAction(made)
        self.menu().insertAction(self._end, made)
        return made

    def _chosen(self, key: str) -> None:
        self._context.preferences.device = key
        self._choice.choose(key)

    def _follow_state(self) -> None:
        active = self._context.session.run.state.is_active
        if self._was_active and not active:
            self.refresh()  # the free memory may have changed
        self._was_active = active
        self._show()

    def _show(self) -> None:
        best = self._choice.named("auto")
        automatic = (
            tr("Automatic ({label})", label=best.label) if best is not None else tr("Automatic")
        )
        # Before the search has ended the menu shows placeholders.
        keys = tuple(device.key for device in self._choice.found) or ("cpu", "cuda")
        self._update_entries(("auto", *keys))
        self._show_entry("auto", automatic, tr("Use the GPU if available, otherwise the CPU"))
        for key in keys:
            self._show_device(key, self._choice.named(key))
        active, current = self._context.session.run.state.is_active, self._choice.in_use
        self.setEnabled(not active)
        usable = current is None or current.usable
        set_icon(
            self, "device" if usable else "warning", self._theme, "muted" if usable else "warning"
        )
        # The header has little space, and the rest of the name is unique.
        short = self._choice.label.removeprefix("NVIDIA ")
        elide = Qt.TextElideMode.ElideRight
        self.setText(self.fontMetrics().elidedText(short or tr("Device"), elide, TEXT_PX))
        tip = LOOKING
        if current is not None and current.obstacle:
            tip = tr("{label}: {reason}", label=current.label, reason=current.obstacle)
        elif current is not None:
            tip = tr("Device for reconstructions: {describe}", describe=describe(current))
        self.setToolTip(literal_tip(RUNNING if active else tip))
        self.setAccessibleName(tr("Device: {label}", label=self._choice.label or LOOKING))

    def _show_device(self, key: str, device: DeviceInfo | None) -> None:
        if device is None:
            self._show_entry(key, key.upper(), LOOKING, enabled=False)
        elif device.usable:
            self._show_entry(key, device.label, describe(device))
        else:
            text = tr("{label} (not usable)", label=device.label)
            self._show_entry(key, text, describe(device), enabled=False)

    def _show_entry(self, key: str, text: str, tip: str, *, enabled: bool = True) -> None:
        entry = self.entries[key]
        entry.setText(text)
        entry.setToolTip(literal_tip(tip))
        entry.setEnabled(enabled)
        entry.setChecked(key == self._choice.key)
