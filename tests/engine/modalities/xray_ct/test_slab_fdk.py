"""Slabs of a filtered back projection have the bits of the whole volume."""

from pathlib import Path

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.data.storage.columns import Scratch
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, helical, parallel
from engine.modalities.xray_ct.slab_fdk import SlabFdk
from engine.modalities.xray_ct.slab_sizes import SlabSizes
from engine.recon.filtering.fdk import fdk
from engine.recon.filtering.projections import planned
from engine.recon.filtering.settings import FilterSettings

GRID = ImageGrid((23, 18, 21), (2.0, 2.0, 1.5), (1.0, -2.0, 3.0))
TURN = circle(40)
CONE = {"source_axis_mm": 90.0, "source_detector_mm": 140.0, "shape": (24, 33), "pixel_mm": 2.5}
SCANS = {
    "a wide cone": circular_cone(TURN, **CONE),
    "a detector that is rolled": circular_cone(TURN, **CONE).rolled(0.1),
    "half a fan": circular_cone(TURN, **CONE).shifted(columns=9.0),
    "parallel rays": parallel(circle(40, range_rad=np.pi), shape=(24, 33), pixel_mm=1.5),
    "a helix": helical(circle(60, range_rad=3 * 2 * np.pi), pitch_mm=12.0, z_mm=-18.0, **CONE),
}


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("soften_rows", [False, True])
def test_slabs_have_the_bits_of_the_whole(
    rng: np.random.Generator, scan: str, soften_rows: bool
) -> None:
    geometry, settings = SCANS[scan], FilterSettings(soften_rows=soften_rows)
    values = rng.random((geometry.n_views, *geometry.shape), np.float32)
    plan = planned(values, geometry, settings)

    work = SlabFdk(values, plan, GRID, settings, SlabSizes(slices=5, views=7), on=cpu(2))
    parts = [work.slab(slices) for slices in work.slabs()]

    assert max(map(len, parts)) <= 5
    np.testing.assert_array_equal(
        np.concatenate(parts), fdk(values, geometry, GRID, settings=settings, on=cpu(2))
    )


def test_slabs_continue_from_any_slice_and_read_values_from_a_file(
    rng: np.random.Generator, tmp_path: Path
) -> None:
    geometry, settings, storage = SCANS["a wide cone"], FilterSettings(), Scratch(tmp_path)
    values = rng.random((geometry.n_views, *geometry.shape), np.float32)
    plan = planned(values, geometry, settings)
    sizes = SlabSizes(slices=4, views=40)

    work = SlabFdk(
        storage.in_memory(values), plan, GRID, settings, sizes, on=cpu(1), storage=storage
    )
    slabs = work.slabs(10)
    found = np.concatenate([work.slab(slices) for slices in slabs])

    assert (slabs[0].start, slabs[-1].stop) == (10, 23)
    np.testing.assert_array_equal(found, fdk(values, geometry, GRID, on=cpu(2))[10:])
