"""Ask for files and folders to open, starting in the folder that was used last."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.state.models.inputs import DATA, SCANNER
from app.state.models.preferences import Preferences
from app.ui.theme.file_dialogs import ask_folder, ask_open, ask_open_all
from engine.modalities import MODALITIES, all_roles

IMPORT_KINDS = tr(
    "Images, raw data and arrays (*.tif *.tiff *.raw *.bin *.dat *.img *.vol *.npy *.npz "
    "*.mat *.mrc *.h5 *.hdf5 *.nxs);;All files (*)"
)
SCANNER_SUFFIXES = (".toml", ".txt", ".csv", ".tsv")


class FileChoice:
    """Asks for files to open. Nothing is called if the user cancels.

    Parameters
    ----------
    parent : parent of the dialogs
    preferences : stores the folder that was used last
    """

    def __init__(self, parent: QWidget, preferences: Preferences) -> None:
        self._parent, self._preferences = parent, preferences

    def for_role(self, role: str, chosen: Callable[[Path], object]) -> None:
        """Ask for the file of an input role.

        Parameters
        ----------
        role
            key of the role
        chosen
            called with the path
        """
        title, kinds = choice_of(role)
        self._ask_one(title, kinds, chosen)

    def scans(self, chosen: Callable[[tuple[Path, ...]], object]) -> None:
        """Ask for one or more scans or studies.

        Parameters
        ----------
        chosen
            called with the paths
        """
        title, kinds = choice_of(DATA)
        paths = ask_open_all(self._parent, title, self._preferences.folder_last_used, kinds)
        if paths:
            self._preferences.folder_last_used = str(paths[0].parent)
            chosen(paths)

    def folder(self, chosen: Callable[[Path], object]) -> None:
        """Ask for a folder to open.

        Parameters
        ----------
        chosen
            called with the path
        """
        path = ask_folder(self._parent, tr("Open folder"), self._preferences.folder_last_used)
        if path is not None:
            self._preferences.folder_last_used = str(path)
            chosen(path)

    def to_import(self, chosen: Callable[[Path], object]) -> None:
        """Ask for raw data to import; one image of a stack stands for all of them.

        Parameters
        ----------
        chosen
            called with the path
        """
        self._ask_one(tr("Import"), IMPORT_KINDS, chosen)

    def _ask_one(self, title: str, kinds: str, chosen: Callable[[Path], object]) -> None:
        path = ask_open(self._parent, title, self._preferences.folder_last_used, kinds)
        if path is not None:
            self._preferences.folder_last_used = str(path.parent)
            chosen(path)


def choice_of(role: str) -> tuple[str, str]:
    """Return the title of the file dialog for an input, and its file filter.

    Parameters
    ----------
    role
        key of an input role
    """
    from engine.io import SCAN_READERS, suffixes_of

    if role == DATA:
        suffixes = (*suffixes_of(SCAN_READERS), *MODALITIES.suffixes)
        return tr("Open"), _file_filter(tr("Scans and studies"), suffixes)
    if role == SCANNER:
        return tr("Choose a scanner"), _file_filter(tr("Scanners"), SCANNER_SUFFIXES)
    found = next(each for each in all_roles() if each.key == role)
    return tr("Choose a file: {title}", title=found.title), _file_filter(found.text, found.suffixes)


def _file_filter(name: str, suffixes: tuple[str, ...]) -> str:
    patterns = " ".join(f"*{suffix}" for suffix in suffixes)
    return tr("{name} ({patterns});;All files (*)", name=name, patterns=patterns)
