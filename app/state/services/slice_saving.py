"""Slices on show, written as files that say where they lie and what made them."""

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
TITLE, FAILED = tr("Save the slices"), tr("The slices could not be saved.")


@dataclass(frozen=True, eq=False)
class SlicesOnShow:
    """What is to be written.

    Attributes
    ----------
    values : (n_rows, n_columns) of each
    planes : where they lie
    unit : of the values
    provenance : tells what made them; called in a thread
    """

    values: Sequence[NDArray[np.floating]]
    planes: Sequence[Plane]
    unit: str
    provenance: Callable[[], Plain]


def keep_slices(window: QWidget, context: AppContext, shown: SlicesOnShow) -> None:
    """Write slices to files, one each, that the user gives a name."""
    folder = Path(context.preferences.export_folder or Path.home())
    path = ask_save(window, TITLE, folder / FILE_NAME, KINDS)
    if path is None:
        return
    from engine.io import can_save, refuse_unplaced, slice_files, slice_names

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

    info = {"axes": "xyz", **shown.provenance()}
    for values, plane, file in zip(shown.values, shown.planes, files, strict=True):
        save(thin_volume(np.asarray(values, np.float32), plane, shown.unit, info), file)
