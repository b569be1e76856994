"""A real disc from 36 of its 720 views, compared with the image published from all views."""

import numpy as np
import pytest
from scipy.io import loadmat

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.io import read_projections
from engine.modalities.xray_ct import model as xray_ct
from engine.recon.algorithms import Cgls, Fdk, FistaTv, Sirt
from engine.recon.algorithms.driver import solve
from tests.engine.recon.algorithms.linear_toys import zeros

VOXEL_MM = 0.1483  # voxel of the published image, which is in 1/voxel


@pytest.fixture(scope="module")
def published(shared_data):
    """Return the published image in 1/mm; 4 × 4 of its voxels are averaged."""
    published = loadmat(shared_data / "ct-fan-htc2022" / "htc2022_ta_full_recon_fbp.mat")
    return published["reconFullFbp"].reshape(128, 4, 128, 4).mean(axis=(1, 3)) / VOXEL_MM


@pytest.fixture(scope="module")
def model(shared_data):
    scan = read_projections(shared_data / "ct-fan-htc2022" / "htc2022_ta_full.mat")
    grid = ImageGrid((1, 128, 128), (4 * VOXEL_MM,) * 3)
    few = scan.select(slice(0, 720, 20))
    return xray_ct.build(few, xray_ct.projector(few, grid, on=cpu(2)))


def correlation(image, published):
    return np.corrcoef(image.ravel(), published.ravel())[0, 1]


def image_of(algorithm, model):
    return list(solve(algorithm, model, zeros(model)))[-1].image[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "least"),
    [(Sirt(), 0.985), (Cgls(iterations=12), 0.97), (FistaTv(iterations=40), 0.99)],
)
def test_iterations_need_fewer_views_than_filtered_back_projection(
    model, published, algorithm, least
):
    found = image_of(algorithm, model)

    assert (
        correlation(found, published)
        > least
        > 0.05 + correlation(image_of(Fdk(), model), published)
    )
    plastic = published > 0.025
    assert found[plastic].mean() == pytest.approx(published[plastic].mean(), rel=0.02)
