"""Which device reconstructions run on: what the user chose, of what this machine has."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.ui.theme.formatting import size
from engine.core.backend import DeviceInfo, choose

LOOKING = tr("Searching for devices on this computer.")


class DeviceChoice(QObject):
    """The choice, the devices once they are found, and how fast each has proved.

    Attributes
    ----------
    key : "auto", "cpu", "cuda" or "cuda:1"
    found : the devices; none before they were looked for
    speed_ratios : measured over estimated time by kind of run, device and stage
    """

    changed = Signal()

    def __init__(self, key: str = "auto", found: tuple[DeviceInfo, ...] = ()) -> None:
        super().__init__()
        self.key, self.found = key, found
        self.speed_ratios: dict[str, float] = {}

    @property
    def in_use(self) -> DeviceInfo | None:
        """The device the next run takes; None before the devices were looked for."""
        return choose(self.found, self.key) if self.found else None

    @property
    def label(self) -> str:
        """The device in use, in plain words."""
        return self.in_use.label if self.in_use is not None else ""

    def named(self, key: str) -> DeviceInfo | None:
        """Return the device called "cpu", "cuda" or "cuda:1"."""
        return choose(self.found, key) if self.found else None

    def set_found(self, found: tuple[DeviceInfo, ...]) -> None:
        """Take what this machine has, as last looked for."""
        self.found = found
        self.changed.emit()

    def choose(self, key: str) -> None:
        """Run on the device of this key from now on; "auto": on the best there is."""
        self.key = key
        self.changed.emit()

    def obstacle(self) -> str:
        """Return why no run can start on the device, empty if one can."""
        if self.in_use is None:
            return LOOKING
        if self.in_use.usable:
            return ""
        return tr(
            "The GPU cannot be used. {why_not} You can also choose another device above.",
            why_not=self.in_use.why_not,
        )


def describe(device: DeviceInfo) -> str:
    """What a tip says of a device: why it cannot be used, or its memory."""
    if device.why_not:
        return device.why_not
    memory = tr(
        "{size} of {size_2} memory free",
        size=size(device.free_bytes),
        size_2=size(device.memory_bytes),
    )
    return f"{device.label}: {memory}"
