"""Attenuation along each line of response: a_i = exp(−Σ l_in μ_n), over the whole line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.core.backend import Backend
from engine.core.backend.gpu import Array
from engine.core.errors import DataError
from engine.corrections.base import Multiplicative
from engine.data.cropping import cropped
from engine.data.input_role import InputRole
from engine.data.line_factors import LineFactor
from engine.data.listmode import ListMode
from engine.data.storage.columns import pieces
from engine.data.volume import Volume
from engine.geometry.scanner import Scanner

BATCH = 4_000_000
"""Lines traced at a time."""


def attenuation_factors(
    mu_map: Volume,
    positions_mm: NDArray[np.float64],
    crystals: Array,
    *,
    on: Backend,
    reproducible: bool = True,
) -> Array:
    """Return the attenuation factor of each line, (n,) float32.

    The result is on the device on which `crystals` are.

    Parameters
    ----------
    mu_map
        linear attenuation coefficients [1/mm]
    positions_mm
        (m, 3) ends of the lines
    crystals
        (n, 2) numbers of the two ends of each line, on the host or the device
    on
        device that traces the lines
    reproducible
        True: the CPU computes the exponential, because GPU and CPU round it differently
    """
    from engine.operators.rays import RayProjector, Rays

    xp = module_of(crystals)
    # A body is a small part of its map, and rays through empty voxels take as long as others.
    # a body is a small part of its map, and a ray through the rest costs as much
    mu_map = cropped(mu_map)
    mu = on.to_device(mu_map.values)
    factors = xp.empty(len(crystals), np.float32)
    # Batches limit device memory: each line needs its ray and its integral at once.
    for start in range(0, len(crystals), BATCH):
        rows = slice(start, start + BATCH)
        rays = Rays(positions_mm, on.to_device(crystals[rows]))
        integrals = RayProjector(rays, mu_map.grid, on=on, reproducible=reproducible)(mu)
        if reproducible or xp is np:
            integrals = on.to_host(integrals)
        # exp() of float32 differs in the last bit between CUDA and the host library.
        factors[rows] = xp.asarray(module_of(integrals).exp(-integrals))
    return factors


@dataclass(frozen=True, eq=False)
class AttenuationFactor(LineFactor):
    """Transmission of photon pairs along a line, exp(−Σ l_in μ_n).

    Attributes
    ----------
    mu_map : linear attenuation coefficients [1/mm]
    """

    mu_map: Volume

    def of_lines(
        self, crystals: Array, scanner: Scanner, *, on: Backend, reproducible: bool = True
    ) -> Array:
        return attenuation_factors(
            self.mu_map, scanner.positions_mm, crystals, on=on, reproducible=reproducible
        )

    def fingerprint(self) -> Iterator[bytes]:
        # The key depends on values and grid, not on the file, so a copied map reuses the
        # sensitivity.
        grid = self.mu_map.grid
        yield repr((grid.shape, grid.voxel_mm, grid.centre_mm)).encode()
        yield np.ascontiguousarray(self.mu_map.values).tobytes()

    def on_device(self, on: Backend) -> Self:
        return replace(self, mu_map=replace(self.mu_map, values=on.to_device(self.mu_map.values)))


def _read(path: Path, scanner: Any) -> Volume:
    from engine.io import read_mu_map

    return read_mu_map(path, scanner)


def _describe(mu_map: Volume) -> str:
    n_z, n_y, n_x = mu_map.grid.shape
    peak = float(mu_map.values.max(initial=0.0))
    source = mu_map.info.get("converted_from")
    origin = f", from {source}" if source else ""
    return f"{n_x} × {n_y} × {n_z} voxels, up to {peak:.4f} {mu_map.unit}{origin}"


def _attach(data: ListMode, mu_map: Volume) -> ListMode:
    return replace(data, mu_map=_as_the_scanner_sees(data, mu_map))


def _as_the_scanner_sees(data: ListMode, mu_map: Volume) -> Volume:
    """Return the map along the scanner's z axis; DICOM series are along the patient's."""
    from engine.io.dicom.reader import is_in_patient_axes
    from engine.io.volumes.straight_axes import NO_SIDES, in_scanner_frame

    is_of_patient = is_in_patient_axes(mu_map)
    # HFP, FFS and FFP scans without a stated position have no known rotation to the patient.
    if is_of_patient and data.info.get("axes") == NO_SIDES:
        raise DataError(
            "the μ-map is in patient coordinates, but the scan does not state the patient "
            "position; register the map, or save it in scanner coordinates."
        )
    # "LPI" means that the scanner's z points to the feet, so the map must be flipped.
    sign = -1 if str(data.info.get("axes", "LPS")).endswith("I") else 1
    if not is_of_patient or mu_map.head_sign == sign:
        return mu_map
    turned = in_scanner_frame(mu_map)
    return replace(turned, info={**turned.info, "axes": "LPI" if sign < 0 else "LPS"})


def _is_mu_map(volume: Volume) -> bool:
    """Return True for a μ-map or a CT, by its unit or else by its values."""
    if volume.unit == "HU" or volume.info.get("content") == "mu-map":
        # Without a unit only the values tell: 511 keV in tissue is near 0.0096/mm, bone below
        # 0.02/mm.
        return True
    peak = float(volume.values.max(initial=0.0))
    return volume.unit in ("1/mm", "1/cm") or (not volume.unit and 0.001 < peak < 0.05)


ATTENUATION_MAP = InputRole(
    key="attenuation",
    title="μ-map",
    text="Attenuation map [1/mm]",
    without="Attenuation map (μ-map). Without it, the image is not corrected for attenuation.",
    suffixes=(".nii", ".nii.gz", ".h5", ".hdf5", ".dcm", ".ima"),
    read=_read,
    describe=_describe,
    attach=_attach,
    takes_volume=_is_mu_map,
    is_aligned_with_patient=True,
)


class Attenuation(Multiplicative[ListMode]):
    """Attenuation in the object, from a map of linear attenuation coefficients."""

    title: ClassVar[str] = "Attenuation"
    kind: ClassVar[str] = "attenuation"
    inputs: ClassVar[tuple[InputRole, ...]] = (ATTENUATION_MAP,)
    since: ClassVar[int | None] = 1

    def obstacle(self, data: ListMode) -> str | None:
        return None if data.mu_map is not None else "there is no attenuation map; load a μ-map"

    def factor(self, data: ListMode, *, on: Backend) -> LineFactor:
        """Return the transmission of the μ-map.

        Returns
        -------
        factor
            a factor that is evaluated on lines when it is needed, not a table

        Raises
        ------
        DataError
            if there is no μ-map
        """
        if data.mu_map is None:
            raise DataError("there is no attenuation map; load a μ-map.")
        return AttenuationFactor(data.mu_map)

    def summary(self, before: ListMode, after: ListMode) -> str:
        if after.factors is None or not after.n_events:
            return "no events"
        # Long lists are in files, so the mean is accumulated in pieces.
        total, low = 0.0, np.inf
        for rows in pieces(after.n_events):
            # Dividing the factors after and before gives attenuation alone, without storing it
            # separately. The floor avoids 0 / 0 in dead crystals.
            earlier = 1.0 if before.factors is None else np.maximum(before.factors[rows], 1e-30)
            a = after.factors[rows] / earlier
            total, low = total + float(a.sum(dtype=np.float64)), min(low, float(a.min()))
        mean, least = 100 * total / after.n_events, 100 * low
        return (
            f"mean transmission along the lines of the events {mean:.0f} %, minimum {least:.1f} %"
        )
