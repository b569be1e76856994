"""Filtered back projection of the Shepp-Logan head, and of real and foreign scans."""

from pathlib import Path

import h5py
import nibabel
import numpy as np
import pytest
import scipy.io

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, fan, parallel
from engine.recon.filtering.fdk import fdk
from engine.recon.filtering.settings import FilterSettings
from tests.engine.recon.filtering.ellipsoids import integrals, shepp_logan, values


def head(n, n_views, n_rows=None):
    """Return mean and rms error in the middle planes: workload W of facts/ct.md with n columns."""
    geometry = circular_cone(
        circle(n_views),
        source_axis_mm=1000.0,
        source_detector_mm=1500.0,
        shape=(n_rows or n, n),
        pixel_mm=384.0 / n,
    )
    voxel = 256.0 / n
    grid = ImageGrid((n if n_rows is None else 2, n, n), (voxel, voxel, voxel))
    middle = slice(grid.shape[0] // 2 - 1, grid.shape[0] // 2 + 1)
    objects = shepp_logan(100.0)
    image = fdk(integrals(geometry, objects), geometry, grid, on=cpu(2))[middle]
    truth = values(ImageGrid((2, n, n), (voxel, voxel, voxel)), objects)
    r = np.hypot(grid.centres_mm(0)[None, :], grid.centres_mm(1)[:, None])
    core, brain = (np.broadcast_to(r < up_to, image.shape) for up_to in (20, 50))
    mean = image[core].mean(dtype="f8") / truth[core].mean() - 1
    return mean, np.sqrt(np.mean((image - truth)[brain] ** 2))


def test_head_is_accurate_in_the_middle_plane():
    mean, rms = head(128, 180, n_rows=8)
    assert abs(mean) < 1e-3
    assert rms < 1.5e-3  # RTK: 1.0e-3 at 128 columns and 360 views


@pytest.mark.slow
def test_whole_head_is_accurate_at_full_size():
    mean, rms = head(256, 360)
    assert abs(mean) < 1e-4  # RTK: 1e-5
    assert rms < 8e-4  # RTK: 8.2e-4


def correlation(a, b):
    return np.corrcoef(np.ravel(a), np.ravel(b))[0, 1]


@pytest.fixture(scope="module")
def disc(shared_data: Path):
    """Return a real fan-beam scan with the published image [1/mm]; its README states the signs."""
    folder = shared_data / "ct-fan-htc2022"
    options = {"squeeze_me": True, "struct_as_record": False}
    scan = scipy.io.loadmat(folder / "htc2022_ta_full.mat", **options)["CtDataFull"]
    published = scipy.io.loadmat(folder / "htc2022_ta_full_recon_fbp.mat", **options)
    geometry = fan(
        np.pi / 2 - np.radians(scan.parameters.angles),
        source_axis_mm=410.66,
        source_detector_mm=553.74,
        n_columns=560,
        pixel_mm=0.2,
    )
    voxel = 0.2 * 410.66 / 553.74
    grid = ImageGrid((1, 512, 512), (voxel, voxel, voxel))
    data = scan.sinogram[:, None].astype("f4")
    return data, geometry.flipped(columns=True), grid, published["reconFullFbp"] / voxel


@pytest.mark.parametrize(
    "lines", [slice(160, 352), pytest.param(slice(0, 512), marks=pytest.mark.slow)]
)
def test_disc_of_the_tomography_challenge_equals_the_published_image(disc, lines):
    data, geometry, grid, published = disc
    image = fdk(data, geometry, grid, region=(slice(0, 1), lines, slice(0, 512)))[0]
    published = published[lines]
    assert correlation(image, published) > 0.9999
    assert np.polyfit(published.ravel(), image.ravel(), 1)[0] == pytest.approx(1, abs=5e-3)


@pytest.mark.parametrize("wrong", ["columns", "rotation"])
def test_disc_with_a_wrong_sign_differs(disc, wrong):
    data, geometry, grid, published = disc
    data, geometry = data[::4], geometry.select(slice(None, None, 4))
    right = correlation(fdk(data, geometry, grid)[0], published)
    data = data[::-1] if wrong == "rotation" else data
    geometry = geometry.flipped(columns=True) if wrong == "columns" else geometry
    assert correlation(fdk(data, geometry, grid)[0], published) < right - 0.01


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [None, "columns", "rows", "rotation"])
def test_chest_of_another_simulator_is_accurate(shared_data, wrong):
    folder = shared_data / "ct-conebeam-xcist-chest"
    shape = (200, 96, 256)
    data = np.fromfile(folder / f"chest_cone_{'x'.join(map(str, shape))}_float32.raw", "<f4")
    ours = nibabel.load(folder / "our_fdk_2x2x4.5mm.nii.gz")
    reference = np.asarray(ours.dataobj, np.float32).T
    grid = ImageGrid(reference.shape, (2.0, 2.0, 4.5))
    geometry = circular_cone(
        np.pi / 2 + circle(200) * (-1 if wrong == "rotation" else 1),
        source_axis_mm=1000.0,
        source_detector_mm=1500.0,
        shape=shape[1:],
        pixel_mm=2.8,
    ).flipped(columns=wrong != "columns", rows=wrong == "rows")
    region = (slice(4, 8), slice(28, 228), slice(28, 228))
    settings = FilterSettings(window="hann")
    image = fdk(data.reshape(shape), geometry, grid, settings=settings, region=region)
    x, y = (grid.centres_mm(axis)[28:228] for axis in (0, 1))
    cone = np.broadcast_to(np.hypot(x[None, :], y[:, None]) < 200, image.shape)
    found = correlation(image[cone], reference[region][cone])
    assert found > 0.999 if wrong is None else found < 0.97


def test_tooth_has_a_single_contour(shared_data):
    with h5py.File(shared_data / "ct-parallel-tooth" / "tooth.h5") as file:
        exchange = file["exchange"]
        data, white, dark = (exchange[name][:, :1] for name in ("data", "data_white", "data_dark"))
        angles = np.radians(exchange["theta"][:])
    dark = dark.mean(axis=0)
    data = -np.log((data - dark) / (white.mean(axis=0) - dark))
    grid = ImageGrid((1, 320, 320), (2.0, 2.0, 2.0))
    settings = FilterSettings(window="hann", cutoff=0.5)

    def below_zero(axis_column: float) -> float:
        geometry = parallel(angles, shape=(1, 640), pixel_mm=1.0, axis_column=axis_column)
        image = fdk(data, geometry, grid, settings=settings)[0]
        return -np.minimum(image, 0).sum()

    columns = [290.0, 295.6, 301.0, 319.5]
    best, *others = (below_zero(c) for c in (columns[1], columns[0], *columns[2:]))
    assert min(others) > 1.2 * best  # if contours do not meet, there are dark shadows next to them
    assert others[-1] > 2 * best
