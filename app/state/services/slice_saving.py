"""Write the displayed slices to files, with their positions and provenance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.state.models.messages import Problem
from app.state.services.context import AppContext
from app.state.services.saving import may_write_all
from app.ui.theme.file_dialogs import ask_save
from engine.core.errors import EngineError
from engine.data import Plain

if TYPE_CHECKING:
    from engine.geometry import Plane

FILE_NAME, KINDS = "slices.nii.gz", tr("Slices (*.nii.gz *.mha *.tif)")
TITLE, FAILED = tr("Save slices"), tr("The slices could not be saved.")


@dataclass(frozen=True, eq=False)
class SlicesOnShow:
    """Slices to write.

    Attributes
    ----------
    values : array (n_rows, n_columns) of each slice
    planes : position of each slice
    unit : unit of the values
    provenance : returns their provenance; called in a thread
    """

    values: Sequence[NDArray[np.floating]]
    planes: Sequence[Plane]
    unit: str
    provenance: Callable[[], Plain]


def keep_slices(window: QWidget, context: AppContext, shown: SlicesOnShow) -> None:
    """Ask for a file name and write each slice to a file.

    Parameters
    ----------
    window
        parent of the dialogs
    context
        the window's state and actions
    shown
        the slices
    """
    folder = Path(context.preferences.export_folder or Path.home())
    path = ask_save(window, TITLE, folder / FILE_NAME, KINDS)
    if path is None:
        return
    from engine.io import can_save, refuse_unplaced, slice_files, slice_names

    # All names are known before the question, since one name becomes several files.
    files = slice_files(path, slice_names(shown.planes))
    try:
        can_save(path)
        refuse_unplaced(path, shown.planes)
    except EngineError as e:
        context.session.raise_problem(Problem(FAILED, str(e)))
        return
    if not may_write_all(window, files, context.session):
        return

    def written(_: object) -> None:
        context.preferences.export_folder = str(path.parent)
        context.session.add_log(
            "info", tr("Slices saved: {value}", value=", ".join(map(str, files)))
        )

    context.commands.run_task(
        lambda _: _write(shown, files), written, busy=tr("Saving the slices"), failed=FAILED
    )


def _write(shown: SlicesOnShow, files: Sequence[Path]) -> None:
    from engine.io import save, thin_volume

    # Slices with positions are written as volumes that are one voxel thick.
    info = {"axes": "xyz", **shown.provenance()}
    for values, plane, file in zip(shown.values, shown.planes, files, strict=True):
        save(thin_volume(np.asarray(values, np.float32), plane, shown.unit, info), file)
