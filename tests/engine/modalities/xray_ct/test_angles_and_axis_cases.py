"""Scans with angles or axes that were once guessed wrongly, from files to values.

The projections and the expected values are analytic (`tests/analytic_balls.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.io
import tifffile

from engine.core.backend import cpu
from engine.core.errors import DataError
from engine.io import read_projections
from engine.jobs.reconstruction import reconstruct
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.assignments import with_settings
from engine.raw_import import Answers, draft_of, write_draft
from tests.analytic_balls import CASE_BALLS, Array, ball_projections, mean_in_ball

ROWS, COLUMNS = 20, 100
OPEN_BEAM = 20_000.0
PARALLEL = Answers(beam="parallel", pixel="1", first_row="bottom")
UNEVEN = np.r_[np.arange(30) * 2.0, 60 + np.arange(30) * 4.0]
INSIDE = {CASE_BALLS[1]: 0.04, CASE_BALLS[2]: 0.01, CASE_BALLS[3]: 0.05}
"""Attenuation in the small balls [1/mm]: that of the large ball plus their own."""


def assert_right(path: Path, within: float) -> None:
    """Reconstruct a scan with the default protocol, and compare the means in three balls."""
    volume = reconstruct(Study(data=path, protocol=CtProtocol()), on=cpu(2))
    grid = volume.grid
    for ball, mu in INSIDE.items():
        mean = mean_in_ball(volume.values, grid.lower_mm, grid.voxel_mm, ball)
        assert mean == pytest.approx(mu, rel=within), ball


def stack(folder: Path, name: Callable[[int], str] = "p_{:04d}.tif".format) -> Path:
    """Write a folder of counts at uneven angles, with a flat and a dark image."""
    folder.mkdir()
    scan = ball_projections(UNEVEN, (ROWS, COLUMNS))
    for k, image in enumerate(np.rint(OPEN_BEAM * np.exp(-scan)).astype(np.uint16)):
        tifffile.imwrite(folder / name(k), image)
    tifffile.imwrite(folder / "flat_0.tif", np.full((ROWS, COLUMNS), OPEN_BEAM, np.uint16))
    tifffile.imwrite(folder / "dark_0.tif", np.zeros((ROWS, COLUMNS), np.uint16))
    return folder


def sidecar(folder: Path, values: Array, angles: str) -> Path:
    """Write line integrals in a raw file with its sidecar."""
    values.astype("<f4").tofile(folder / "p.raw")
    path = folder / "p.toml"
    path.write_text(
        'format = "isocenter-projections"\nversion = 2\nfile = "p.raw"\ndtype = "float32"\n'
        f'shape = {list(values.shape)}\nkind = "integrals"\n[geometry]\nkind = "parallel"\n'
        f'pixel_mm = [1.0, 1.0]\nrows = "up"\nangles = {angles}\n'
    )
    return path


LISTS = {
    "title": "angle (deg)\n" + "\n".join(map(str, UNEVEN)),
    "comma": "\n".join(str(a).replace(".", ",") for a in UNEVEN),
    "two columns": "\n".join(f"{k}\t{a}" for k, a in enumerate(UNEVEN)),
    "one line": " ".join(map(str, UNEVEN)),
}


@pytest.mark.parametrize("dialect", LISTS)
def test_uneven_angles_in_a_text_are_read(tmp_path: Path, dialect: str) -> None:
    folder = stack(tmp_path / "scan")
    (folder / "angles.txt").write_text(LISTS[dialect])
    path = write_draft(draft_of(folder, PARALLEL))
    turned = np.rad2deg(read_projections(path).geometry.angles_rad)
    np.testing.assert_allclose(turned, UNEVEN, atol=1e-9)
    if dialect == "title":
        assert_right(path, within=0.03)  # the tolerance of this case


def test_uneven_angles_in_file_names_are_read(tmp_path: Path) -> None:
    folder = stack(tmp_path / "scan", lambda k: f"S_{UNEVEN[k]:.2f}_{k:03d}.tif")
    path = write_draft(draft_of(folder, PARALLEL))
    turned = np.rad2deg(read_projections(path).geometry.angles_rad)
    np.testing.assert_allclose(turned, UNEVEN, atol=1e-9)


@pytest.mark.parametrize("shift", [12, 20])
def test_axis_far_from_the_middle_gives_the_right_values(tmp_path: Path, shift: int) -> None:
    turned = np.arange(0, 360, 2.0)
    values = ball_projections(turned, (14, 90), axis_column=44.5 - shift)
    path = sidecar(tmp_path, values, "{ first = 0, step = 2 }")
    assert_right(path, within=0.01)  # the tolerance of this case


ORDERS: dict[str, Sequence[float]] = {
    "interlaced": np.concatenate([np.arange(k, 180, 12.0) for k in (0, 3, 6, 9)]).tolist(),
    "each twice": np.repeat(np.arange(0, 180, 3.0), 2).tolist(),
}


@pytest.mark.parametrize("order", ORDERS)
def test_unordered_angles_give_the_right_values(tmp_path: Path, order: str) -> None:
    angles = ORDERS[order]
    values = ball_projections(np.array(angles), (ROWS, COLUMNS))
    path = sidecar(tmp_path, values, f"{{ values = {angles} }}")
    assert_right(path, within=0.02)  # the tolerance of this case


EVEN = np.arange(60) * 3.0
INTEGRALS = PARALLEL.model_copy(update={"kind": "integrals"})


@pytest.mark.parametrize("statement", [None, "anglesRad"])
@pytest.mark.parametrize("views_last", [True, False])
def test_column_of_angles_identifies_the_axis_of_the_views(
    tmp_path: Path, statement: str | None, views_last: bool
) -> None:
    sinogram = ball_projections(EVEN, (ROWS, COLUMNS))[:, 10]
    path = tmp_path / "columns.mat"
    stored = sinogram.T if views_last else sinogram
    scipy.io.savemat(path, {"sino": stored, "anglesRad": np.radians(EVEN)[:, None]})
    draft = draft_of(path, INTEGRALS.model_copy(update={"angles": statement}))
    assert draft.shape == (60, 1, COLUMNS)
    assert draft.questions == ()
    data = read_projections(write_draft(draft))
    np.testing.assert_allclose(data.values[:, 0], sinogram, rtol=1e-6)
    np.testing.assert_allclose(np.rad2deg(data.geometry.angles_rad), EVEN, atol=1e-9)


@pytest.mark.parametrize("ending", ["mat", "npz"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_length_of_an_angle_list_identifies_the_axis_of_the_views(
    tmp_path: Path, ending: str, axis: int
) -> None:
    volume = ball_projections(UNEVEN, (ROWS, COLUMNS)).astype(np.float32)
    content = {"proj": np.moveaxis(volume, 0, axis), "theta": UNEVEN[None, :]}
    path = tmp_path / f"scan.{ending}"
    if ending == "mat":
        scipy.io.savemat(path, content)
    else:
        np.savez(path, **content)
    draft = draft_of(path, INTEGRALS)
    assert draft.shape[0] == len(UNEVEN)
    assert draft.questions == ()
    turned = np.rad2deg(read_projections(write_draft(draft)).geometry.angles_rad)
    np.testing.assert_allclose(turned, UNEVEN, atol=1e-9)


def test_assumed_even_steps_are_reported(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    folder.mkdir()
    turned = np.arange(0, 180, 3.0)
    for k, image in enumerate(ball_projections(turned, (4, COLUMNS)).astype(np.float32)):
        tifffile.imwrite(folder / f"p_{k:04d}.tif", image)
    data = read_projections(write_draft(draft_of(folder, INTEGRALS)))
    assert any("even steps of 3° are assumed" in note for note in data.notes)
    (messages,) = [note for note in data.notes if "assumed" in note]
    assert "--angles FILE" in messages
    again = tmp_path / "again"
    folder.rename(again)
    (again / "scan.toml").unlink()
    stated = INTEGRALS.model_copy(update={"angles": "0:3"})
    data = read_projections(write_draft(draft_of(again, stated)))
    assert not any("assumed" in note for note in data.notes)


@pytest.fixture
def without_flats(tmp_path: Path) -> Path:
    """Return counts in a Data Exchange file without flats and darks; both sides show air."""
    scan = ball_projections(EVEN + 90, (ROWS, COLUMNS))[:, ::-1]
    path = tmp_path / "scan.h5"
    with h5py.File(path, "w") as file:
        file["exchange/data"] = np.rint(OPEN_BEAM * np.exp(-scan)).astype(np.uint16)
        file["exchange/theta"] = EVEN
        file["exchange/theta"].attrs["units"] = "deg"
    return path


def test_counts_without_flats_follow_each_remedy_of_the_error(without_flats: Path) -> None:
    with pytest.raises(DataError) as refusal:
        reconstruct(Study(data=without_flats, protocol=CtProtocol()), on=cpu(2))
    options = re.findall(r"--set (\S+?)[),]", str(refusal.value))
    assert options == ["steps.flat_field.open_counts=N", "steps.flat_field.air=both"]
    for option in options:
        statement = option.replace("=N", f"={OPEN_BEAM:g}")
        protocol = with_settings(CtProtocol(), (statement,))
        volume = reconstruct(Study(data=without_flats, protocol=protocol), on=cpu(2))
        centre = mean_in_ball(
            volume.values, volume.grid.lower_mm, volume.grid.voxel_mm, (0, 0, 0, 10, 0)
        )
        # the large ball, to 2 % as in case 6
        assert centre == pytest.approx(0.02, rel=0.02), option


def test_averaged_two_dimensional_flats_are_read(without_flats: Path) -> None:
    with h5py.File(without_flats, "a") as file:
        file["exchange/data_white"] = np.full((ROWS, COLUMNS), OPEN_BEAM, np.uint16)
        file["exchange/data_dark"] = np.zeros((ROWS, COLUMNS), np.uint16)
    data = read_projections(without_flats)
    assert data.flats is not None
    assert data.darks is not None
    assert data.flats.shape == data.darks.shape == (1, ROWS, COLUMNS)
    assert not any("left out" in note for note in data.notes)
