"""The sample scans, end to end: positions in the image, and detection of mirrored geometry."""

from dataclasses import replace

import nibabel
import numpy as np
import pytest
from scipy import ndimage

from engine.core.backend import cpu
from engine.data.runs.events import Finished, Preview
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.io import read_listmode
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet import model as listmode_pet
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.sensitivity import compute_sensitivity
from engine.modalities.studies import Study
from engine.protocols.study.assignments import with_settings
from engine.recon.algorithms import solve

ON = cpu(2)


def reconstruct(path, *settings):
    study = Study(data=path, protocol=with_settings(ListModeProtocol(), settings))
    events = list(run(study, on=ON))
    assert isinstance(events[-1], Finished)
    return events[-1].volume, [e for e in events if isinstance(e, Preview)]


def smooth(values, voxel_mm, fwhm_mm=10.0):
    return ndimage.gaussian_filter(values, [fwhm_mm / FWHM_PER_SIGMA / v for v in voxel_mm])


def peak_mm(volume):
    z, y, x = np.unravel_index(volume.values.argmax(), volume.grid.shape)
    return np.array([volume.grid.centres_mm(a)[i] for a, i in enumerate((x, y, z))])


@pytest.fixture(scope="module")
def mmr(request):
    from tests.conftest import SHARED_DATA

    folder = SHARED_DATA / "pet-listmode-mmr-brain"
    if not folder.is_dir():
        pytest.skip("the mMR sample scan is not installed")
    return folder


@pytest.fixture(scope="module")
def brain(mmr):
    return reconstruct(mmr / "PET_ACQ_small.l.hdr.STIR", "algorithm.iterations=2")[0]


def reference_on_our_grid(mmr, volume):
    """Return the image of the sample [z, y, x], which is in scanner millimetres like our grid."""
    image = nibabel.load(mmr / "our_quick_mlem_4mm.nii.gz")
    values = np.asarray(image.dataobj, float).transpose(2, 1, 0)
    first = np.array([volume.grid.centres_mm(a)[0] for a in range(3)])
    assert values.shape == volume.grid.shape
    np.testing.assert_allclose(image.affine[:3, 3], first, atol=0.1)
    return values


def test_brain_correlates_with_the_reference(mmr, brain):
    ours = smooth(brain.values.astype(float), brain.grid.voxel_mm[::-1])
    reference = reference_on_our_grid(mmr, brain)
    reference = smooth(reference, brain.grid.voxel_mm[::-1])
    right = np.corrcoef(ours.ravel(), reference.ravel())[0, 1]
    assert right >= 0.95
    for axis in range(3):  # a mirrored brain must correlate less
        mirrored = np.flip(ours, axis)
        assert np.corrcoef(mirrored.ravel(), reference.ravel())[0, 1] < right - 0.01
    assert np.corrcoef(ours.transpose(0, 2, 1).ravel(), reference.ravel())[0, 1] < right - 0.01


def test_brain_is_at_its_position(brain):
    x = smooth(brain.values.astype(float), brain.grid.voxel_mm[::-1])
    x[x < 0.2 * x.max()] = 0
    for axis, expected in ((0, 2.0), (1, -18.0)):
        others = tuple(a for a in range(3) if a != 2 - axis)
        profile = x.sum(axis=others)
        centroid = np.sum(profile * brain.grid.centres_mm(axis)) / profile.sum()
        assert centroid == pytest.approx(expected, abs=3.0)


def test_dome_of_the_brain_points_to_the_head(brain):
    """The scanner's z points to the feet of this patient, so the vertex is towards −z."""
    x = smooth(brain.values.astype(float), brain.grid.voxel_mm[::-1])
    per_slice = (x > 0.2 * x.max()).sum(axis=(1, 2))
    z = brain.grid.centres_mm(2)
    assert per_slice[np.searchsorted(z, -40.0)] < per_slice[np.searchsorted(z, 40.0)]
    assert brain.axes == "LPI"


def test_brain_has_the_right_size(brain):
    z = np.abs(brain.grid.centres_mm(2)) <= 30
    x = smooth(brain.values.astype(float), brain.grid.voxel_mm[::-1])[z].mean(axis=0)
    inside = x > 0.3 * np.percentile(x, 99)
    width, height = (np.ptp(np.flatnonzero(inside.any(axis=a))) * 4.0 for a in (0, 1))
    assert width == pytest.approx(130, abs=15)
    assert height == pytest.approx(180, abs=15)


def test_gaps_leave_no_grid_in_the_brain(mmr, brain):
    """The reference image ignored the gaps between blocks, so it has a regular grid with 8 rows."""

    def lines(values):
        """Return the relative brightness of the brain's columns, then of its rows."""
        brain_mean = values[20:44].mean(axis=0)
        fine = (brain_mean - ndimage.gaussian_filter(brain_mean, 1.5))[30:62, 40:60]
        fine /= brain_mean[30:62, 40:60].mean()
        return fine.mean(axis=0).std(), fine.mean(axis=1).std()

    ours, theirs = lines(brain.values), lines(reference_on_our_grid(mmr, brain))
    assert max(ours) < 0.05 < 0.08 < min(theirs)


def test_mirrored_segments_explain_the_events_less_well(mmr):
    """Swapping the rings of each event mirrors oblique lines and must lower the likelihood."""
    data = read_listmode(mmr / "PET_ACQ_small.l.hdr.STIR")
    grid = ListModeProtocol().grid.grid_for(data.scanner)
    n = data.scanner.settings.n_crystals_per_ring
    ring, place = np.divmod(data.crystals, n)
    mirrored = replace(data, crystals=(ring[:, ::-1] * n + place).astype(np.int32))
    likelihood, s = [], None
    for scan in (data, mirrored):
        prompts = listmode_pet.prepare(scan, on=cpu(2)).data
        if s is None:  # the sensitivity depends on the lines and not on the events
            s = compute_sensitivity(prompts, grid, ListModeProtocol().sensitivity, on=ON)
        model = listmode_pet.build(prompts, grid, s, on=ON)
        osem = ListModeProtocol().algorithm.model_copy(update={"iterations": 1})
        steps = list(solve(osem, model, listmode_pet.uniform_start(model)))
        likelihood.append(steps[-1].log_likelihood)
    assert likelihood[0] > likelihood[1] + 500


@pytest.mark.slow
def test_safir_point_is_at_5_mm(shared_data):
    folder = shared_data / "pet-listmode-safir-point"
    volume, previews = reconstruct(
        folder / "point_5.clm.safir", "algorithm.iterations=2", "grid.diameter_mm=24"
    )
    assert np.linalg.norm(peak_mm(volume) - (5, 0, 0)) <= 1.0
    last = previews[-1].volume
    z, y, _ = np.unravel_index(last.values.argmax(), last.grid.shape)
    profile = last.values[z, y]
    assert np.count_nonzero(profile > profile.max() / 2) * last.grid.voxel_mm[0] < 2.5
