"""Sensitivity of list mode as a volume, for models of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from engine.core.backend import Backend, cpu
from engine.core.errors import DataError
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities.listmode_pet.protocol import SensitivitySettings

if TYPE_CHECKING:
    from engine.kernels.blocks import OnProgress


def sensitivity(
    scan: ListMode,
    grid: ImageGrid,
    *,
    method: Literal["auto", "exact", "sampled"] = "auto",
    error_percent: float = 2.0,
    seed: int = 1,
    on: Backend | None = None,
    on_progress: OnProgress | None = None,
) -> Volume:
    """Compute the sensitivity of list mode: s_n = Σ over all lines i of n_i a_i A_in.

    The factors n·a are those in `line_factors` of the scan; without them they are 1.

    Parameters
    ----------
    scan
        events, whose number decides how many lines a sample needs, with their scanner
    grid
        grid of the image
    method
        "exact": all lines of response; "sampled": a random sample of them; "auto": a sample for
        scanners with many lines
    error_percent
        standard error of each voxel in a sampled image [%]
    seed
        seed of the random sample
    on
        device; None: the CPU with all cores
    on_progress
        called with the work done and in total; may raise to stop

    Returns
    -------
    volume
        image [mm]; `info["sensitivity"]` states the method and the error

    Raises
    ------
    EngineError
        if the scan is no list mode, or a setting is out of range

    Examples
    --------
    >>> import numpy as np, engine
    >>> panels = engine.read_scanner("test-panels")
    >>> scan = engine.ListMode(panels, np.array([[0, 30]], np.int32))
    >>> s = engine.sensitivity(scan, panels.grid, method="exact", on=engine.cpu())
    >>> s.unit, bool(s.values.min() >= 0)
    ('mm', True)
    """
    from engine.core.settings import parse
    from engine.modalities.listmode_pet.sensitivity import compute_sensitivity  # loads kernels

    if not isinstance(scan, ListMode):
        raise DataError(
            f"sensitivity: the scan is of the type {type(scan).__name__!r}, expected ListMode; a "
            "binned scan has its sensitivity in the model, as `A.T` of ones."
        )
    values = {"method": method, "error_percent": error_percent, "seed": seed}
    settings = parse(SensitivitySettings, values, where="sensitivity")
    found = compute_sensitivity(scan, grid, settings, on=on or cpu(), on_progress=on_progress)
    return Volume(found.image, grid, "mm", {"sensitivity": found.describe()})
