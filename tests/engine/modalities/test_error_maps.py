"""Error maps do not change the image, have reproducible bits, and are stored with the image."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import save
from engine.core.backend import cuda
from engine.core.errors import FileFormatError, GeometryError, SettingsError
from engine.data import are_paired
from engine.data.error_map import ErrorMap
from engine.data.runs.events import Noted, Preview
from engine.data.volume import Volume
from engine.io import read_frames, read_volume, save_frames
from engine.protocols.run_context.context import Resume
from tests.emulator import EmulatedGpu
from tests.engine.modalities.map_scans import KINDS, ON, events_of, last, rows, study
from tests.engine.modalities.ring_sinogram_pet.timed_decays import timed_events

OSEM = ("algorithm.kind=osem", "algorithm.iterations=2")
REPLICATES = "error_replicates=8"
QUICK = [pytest.param(kind, marks=[pytest.mark.slow] if "time" in kind else []) for kind in KINDS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scans")


def volume_of(folder: Path, kind: str, *settings: str) -> Volume:
    return last(events_of(study(folder, kind, *settings))).volume


def error_of(volume: Volume) -> ErrorMap:
    assert volume.error is not None
    return volume.error


@pytest.mark.parametrize("kind", QUICK)
def test_error_map_does_not_change_the_image_and_repeats_its_bits(folder: Path, kind: str) -> None:
    without_map = volume_of(folder, kind, *OSEM)
    events = events_of(study(folder, kind, *OSEM, REPLICATES))
    found, again = last(events).volume, volume_of(folder, kind, *OSEM, REPLICATES)

    assert without_map.error is None
    np.testing.assert_array_equal(found.values, without_map.values)
    assert rows(events)["errors"] == "from 8 bootstrap replicates (seed 1)"
    np.testing.assert_array_equal(error_of(found).deviations, error_of(again).deviations)
    inside = without_map.values > 0.5 * without_map.values.max()
    relative = error_of(found).standard_deviation[inside] / without_map.values[inside]
    assert 0.01 < np.median(relative) < 1


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "panels"])
def test_gpu_gives_the_errors_of_the_cpu(folder: Path, kind: str) -> None:
    of = study(folder, kind, *OSEM, REPLICATES)
    on_host, on_device = (
        error_of(last(events_of(of, on=on)).volume).standard_deviation
        for on in (ON, cuda(EmulatedGpu()))
    )

    # Deviations are stored in steps of 1/127 of the largest one.
    np.testing.assert_allclose(on_device, on_host, rtol=0, atol=0.02 * on_host.max())
    assert np.corrcoef(on_device.ravel(), on_host.ravel())[0, 1] > 0.9999


def test_other_seed_gives_other_replicates(folder: Path) -> None:
    one, other = (
        error_of(volume_of(folder, "events", *OSEM, REPLICATES, f"error_seed={seed}"))
        for seed in (0, 5)
    )

    assert (one.seed, other.seed) == (0, 5)
    assert (one.deviations != other.deviations).any()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_map_has_errors_too(folder: Path, kind: str) -> None:
    found = volume_of(folder, kind, REPLICATES)

    np.testing.assert_array_equal(found.values, volume_of(folder, kind).values)
    assert error_of(found).standard_deviation.max() > 0


@pytest.mark.parametrize("kind", QUICK)
def test_hessian_agrees_with_the_bootstrap(folder: Path, tmp_path: Path, kind: str) -> None:
    quick = ("algorithm.strength=0.3", "finishing=[]" if kind != "panels" else "between=[]")
    events = events_of(study(folder, kind, *quick, REPLICATES, "error_method=hessian"))
    found = last(events).volume

    assert rows(events)["errors"] == "from 8 replicates from the Hessian (seed 1)"
    np.testing.assert_array_equal(found.values, volume_of(folder, kind, *quick).values)
    other = error_of(volume_of(folder, kind, *quick, REPLICATES))
    inside = found.values > 0.5 * found.values.max()
    ratio = error_of(found).standard_deviation[inside] / other.standard_deviation[inside]
    # Both use the same counts. With few events the changes are large.
    assert 0.7 < np.median(ratio) < 1.2
    save(found, tmp_path / "image.h5")
    assert error_of(read_volume(tmp_path / "image.h5")).method == "hessian"


def test_hessian_needs_map(folder: Path) -> None:
    with pytest.raises(SettingsError, match="set error_method to 'bootstrap', or choose MAP"):
        study(folder, "events", *OSEM, REPLICATES, "error_method=hessian")


def test_unknown_method_in_a_file_is_refused(folder: Path, tmp_path: Path) -> None:
    path, found = tmp_path / "image.h5", volume_of(folder, "events", *OSEM, REPLICATES)
    other = replace(error_of(found), method="jackknife")
    save(replace(found, error=other), path)

    with pytest.raises(FileFormatError, match="'jackknife', expected one of bootstrap, hessian"):
        read_volume(path)


def test_resumed_run_has_the_same_errors(folder: Path) -> None:
    of = study(folder, "events", *OSEM, REPLICATES)
    events = events_of(of)
    preview = next(each for each in events if isinstance(each, Preview))

    resumed = events_of(of, resume=Resume(preview.volume.values, preview.update, preview.history))

    one, other = (error_of(last(each).volume) for each in (events, resumed))
    np.testing.assert_array_equal(one.deviations, other.deviations)


def test_errors_have_the_units_of_the_image(folder: Path) -> None:
    """Filters and calibration are linear, and are applied to the replicates."""
    found = volume_of(folder, "events", *OSEM, REPLICATES)
    sharp = volume_of(folder, "events", *OSEM, REPLICATES, "finishing=[]")

    assert error_of(found).standard_deviation.max() < error_of(sharp).standard_deviation.max()


def test_frames_have_separate_errors(folder: Path, tmp_path: Path) -> None:
    scan = timed_events(3_000)
    times = np.linspace(0, 999, scan.n_events).astype(np.uint32)
    save(replace(scan, time_ms=times, duration_s=1.0), tmp_path / "timed.h5")
    of = study(folder, "events", *OSEM, REPLICATES, "frames=n=2")
    of = of.model_copy(update={"data": tmp_path / "timed.h5"})
    end = last(events_of(of))
    images, whole = end.frames, end.volume
    assert images and all(each.volume.error is not None for each in images)

    one, other = (error_of(each.volume).deviations[0] for each in images)
    # Weights of different events are independent, also at the same position in different frames.
    assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 0.2
    parts = [error_of(each.volume).standard_deviation for each in images]
    inside = whole.values > 0.5 * whole.values.max()
    # The variances of independent frames add up. Each is known to 50 %, their mean better.
    ratio = error_of(whole).standard_deviation[inside] / np.hypot(*parts)[inside]
    assert np.median(ratio) == pytest.approx(1, abs=0.15)

    save_frames(whole, images, tmp_path / "frames.h5", {})
    stored = read_frames(tmp_path / "frames.h5")

    for one, other in zip(images, stored, strict=True):
        np.testing.assert_array_equal(
            error_of(one.volume).deviations, error_of(other.volume).deviations
        )


def test_empty_frame_does_not_affect_the_errors_of_others(folder: Path, tmp_path: Path) -> None:
    scan = timed_events(3_000)
    times = np.linspace(0, 499, scan.n_events).astype(np.uint32)
    save(replace(scan, time_ms=times, duration_s=1.0), tmp_path / "timed.h5")
    of = study(folder, "events", *OSEM, REPLICATES, "frames=0-0.5,0.5-1")

    events = events_of(of.model_copy(update={"data": tmp_path / "timed.h5"}))

    end = last(events)
    first, empty = (error_of(each.volume) for each in end.frames)
    assert first.standard_deviation.max() > 0
    assert not empty.standard_deviation.any()
    assert error_of(end.volume).standard_deviation.max() > 0
    (note,) = (each.text for each in events if isinstance(each, Noted))
    assert note.startswith("Bias of frame 1")
    assert note in end.volume.info["notes"]


def test_replicates_are_restored_from_a_file(folder: Path, tmp_path: Path) -> None:
    found = volume_of(folder, "events", *OSEM, REPLICATES)

    save(found, tmp_path / "image.h5")
    stored = read_volume(tmp_path / "image.h5")

    one, other = error_of(found), error_of(stored)
    np.testing.assert_array_equal(one.deviations, other.deviations)
    np.testing.assert_array_equal(one.scale, other.scale)
    assert (one.seed, one.counts) == (other.seed, other.counts)


@pytest.mark.parametrize("kind", QUICK)
def test_images_of_the_same_counts_share_their_replicates(folder: Path, kind: str) -> None:
    one = error_of(volume_of(folder, kind, *OSEM, REPLICATES))
    other = error_of(volume_of(folder, kind, *OSEM, REPLICATES, "finishing=[]"))

    assert one.counts and are_paired(one, other)


def test_images_of_other_events_share_no_replicates(folder: Path, tmp_path: Path) -> None:
    """Without one event, all later events would get other random numbers."""
    scan = timed_events(3_000)
    save(scan, tmp_path / "all.h5")
    later = {"crystals": scan.crystals[1:]}
    if scan.tof_bins is not None:
        later["tof_bins"] = scan.tof_bins[1:]
    save(replace(scan, **later), tmp_path / "later.h5")
    of = study(folder, "events", *OSEM, REPLICATES)

    one, other = (
        error_of(last(events_of(of.model_copy(update={"data": tmp_path / name}))).volume)
        for name in ("all.h5", "later.h5")
    )

    assert (one.n, one.seed) == (other.n, other.seed)
    assert not are_paired(one, other)


def test_changed_replicate_is_refused(folder: Path, tmp_path: Path) -> None:
    import h5py

    path = tmp_path / "image.h5"
    save(volume_of(folder, "events", *OSEM, REPLICATES), path)
    with h5py.File(path, "r+") as tree:
        tree["error/deviations"][0, 0, 0, 0] += 1

    with pytest.raises(FileFormatError, match="has changed since it was written"):
        read_volume(path)


def test_error_map_of_another_image_is_refused(folder: Path) -> None:
    error = error_of(volume_of(folder, "events", *OSEM, REPLICATES))

    with pytest.raises(GeometryError, match="must come from the same image"):
        replace(error, scale=error.scale[1:])


def test_rounding_adds_nothing_to_a_standard_deviation(rng: np.random.Generator) -> None:
    image = rng.random((4, 5, 6)).astype(np.float32)
    replicates = [image + rng.normal(0, 0.1, image.shape).astype(np.float32) for _ in range(20)]

    error = ErrorMap.of(image, replicates, seed=1)

    np.testing.assert_allclose(
        error.standard_deviation, np.std(replicates, axis=0, ddof=1), rtol=0.01
    )
    for one, other in zip(error.replicates(), replicates, strict=True):
        assert abs(one - other).max() <= 0.51 * error.scale.max()
