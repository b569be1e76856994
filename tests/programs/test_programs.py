"""Tests of the programs: short, public names only, correct results."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isocenter as iso
from tests.libraries.environment import NOT_INSTALLED
from tests.programs import bench, programs

MAX_LINES = 8
LIBRARIES = {
    *("isocenter", "numpy", "scipy", "dask", "matplotlib", "cil"),
    *sys.stdlib_module_names,
}
TREE = ast.parse(inspect.getsource(programs))
FUNCTIONS = {each.name: each for each in TREE.body if isinstance(each, ast.FunctionDef)}


def test_every_program_has_a_call(tmp_path: Path) -> None:
    assert list(bench.calls(tmp_path)) == list(FUNCTIONS)
    assert len(FUNCTIONS) >= 12


@pytest.mark.parametrize("name", FUNCTIONS)
def test_program_has_at_most_eight_lines(name: str) -> None:
    lines = inspect.getsource(getattr(programs, name)).splitlines()
    body = FUNCTIONS[name].body[0].lineno - FUNCTIONS[name].lineno
    assert 0 < len([each for each in lines[body:] if each.strip()]) <= MAX_LINES


def test_programs_use_public_names_only() -> None:
    imported = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(TREE)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {each.partition(".")[0] for each in imported} <= LIBRARIES
    names = {
        node.attr
        for node in ast.walk(TREE)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "iso"
    }
    assert names <= set(iso.__all__)


def result_of(name: str, folder: Path = Path()) -> Any:
    if why := bench.missing(name):
        pytest.skip(why)
    return bench.calls(folder)[name]()


def test_mlem_finds_the_source() -> None:
    image = result_of("mlem_of_own_events")
    z, y, x = np.unravel_index(image.argmax(), image.shape)
    grid = bench.GRID
    assert abs(grid.centres_mm(0)[x] - 12) <= 2 + 1e-6
    assert abs(grid.centres_mm(1)[y] + 8) <= 2 + 1e-6
    assert z == 1


def test_tof_bins_share_the_line_integral() -> None:
    expected, image = result_of("tof_projector")
    points, ends, _ = bench.tof_rays()
    whole = iso.RayProjector(iso.Rays(points, ends[:1]), bench.volume().grid, on=iso.cpu(1))
    assert expected.sum() == pytest.approx(float((whole @ bench.image())[0]), rel=2e-3)
    assert expected.argmax() == 4  # the block is near the middle of the line
    assert np.vdot(expected, expected) == pytest.approx(np.vdot(bench.image(), image), rel=1e-5)


def test_fdk_and_sirt_find_the_attenuation_of_water() -> None:
    for name, rel in (("fdk_of_an_array", 0.01), ("sirt_on_own_orbit", 0.03)):
        volume = result_of(name)
        x, y = volume.grid.centres_mm(0), volume.grid.centres_mm(1)
        inside = np.hypot(x, y[:, None]) < 11
        middle = volume.values[volume.grid.shape[0] // 2]
        assert middle[inside].mean() == pytest.approx(bench.MU, rel=rel), name


def test_events_are_arrays(tmp_path: Path) -> None:
    iso.save(bench.events(), tmp_path / "scan.h5")
    crystals, points_mm = result_of("scan_to_numpy", tmp_path)
    np.testing.assert_array_equal(crystals, bench.events().crystals)
    np.testing.assert_array_equal(points_mm, bench.RING.positions_mm)


def test_numpy_arguments_give_numpy_results() -> None:
    y, image = result_of("arrays_of_another_library")
    assert type(y) is type(image) is np.ndarray


@pytest.mark.parametrize("library", ["jax.numpy", "array_api_strict", "torch"])
def test_arrays_of_another_library_give_results_of_that_library(library: str) -> None:
    xp = pytest.importorskip(library, reason=NOT_INSTALLED)
    y, image = programs.arrays_of_another_library(bench.operator(), xp.asarray(bench.image()))
    assert type(y) is type(image) is type(xp.asarray(bench.image()))
    ours, _ = programs.arrays_of_another_library(bench.operator(), bench.image())
    np.testing.assert_array_equal(np.asarray(y), ours)


def test_torch_layer_has_the_gradient_of_least_squares() -> None:
    gradient = result_of("layer_of_torch")
    A = bench.operator()
    expected = -2 * (A.T @ (A @ bench.image()))
    np.testing.assert_allclose(gradient.numpy(), expected, rtol=1e-5, atol=1e-3)


def test_scipy_maximises_the_likelihood() -> None:
    found = result_of("poisson_likelihood_by_scipy")
    A = bench.operator()
    counts = A @ bench.image() + 0.5
    fitted = A @ found.x.reshape(A.in_shape).astype(np.float32) + 0.5
    assert found.fun == pytest.approx(float((counts - counts * np.log(counts)).sum()), rel=1e-4)
    assert np.linalg.norm(fitted - counts) < 0.02 * np.linalg.norm(counts)


@pytest.mark.parametrize(
    "name",
    [
        "batch_in_threads",
        pytest.param("batch_in_processes", marks=pytest.mark.slow),
        pytest.param("batch_by_dask", marks=pytest.mark.slow),
    ],
)
def test_batch_gives_the_images_of_single_runs(name: str) -> None:
    found = result_of(name)
    volumes, products = (found, ()) if name == "batch_by_dask" else found
    for volume, scan in zip(volumes, bench.scans(), strict=False):
        alone = iso.reconstruct(scan)
        np.testing.assert_allclose(volume.values, alone.values, rtol=1e-5, atol=1e-7)
        assert volume.record is not None
    A = bench.operator()
    for k, product in enumerate(products):
        np.testing.assert_array_equal(product, A @ ((k + 1) * bench.image()))


def test_figure_shows_the_middle_slice_with_its_unit() -> None:
    import matplotlib as mpl

    with mpl.rc_context({"backend": "agg"}):
        figure, html = result_of("figure_of_a_volume")
    (axes,) = figure.axes
    np.testing.assert_array_equal(axes.images[0].get_array(), bench.image()[2])
    assert axes.get_title() == "1/mm"
    assert "<table>" in html
    assert "<img" in html
    from matplotlib import pyplot as plt

    plt.close(figure)


def test_volume_in_xarray_has_coordinates() -> None:
    profile = result_of("volume_in_xarray")
    assert profile.dims == ("z",)
    np.testing.assert_allclose(profile["z"], bench.volume().grid.centres_mm(2))


def test_cil_cgls_reduces_the_residual() -> None:
    found = result_of("cgls_of_cil")
    A = bench.operator()
    measured = A @ bench.image()
    left = np.linalg.norm(A @ np.asarray(found, np.float32).reshape(A.in_shape) - measured)
    assert left < 0.2 * np.linalg.norm(measured)


def test_sirf_model_projects_and_back_projects() -> None:
    found = result_of("model_of_sirf")
    A = bench.operator()
    np.testing.assert_allclose(found.as_array(), A.T @ (A @ bench.image()), rtol=1e-6)
