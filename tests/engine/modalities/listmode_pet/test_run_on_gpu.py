"""Complete reconstruction on a GPU: the bits of the CPU, and failures as device errors."""

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.errors import DeviceError
from engine.data.runs.events import Finished, Preview, Profiled
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from engine.io import read_listmode, save, write_listmode
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.study.assignments import with_settings
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Cylinder
from tests.emulator import EmulatedGpu

RING = RingSettings(
    name="tiny", n_rings=4, n_crystals_per_ring=32, radius_mm=60, ring_pitch_mm=6,
    max_ring_difference=3, n_tangential=20, gap_places=(0, 16), block_rings=2, block_places=4,
    tof=TofSettings(fwhm_ps=300, bin_ps=150, n_bins=5), voxel_mm=(6, 6, 6), fov_mm=(60, 24),
)  # fmt: skip
SETTINGS = ("algorithm.iterations=2", "algorithm.subsets=2", "finishing=[]", "reproducible=true")


@pytest.fixture(scope="module")
def scan(tmp_path_factory):
    """Return a small cylinder with attenuation, randoms and different crystals."""
    folder = tmp_path_factory.mktemp("scan")
    scanner = RingScanner(RING)
    phantom = ShapePhantom(
        "cylinder", (Cylinder((4.0, 0.0, 0.0), (20.0, 20.0, 16.0), activity=1.0, mu_per_mm=0.0096),)
    )
    efficiencies = np.random.default_rng(7).uniform(0.5, 1.0, scanner.n_crystals)
    data = simulate_listmode(
        phantom, scanner, n_prompts=4000, seed=3, randoms_fraction=0.3, efficiencies=efficiencies,
    )  # fmt: skip
    write_listmode(data, folder / "scan.h5")
    save(data.mu_map, folder / "mu.nii.gz", {})
    return folder


def study(folder, *settings):
    protocol = with_settings(ListModeProtocol(), SETTINGS + settings)
    return Study(data=folder / "scan.h5", attenuation=folder / "mu.nii.gz", protocol=protocol)


def events(folder, on, *settings):
    return list(run(study(folder, *settings), on=on))


def volume(message):
    assert isinstance(message[-1], Finished)
    return message[-1].volume


def test_volume_has_the_bits_of_the_cpu(scan, on_gpu, monkeypatch, tmp_path):
    on_host = volume(events(scan, cpu(2)))
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path))  # a new folder, so no cached sensitivity
    on_device = volume(events(scan, on_gpu))
    np.testing.assert_array_equal(on_device.values, on_host.values)
    assert on_host.info["device"] == "CPU, 2 threads"
    assert on_device.info["device"] == on_gpu.label


def test_error_map_has_the_bits_of_the_cpu(scan, on_gpu):
    settings = ("algorithm.kind=osem", "error_replicates=9", 'between=[{kind="median"}]')
    on_host, on_device = (volume(events(scan, on, *settings)).error for on in (cpu(2), on_gpu))
    np.testing.assert_array_equal(on_device.deviations, on_host.deviations)
    np.testing.assert_array_equal(on_device.scale, on_host.scale)
    assert on_device.standard_deviation.max() > 0


def test_float_sums_and_filters_agree_with_the_cpu(scan, on_gpu):
    settings = ("reproducible=false", 'between=[{kind="median"}]', 'finishing=[{kind="gaussian"}]')
    on_host, on_device = (volume(events(scan, on, *settings)).values for on in (cpu(2), on_gpu))
    assert np.abs(on_device - on_host).max() < 5e-5 * on_host.max()


@pytest.mark.parametrize("width", ["", "corrections.resolution.fwhm_mm=7"])
def test_resolution_model_agrees_with_the_cpu(scan, on_gpu, width):
    settings = ("reproducible=false", "corrections.resolution.use=on", *filter(None, [width]))
    on_host, on_device = (volume(events(scan, on, *settings)).values for on in (cpu(2), on_gpu))
    without = volume(events(scan, cpu(2), "reproducible=false")).values
    assert np.abs(on_device - on_host).max() < 5e-5 * on_host.max()
    assert np.abs(without - on_host).max() > 0.05 * on_host.max(), (
        "the resolution model must change the image"
    )


def test_every_iteration_is_shown_and_profiled(scan, on_gpu):
    message = events(scan, on_gpu)
    shown = [(e.iteration, e.subset) for e in message if isinstance(e, Preview)]
    assert {(1, 2), (2, 2)} <= set(shown)
    profile = [e for e in message if isinstance(e, Profiled)][-1].profile.as_dict()
    keys = {stage["key"] for stage in profile["stages"]}
    assert {"upload", "fused", "preview"} <= keys
    assert {kernel["name"] for kernel in profile["kernels"]} >= {"update"}


@pytest.fixture(scope="module")
def n_launches(scan):
    """Return the number of kernel launches of a run with a cached sensitivity."""
    events(scan, cpu(2))
    whole = EmulatedGpu()
    events(scan, cuda(whole))
    return whole.n_launches


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9])
def test_failing_driver_is_reported_as_a_device_error(scan, share, n_launches):
    on = cuda(EmulatedGpu(fail_at_launch=1 + int(share * n_launches)))
    with pytest.raises(DeviceError, match="launch failure"):
        events(scan, on)


def shuffled(scan, folder, seed):
    """Return the same events in another order."""
    data = read_listmode(scan / "scan.h5")
    order = np.random.default_rng(seed).permutation(data.n_events)
    assert data.time_ms is not None and data.tof_bins is not None
    folder.mkdir()
    write_listmode(data.select(order), folder / "scan.h5")
    (folder / "mu.nii.gz").write_bytes((scan / "mu.nii.gz").read_bytes())
    return folder


def test_any_order_of_events_gives_the_same_bits(scan, on_gpu, tmp_path):
    """This also holds with subsets: events at equal positions are sorted by content."""
    settings = ("algorithm.subsets=7",)
    expected = volume(events(scan, cpu(1), *settings)).values
    for seed, on in enumerate((cpu(2), cpu(5), on_gpu)):
        other = shuffled(scan, tmp_path / str(seed), seed)
        found = volume(events(other, on, *settings)).values
        np.testing.assert_array_equal(found, expected)


def test_frames_have_the_same_bits_in_any_order_of_events(scan, tmp_path):
    settings = ("algorithm.subsets=3", "frames='n=3'")
    images = [
        volume(events(folder, cpu(2), *settings)).values
        for folder in (scan, shuffled(scan, tmp_path / "other", 5))
    ]
    np.testing.assert_array_equal(*images)


def test_subsets_follow_the_file_without_reproducible_bits(scan, tmp_path):
    """Without sorting by content, the tests above would fail."""
    settings = ("algorithm.subsets=7", "reproducible=false")
    images = [
        volume(events(folder, cpu(1), *settings)).values
        for folder in (scan, shuffled(scan, tmp_path / "other", 5))
    ]
    assert np.abs(images[0] - images[1]).max() > 0.01 * images[0].max()
