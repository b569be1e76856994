"""Model of a scan in memory, for algorithms in Python; a run builds it from the same parts."""

from __future__ import annotations

from engine.core.backend import Backend
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities.listmode_pet import model as listmode_pet
from engine.modalities.listmode_pet.protocol import SensitivitySettings
from engine.modalities.listmode_pet.sensitivity import Sensitivity, compute_sensitivity
from engine.recon.model import SystemModel


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
    prompts = listmode_pet.prepare(scan, on=on).data
    if sensitivity is None:
        found = compute_sensitivity(prompts, grid, SensitivitySettings(), on=on)
    else:
        found = Sensitivity(sensitivity.values, scan.scanner.n_lors, 0, 0.0)
    return listmode_pet.build(prompts, grid, found, on=on)
