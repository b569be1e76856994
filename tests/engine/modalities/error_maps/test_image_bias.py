"""Tests of the bias lines of a run, with images of known noise and blur."""

from __future__ import annotations

from math import erf, exp, pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.ndimage import gaussian_filter

from engine.data.error_map import ErrorMap
from engine.data.runs.events import Noted, Warned
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.modalities.error_maps.bias import bias_of
from tests.engine.modalities.map_scans import events_of, last, study

VOXEL_MM = (2.0, 3.0, 4.0)
SIGMA_MM = 6.0


def body() -> np.ndarray:
    image = np.zeros((24, 32, 48), np.float32)
    image[4:-4, 5:-5, 6:-6] = 10
    image[12, 16, 24] = 40
    return image


def error_of(image: np.ndarray, rng: np.random.Generator, sigma_mm: float) -> ErrorMap:
    """Return an error map of white noise with a Gaussian blur."""
    sigmas = [sigma_mm / edge for edge in VOXEL_MM[::-1]]
    noise = rng.normal(size=(20, *image.shape))
    smooth = np.stack([gaussian_filter(each, sigmas) for each in noise])
    smooth /= smooth.std()
    return ErrorMap.of(image, [(image + each).astype(np.float32) for each in smooth], seed=1)


def test_filtered_noise_has_its_correlation_length(rng: np.random.Generator) -> None:
    error = error_of(body(), rng, SIGMA_MM)

    found = bias_of(error, VOXEL_MM, lambda added: added)

    # Noise after a Gaussian of σ is correlated like a Gaussian of √2 σ.
    assert found is not None
    assert found.correlation_mm == pytest.approx([sqrt(2) * FWHM_PER_SIGMA * SIGMA_MM] * 3, rel=0.1)
    assert found.near_zero == 0
    assert abs(found.shift) < 0.02
    # Voxels of 2 × 3 × 4 mm already blur a sphere of 10 mm.
    assert 0.6 < found.contrast_recovery < 0.8


def test_white_noise_is_correlated_over_one_voxel(rng: np.random.Generator) -> None:
    found = bias_of(error_of(body(), rng, 0.0), VOXEL_MM, lambda added: added)

    # The correlation is 1 at lag 0 and 0 at lag 1, so it is half at half a voxel.
    assert found is not None
    assert found.correlation_mm == pytest.approx(VOXEL_MM, rel=0.1)


def recovery(radius: float, sigma: float) -> float:
    """Return the mean over a sphere after a Gaussian blur, from the overlap of shifted spheres."""

    def density(s: float) -> float:
        overlap = 1 - 3 * s / (4 * radius) + s**3 / (16 * radius**3)
        return overlap * sqrt(2 / pi) * s**2 / sigma**3 * exp(-(s**2) / (2 * sigma**2))

    return quad(density, 0, 2 * radius)[0]


def test_contrast_of_a_blurred_sphere_follows_the_formula(rng: np.random.Generator) -> None:
    voxel_mm, image = (1.0, 1.0, 1.0), np.zeros((48, 48, 48), np.float32)
    image[4:-4, 4:-4, 4:-4], image[24, 24, 24] = 10, 40
    error = ErrorMap.of(image, [image + 1, image - 1], seed=1)

    found = bias_of(error, voxel_mm, lambda added: gaussian_filter(added, 1.2))

    assert found is not None and found.sphere_mm == 4
    # The voxels of the image and of the mean each add 1/12 to the variance.
    assert found.contrast_recovery == pytest.approx(recovery(2.0, sqrt(1.2**2 + 2 / 12)), abs=0.01)


