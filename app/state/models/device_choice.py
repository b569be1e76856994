"""The device for reconstructions: the user's choice and the devices of this computer."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.ui.theme.formatting import size
from engine.core.backend import DeviceInfo, choose

LOOKING = tr("Searching for devices on this computer.")


class DeviceChoice(QObject):
    """The choice, the devices once they are known, and their measured speeds.

    Attributes
    ----------
    key : "auto", "cpu", "cuda" or "cuda:1"
    found : the devices; empty until the search has ended
    speed_ratios : measured over estimated time by kind of run, device and stage
    """

    changed = Signal()

    def __init__(self, key: str = "auto", found: tuple[DeviceInfo, ...] = ()) -> None:
        super().__init__()
        self.key, self.found = key, found
        # Shared by all models, so a speed learnt by one run applies to every later estimate.
        self.speed_ratios: dict[str, float] = {}

    @property
    def in_use(self) -> DeviceInfo | None:
        """The device of the next run; None until the search for devices has ended."""
        return choose(self.found, self.key) if self.found else None

    @property
    def label(self) -> str:
        """Name of the device in use, for the user."""
        return self.in_use.label if self.in_use is not None else ""

    def named(self, key: str) -> DeviceInfo | None:
        """Return the device with a key.

        Parameters
        ----------
        key
            "auto", "cpu", "cuda" or "cuda:1"

        Returns
        -------
        None until the search for devices has ended
        """
        return choose(self.found, key) if self.found else None

    def set_found(self, found: tuple[DeviceInfo, ...]) -> None:
        """Replace the list of devices with the result of the latest search."""
        self.found = found
        self.changed.emit()

    def choose(self, key: str) -> None:
        """Use another device from now on.

        Parameters
        ----------
        key
            "cpu", "cuda", "cuda:1"; "auto" selects the best usable device
        """
        self.key = key
        self.changed.emit()

    def obstacle(self) -> str:
        """Return the reason why no run can start on the device; empty if one can."""
        if self.in_use is None:
            # The search runs in a thread, because loading the CUDA driver can take seconds.
            return LOOKING
        if self.in_use.usable:
            return ""
        return tr(
            "The GPU cannot be used. {obstacle} You can also choose another device in the header.",
            obstacle=self.in_use.obstacle,
        )


def describe(device: DeviceInfo) -> str:
    """Return the tooltip of a device.

    Parameters
    ----------
    device
        a device of this computer

    Returns
    -------
    why it cannot be used, or its memory
    """
    # The reason is more useful than the memory of a device that cannot be used.
    if device.obstacle:
        return device.obstacle
    memory = tr(
        "{size} of {size_2} memory free",
        size=size(device.free_bytes),
        size_2=size(device.memory_bytes),
    )
    return f"{device.label}: {memory}"
