"""Views without light or with NaN are left out and listed, or the scan is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import DataError
from engine.geometry.orbits import parallel
from engine.io import read_projections
from engine.io.xray.frames import assemble
from tests.engine.io.xray.xray_files import N, counts, dxchange


@pytest.mark.parametrize(
    ("lost", "reason"),
    [(0, "only zeros: 2, no numbers: 0"), (np.nan, "only zeros: 0, no numbers: 2")],
)
def test_lost_views_are_named_and_left_out(tmp_path: Path, lost: float, reason: str) -> None:
    values = counts().astype(np.float32)
    values[[3, 7]] = lost
    data = read_projections(dxchange(tmp_path, data=values))
    assert f"scan.h5: views 3 and 7 are not used ({reason})." in data.notes
    assert not any("values are not numbers" in note for note in data.notes)
    retained = np.delete(np.arange(N), [3, 7])
    whole = read_projections(dxchange(tmp_path))
    assert np.array_equal(data.values, whole.values[retained])
    assert np.array_equal(data.geometry.angles_rad, whole.geometry.angles_rad[retained])


def test_lost_views_are_removed_without_a_copy_of_the_scan() -> None:
    values, message = np.arange(60, dtype=np.float32).reshape(10, 2, 3), {"flat_views": [0, 6, 10]}
    values[[3, 7]] = np.nan
    whole, retained = values.copy(), np.delete(np.arange(10), [3, 7])
    geometry = parallel(np.linspace(0, 3, 10), shape=(2, 3), pixel_mm=1.0)
    data = assemble(Path("scan.h5"), values, geometry, "counts", info=message)
    assert np.shares_memory(data.values, values)
    assert np.array_equal(data.values, whole[retained])
    assert data.info["flat_views"] == [0, 5, 8]
    assert message == {"flat_views": [0, 6, 10]}


def test_views_of_air_are_used(tmp_path: Path) -> None:
    """Line integrals of air are 0 as well."""
    values = counts() / 200
    values[[3, 7]] = 0
    changes = {"data": values, "data_white": None, "data_dark": None}
    data = read_projections(dxchange(tmp_path, **changes))
    assert data.kind == "integrals" and data.n_views == N
    assert any(
        "views 3 and 7 contain only zeros (number: 2); if they" in note for note in data.notes
    )


def test_scan_with_half_its_views_lost_is_refused(tmp_path: Path) -> None:
    values = counts().astype(np.float32)
    values[N // 2 :] = np.nan
    with pytest.raises(DataError, match=r"starting with view 6 \(only zeros: 0, no numbers: 6\)"):
        read_projections(dxchange(tmp_path, data=values))