def test_truncation_of_noise_at_zero_is_reported(rng: np.random.Generator) -> None:
    image = np.full((24, 32, 48), 10, np.float32)
    noisy = [np.maximum(image + rng.normal(0, 20, image.shape), 0) for _ in range(20)]

    found = bias_of(ErrorMap.of(image, noisy, seed=1), VOXEL_MM, lambda added: added)

    assert found is not None
    assert found.near_zero > 0.9
    # For a normal n, the mean of max(0, 10 + 20 n) is 20 φ(1/2) + 10 Φ(1/2).
    expected = 20 * exp(-1 / 8) / sqrt(2 * pi) + 10 * (1 + erf(0.5 / sqrt(2))) / 2
    assert found.shift == pytest.approx(expected / 10 - 1, abs=0.05)


def test_voxels_without_an_error_count_as_near_zero(rng: np.random.Generator) -> None:
    image = np.full((24, 32, 48), 10, np.float32)
    noise = rng.normal(size=(8, *image.shape)).astype(np.float32)
    noise[:, :6] = 0  # the Hessian method omits voxels near 0

    found = bias_of(ErrorMap.of(image, [image + each for each in noise], seed=1), VOXEL_MM)

    assert found is not None
    assert found.unknown == pytest.approx(0.25)
    assert found.near_zero == pytest.approx(0.25, abs=0.001)
    assert "25.0 % have no known error" in str(found)


@pytest.mark.parametrize(("noise", "is_warned"), [(0.1, False), (0.4, True)])
def test_high_noise_of_a_typical_voxel_is_reported(
    rng: np.random.Generator, noise: float, is_warned: bool
) -> None:
    image = np.full((24, 32, 48), 10, np.float32)
    image[:, :10] = 40  # a hot part has the same relative noise
    replicates = [(image * rng.normal(1, noise, image.shape)).astype(np.float32) for _ in range(20)]

    found = bias_of(ErrorMap.of(image, replicates, seed=1), VOXEL_MM)

    assert found is not None
    # The median standard deviation of 20 numbers is 2 % below the true value.
    assert found.noise == pytest.approx(noise, rel=0.04)
    assert bool(found.doubt) is is_warned
    if is_warned:
        assert "errors of voxels can be too small" in found.doubt


def test_correlation_length_beyond_the_image_is_unknown(rng: np.random.Generator) -> None:
    image = np.full((1, 32, 48), 10, np.float32)
    noise = rng.normal(size=(8, *image.shape)).astype(np.float32)

    found = bias_of(ErrorMap.of(image, [image + each for each in noise], seed=1), VOXEL_MM)

    assert found is not None
    assert "× unknown mm" in str(found)


def test_empty_image_has_no_bias_line() -> None:
    image = np.zeros((3, 4, 5), np.float32)

    assert bias_of(ErrorMap.of(image, [image, image], 1), VOXEL_MM, lambda added: added) is None


@pytest.mark.parametrize("settings", [("algorithm.kind=osem", "algorithm.iterations=2"), ()])
def test_run_with_an_error_map_states_its_bias(tmp_path: Path, settings: tuple[str, ...]) -> None:
    events = events_of(study(tmp_path, "events", *settings, "error_replicates=8"))

    (text,) = (each.text for each in events if isinstance(each, Noted))
    assert text.startswith("Bias: ")
    assert text in last(events).volume.info["notes"]
    assert "of the object's voxels are within two standard deviations of 0" in text
    assert "keeps at most" in text


@pytest.mark.parametrize(("voxel_mm", "is_warned"), [(3, True), (10, False)])
def test_run_warns_of_too_high_noise(tmp_path: Path, voxel_mm: int, is_warned: bool) -> None:
    grid = f"grid.voxel_mm=[{voxel_mm}, {voxel_mm}, 5]"
    settings = ("algorithm.kind=osem", "algorithm.iterations=4", "error_replicates=8", grid)
    events = events_of(study(tmp_path, "events", *settings))

    warned = [each.text for each in events if isinstance(each, Warned)]
    found = [text for text in warned if "A typical voxel varies by" in text]
    assert len(found) == is_warned
    if is_warned:
        assert found[0] in last(events).volume.info["warnings"]
