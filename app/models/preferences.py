"""What the window remembers between runs: theme, device, recent studies, measured speed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from engine.backend import DEVICES
from engine.io import config_dir

MAX_RECENT = 8


class Preferences:
    """A small INI file; every read has a sound default."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or config_dir()
        path = self.folder / "window.ini"
        self._settings = QSettings(str(path), QSettings.Format.IniFormat)

    @property
    def theme(self) -> str:
        """Name of the colour theme: "dark" or "light"."""
        return str(self._settings.value("theme", "dark"))

    @theme.setter
    def theme(self, name: str) -> None:
        self._settings.setValue("theme", name)

    @property
    def recent(self) -> list[Path]:
        """Scans and studies opened last, newest first, those that still exist."""
        value = self._settings.value("recent", [])
        texts = value if isinstance(value, list) else [value]
        return [Path(str(t)) for t in texts if t and Path(str(t)).exists()]

    def remember(self, path: Path) -> None:
        """Put a scan or study first among the recent ones."""
        path = path.resolve()
        paths = [path, *(p for p in self.recent if p != path)][:MAX_RECENT]
        self._settings.setValue("recent", [str(p) for p in paths])

    @property
    def folder_last_used(self) -> str:
        """Folder in which the last file was chosen."""
        return str(self._settings.value("folder", ""))

    @folder_last_used.setter
    def folder_last_used(self, folder: str) -> None:
        self._settings.setValue("folder", folder)

    @property
    def device(self) -> str:
        """What reconstructions run on: "auto", "cpu" or "cuda"."""
        kept = str(self._settings.value("device", "auto"))
        return kept if kept in DEVICES else "auto"

    @device.setter
    def device(self, key: str) -> None:
        self._settings.setValue("device", key)

    def speed_ratio(self, device: str) -> float:
        """Measured over estimated time of the last run on a device, 1 before the first."""
        return float(str(self._settings.value(f"speed_ratio_{device}", 1.0)))

    def remember_speed(self, device: str, ratio: float) -> None:
        """Keep what the last run on a device has measured."""
        self._settings.setValue(f"speed_ratio_{device}", ratio)

    @property
    def geometry(self) -> QByteArray:
        """Size and place of the window; empty at the first start."""
        value = self._settings.value("geometry")
        return value if isinstance(value, QByteArray) else QByteArray()

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._settings.setValue("geometry", value)

    def save(self) -> None:
        """Write the file now."""
        self._settings.sync()
