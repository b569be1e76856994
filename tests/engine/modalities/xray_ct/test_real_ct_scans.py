"""The sample X-ray scans, end to end: positions in the image, and detection of mirroring."""

import shutil

import nibabel
import numpy as np
import pytest
from scipy import ndimage
from scipy.io import loadmat

from engine.core.backend import cpu
from engine.data.runs.events import Corrected, Finished
from engine.jobs.reconstruction import run
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.assignments import with_settings

CHEST = """
format = "isocenter-projections"
version = 1
file = "chest_cone_200x96x256_float32.raw"
dtype = "float32"
shape = [200, 96, 256]
kind = "integrals"

[geometry]
kind = "cone"
source_axis_mm = 1000
source_detector_mm = 1500
pixel_mm = [2.8, 2.8]
columns = "left"

[geometry.angles]
first = 90
step = 1.8
"""
"""As in its README: source at 1000 (-sin b, cos b), columns along (cos b, sin b)."""


def messages_of(path, *settings):
    study = Study(data=path, protocol=with_settings(CtProtocol(), settings))
    return list(run(study, on=cpu(2)))


def volume(path, *settings):
    last = messages_of(path, *settings)[-1]
    assert isinstance(last, Finished)
    return last.volume


def correlation(a, b):
    return np.corrcoef(a.ravel(), b.ravel())[0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ta_full", "01a_full"])
def test_helsinki_discs_equal_the_published_images(shared_data, name):
    folder = shared_data / "ct-fan-htc2022"
    reference = folder / f"htc2022_{name.removesuffix('_full')}_recon_fbp.mat"
    if not reference.is_file():
        reference = folder / f"htc2022_{name}_recon_fbp.mat"
    published = loadmat(reference)
    (key,) = (key for key in published if not key.startswith("_"))
    settings = ("grid.voxel_mm=[0.1483, 0.1483, 0.1483]", "grid.diameter_mm=75.9296")
    found = volume(folder / f"htc2022_{name}.mat", *settings, "steps.rings.use=off")
    assert found.values.shape == (1, 512, 512)
    assert correlation(found.values[0], published[key]) > 0.9995
    assert correlation(found.values[0, ::-1], published[key]) < 0.98
    # The published values are per voxel of 0.1483 mm.
    inside = published[key] > 0.003
    assert found.values[0][inside].mean() == pytest.approx(
        published[key][inside].mean() / 0.1483, rel=0.01
    )


def test_axis_of_the_tooth_is_found(shared_data):
    message = messages_of(shared_data / "ct-parallel-tooth" / "tooth.h5")
    (centre,) = (e.text for e in message if isinstance(e, Corrected) and e.kind == "centre")
    assert 295 <= float(centre.split("column ")[1].split()[0]) <= 296.5
    slice0 = message[-1].volume.values[0]
    dentine = (slice0 > 0.0035) & (slice0 < 0.0058)
    assert 0.0043 < np.median(slice0[ndimage.binary_erosion(dentine, iterations=4)]) < 0.0051
    # A wrong axis doubles every edge, so air next to the tooth would not be empty.
    tooth = ndimage.binary_closing(slice0 > 0.003, iterations=8)
    surroundings = ndimage.binary_dilation(tooth, iterations=30) & ~ndimage.binary_dilation(
        tooth, iterations=6
    )
    assert abs(slice0[surroundings].mean()) < 2e-4


@pytest.mark.slow
def test_chest_is_at_the_position_of_its_readme(shared_data, tmp_path):
    folder = shared_data / "ct-conebeam-xcist-chest"
    shutil.copy(folder / "chest_cone_200x96x256_float32.raw", tmp_path)
    (tmp_path / "chest.toml").write_text(CHEST)
    found = volume(
        tmp_path / "chest.toml", "algorithm.window=hann", "grid.voxel_mm=[2, 2, 4.5]",
        "grid.diameter_mm=512", "grid.length_mm=108", "steps.rings.use=off",
    )  # fmt: skip
    # The affine of the sample's own image is in scanner millimetres, like our grid.
    image = nibabel.load(folder / "our_fdk_2x2x4.5mm.nii.gz")
    reference = np.asarray(image.dataobj, float).transpose(2, 1, 0)
    assert found.values.shape == reference.shape
    x, y, z = (found.grid.centres_mm(axis) for axis in range(3))
    radius = np.hypot(*np.meshgrid(x, y))
    seen = (np.abs(z)[:, None, None] < 89 - 0.1 * radius) & (radius < 200)
    assert correlation(found.values[seen], reference[seen]) > 0.98
    for mirror in (np.s_[::-1], np.s_[:, ::-1], np.s_[:, :, ::-1]):
        assert correlation(found.values[mirror][seen], reference[seen]) < 0.95
    values = np.where(seen, found.values, 0)
    _, i_y, i_x = np.unravel_index(values.argmax(), values.shape)
    assert -30 < x[i_x] < 30
    assert -100 < y[i_y] < -65  # position of the spine
    soft = values[(values > 0.012) & (values < 0.022)]
    assert np.median(soft) == pytest.approx(0.0175, rel=0.1)
