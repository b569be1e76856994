"""Preferences that the window stores between runs: theme, device, recent files, measured speeds."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QByteArray, QRect, QSettings

from app.language.translation import KEY as LANGUAGE
from app.language.translation import SETTINGS_FILE, SYSTEM
from app.state.models.protocols.library import ProtocolLibrary
from app.state.models.settings_file import usable_file
from engine.core.backend import is_device_name
from engine.core.errors import EngineError
from engine.io import config_dir
from engine.results.reports import Site

MAX_RECENT = 8
SPEEDS, PLACES = "speeds", "places"
LAYOUTS, SAVED_LAYOUTS = "layouts", "saved_layouts"
MIN_RATIO, MAX_RATIO = 1e-3, 1e3
"""Range of measured over estimated time. Values outside are not valid measurements."""


class Preferences:
    """An INI file. Each value has a valid default, whatever the file contains.

    Attributes
    ----------
    fault : message about a damaged file, one sentence; empty if it is sound
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or config_dir()
        # QSettings would replace a damaged file silently, so it is checked before Qt opens it.
        path, self.fault = usable_file(self.folder / SETTINGS_FILE)
        _keep_to_owner(path)
        self._settings = QSettings(str(path), QSettings.Format.IniFormat)
        self._site: Site | None = None

    @property
    def theme(self) -> str:
        """Name of the colour theme: "dark" or "light"."""
        return self._stored_text("theme", "dark")

    @theme.setter
    def theme(self, name: str) -> None:
        self._settings.setValue("theme", name)

    @property
    def language(self) -> str:
        """Language of the window after the next start; "" for the system language."""
        return self._stored_text(LANGUAGE, SYSTEM)

    @language.setter
    def language(self, language: str) -> None:
        self._settings.setValue(LANGUAGE, language)

    @property
    def site(self) -> Site:
        """Settings of the site; defaults if they cannot be read."""
        # Read once: many panels ask for it while they are built.
        if self._site is None:
            try:
                self._site = Site.read(self.folder)
            except EngineError as e:
                # The first message stays: it concerns the window's own file.
                self._site, self.fault = Site(), self.fault or str(e)
        return self._site

    def set_site(self, site: Site) -> None:
        """Store new settings of the site.

        Parameters
        ----------
        site
            the new settings

        Raises
        ------
        EngineError
            the file cannot be written
        """
        site.write(self.folder)
        self._site = site

    @property
    def library(self) -> ProtocolLibrary:
        """All saved protocols."""
        return ProtocolLibrary(self.folder, self.site.protocol_folder)

    @property
    def recent(self) -> list[Path]:
        """Scans and studies opened last, newest first, without missing files."""
        # QSettings returns a list with one entry as a string.
        value = self._settings.value("recent", [])
        texts = value if isinstance(value, list) else [value]
        return [Path(t) for t in texts if isinstance(t, str) and t and _exists(t)]

    def remember(self, path: Path) -> None:
        """Put a scan or study first in the list of recent files.

        Parameters
        ----------
        path
            its file or folder; relative paths are resolved
        """
        path = path.resolve()
        paths = [path, *(p for p in self.recent if p != path)][:MAX_RECENT]
        self._settings.setValue("recent", [str(p) for p in paths])

    @property
    def folder_last_used(self) -> str:
        """Folder in which the last file was chosen; the user's home if it is missing or unknown."""
        folder = self._stored_text("folder", "")
        # An empty path would be the current folder, which is often that of the program.
        return folder if folder and is_folder(folder) else str(Path.home())

    @folder_last_used.setter
    def folder_last_used(self, folder: str) -> None:
        self._settings.setValue("folder", folder)

    @property
    def export_folder(self) -> str:
        """Folder into which the last image was exported."""
        folder = self._stored_text("export_folder", "")
        return folder if "\0" not in folder else ""

    @export_folder.setter
    def export_folder(self, folder: str) -> None:
        self._settings.setValue("export_folder", folder)

    @property
    def export_suffix(self) -> str:
        """Ending of the format in which the last image was exported, such as ".nii.gz"."""
        return self._stored_text("export_suffix", "")

    @export_suffix.setter
    def export_suffix(self, suffix: str) -> None:
        self._settings.setValue("export_suffix", suffix)

    @property
    def device(self) -> str:
        """Device for reconstructions: "auto", "cpu", "cuda" or "cuda:1"."""
        stored = self._stored_text("device", "auto")
        # The GPU may have been removed, or the file edited, since the last start.
        return stored if is_device_name(stored) else "auto"

    @device.setter
    def device(self, key: str) -> None:
        self._settings.setValue("device", key)

    @property
    def identify(self) -> bool:
        """True if output may contain names of files and folders."""
        # An INI file stores text only. A missing or damaged value must mean the private choice.
        return self._stored_text("identify", "false") == "true"

    @identify.setter
    def identify(self, on: bool) -> None:
        self._settings.setValue("identify", "true" if on else "false")

    @property
    def technician(self) -> bool:
        """True if the window starts in technician mode."""
        return self._stored_text("technician", "false") == "true"

    @technician.setter
    def technician(self, on: bool) -> None:
        self._settings.setValue("technician", "true" if on else "false")

    @property
    def passphrase(self) -> str:
        """Hash of the passphrase that ends technician mode; "" for none."""
        return self._stored_text("passphrase", "")

    @passphrase.setter
    def passphrase(self, stored: str) -> None:
        self._settings.setValue("passphrase", stored)

    def speed_ratios(self) -> dict[str, float]:
        """Return measured over estimated times, by `Speeds.key`."""
        self._settings.beginGroup(SPEEDS)
        found = {key: _ratio(self._settings.value(key)) for key in self._settings.childKeys()}
        self._settings.endGroup()
        # A damaged ratio would spoil every estimate that uses it.
        return {key: ratio for key, ratio in found.items() if MIN_RATIO <= ratio <= MAX_RATIO}

    def remember_speed(self, key: str, ratio: float) -> None:
        """Store a measured speed.

        Parameters
        ----------
        key
            kind of run, device and stage, from `Speeds.key`
        ratio
            measured over estimated time
        """
        self._settings.setValue(f"{SPEEDS}/{key}", ratio)

    @property
    def geometry(self) -> QByteArray:
        """Size and position of the window; empty at the first start."""
        value = self._settings.value("geometry")
        # Qt checks the bytes itself in restoreGeometry and ignores invalid ones.
        return value if isinstance(value, QByteArray) else QByteArray()

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._settings.setValue("geometry", value)

    def layout_of(self, kind: str) -> str:
        """Return the layout of the views for a kind of data; "" if none was chosen.

        Parameters
        ----------
        kind
            kind of data, such as "fused"
        """
        return self._stored_text(f"{LAYOUTS}/{kind}", "")

    def set_layout_of(self, kind: str, text: str) -> None:
        """Store the layout of the views for a kind of data.

        Parameters
        ----------
        kind
            kind of data, such as "fused"
        text
            layout, in the form that `ViewLayout.of` reads
        """
        self._settings.setValue(f"{LAYOUTS}/{kind}", text)

    @property
    def saved_layouts(self) -> dict[str, str]:
        """Saved layouts by name, in the order in which they were saved."""
        value = self._settings.value(SAVED_LAYOUTS, [])
        texts = value if isinstance(value, list) else [value]
        pairs = (each.split("\t") for each in texts if isinstance(each, str))
        return {pair[0]: pair[1] for pair in pairs if len(pair) == 2 and pair[0]}

    @saved_layouts.setter
    def saved_layouts(self, layouts: dict[str, str]) -> None:
        lines = [f"{name}\t{text}" for name, text in layouts.items()]
        self._settings.setValue(SAVED_LAYOUTS, lines)

    @property
    def floating(self) -> tuple[str, ...]:
        """Names of the panels in separate windows."""
        # Version 0.2.0 stored the names under the key "apart".
        return tuple(self._stored_text("floating", self._stored_text("apart", "")).split())

    @floating.setter
    def floating(self, names: tuple[str, ...]) -> None:
        self._settings.setValue("floating", " ".join(names))

    def place_of(self, panel: str) -> QRect:
        """Return the last position of a floating panel.

        Parameters
        ----------
        panel
            name of the panel

        Returns
        -------
        a null rectangle if it has never floated
        """
        value = self._settings.value(f"{PLACES}/{panel}")
        return value if isinstance(value, QRect) else QRect()

    def remember_place(self, panel: str, place: QRect) -> None:
        """Store the position of a floating panel.

        Parameters
        ----------
        panel
            name of the panel
        place
            its frame on the screen; a null rectangle is ignored
        """
        # A panel that was never shown has no frame yet.
        if not place.isNull():
            self._settings.setValue(f"{PLACES}/{panel}", place)

    def save(self) -> None:
        """Write the file immediately."""
        self._settings.sync()

    def _stored_text(self, key: str, default: str) -> str:
        value = self._settings.value(key, default)
        return value if isinstance(value, str) else default


def _keep_to_owner(path: Path) -> None:
    """Make the file readable only for its owner. It lists paths of scans, and Qt keeps its mode."""
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.chmod(0o600)


def _ratio(value: object) -> float:
    """Return a number from the file; 0 if it is not one."""
    try:
        return float(str(value))
    except ValueError:
        return 0.0


def is_folder(path: str) -> bool:
    """Return True if a stored path is a folder that the user may read.

    Parameters
    ----------
    path
        path from the settings; a network folder may be missing, or not accessible
    """
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):  # no access, or names that are too long or invalid
        return False


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # names that are too long or contain invalid characters
        return False
