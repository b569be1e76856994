"""Sensitivity and model of a scan in memory, for algorithms of one's own.

A run builds its model from the same parts.
"""

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
    from engine.recon.model import SystemModel


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
        if the scan is not list mode, or a setting is out of range

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


def listmode_model(
    scan: ListMode, grid: ImageGrid, *, on: Backend, sensitivity: Volume | None = None
) -> SystemModel:
    """Return the model of the prompts of a scan, one row for each.

    The rows are sorted along a curve through space, so that every B-th row is a fair subset.
    Prompts on no line of response are left out. A scan with a point spread, as
    `engine.corrections.Resolution` adds it, gives a model with a blur.

    Parameters
    ----------
    scan
        scan with its line factors and background. Rows have time of flight if the scan has TOF
        bins
    grid
        grid of the image
    on
        device
    sensitivity
        sensitivity image on this grid; None: it is computed with the line factors of the scan

    Returns
    -------
    model with the projector `A`, the `background` of each row and the `sensitivity`

    Raises
    ------
    DataError
        if no prompt is on a line of response

    Examples
    --------
    >>> import engine
    >>> ring = engine.read_scanner("demo-ring")
    >>> phantom = engine.phantoms.uniform_cylinder(diameter_mm=100)
    >>> scan = engine.simulate_listmode(phantom, ring, n_prompts=1000, seed=1)
    >>> grid = engine.ImageGrid(shape=(3, 8, 8), voxel_mm=(20.0, 20.0, 20.0))
    >>> model = engine.listmode_model(scan, grid, on=engine.cpu())
    >>> model.A.in_shape == model.sensitivity.shape == grid.shape
    True
    """
    # They load kernels.
    from engine.modalities.listmode_pet import model as listmode_pet
    from engine.modalities.listmode_pet.sensitivity import Sensitivity, compute_sensitivity

    prompts = listmode_pet.prepare(scan, on=on).data
    if sensitivity is None:
        found = compute_sensitivity(prompts, grid, SensitivitySettings(), on=on)
    else:
        found = Sensitivity(sensitivity.values, scan.scanner.n_lors, 0, 0.0)
    return listmode_pet.build(prompts, grid, found, on=on)
