"""Complete CT reconstruction from a file of projections to a volume, and refused runs."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.analysis.regions.figures import mean_of
from engine.analysis.regions.solids import CylinderRegion
from engine.core.backend import cpu
from engine.core.errors import DataError, ResourceError, SettingsError
from engine.data.projections import Projections
from engine.data.runs.events import Corrected, EarlyPreview, Finished, Preview
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, helical, parallel
from engine.io import is_projections, read_projections, write_projections
from engine.jobs.reconstruction import run
from engine.modalities.studies import Study, read_protocol, read_study, write_study
from engine.modalities.xray_ct.flow import facts_of
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.operators.xray.transform import XrayTransform
from engine.protocols.run_context.context import Resume
from engine.protocols.run_context.provenance import hash_array
from engine.protocols.study.assignments import with_settings
from engine.tools.tuning.comparing import Comparison
from engine.tools.tuning.host_cone import HostBack, TunedScan
from engine.tools.tuning.session import Outcome
from engine.tools.tuning.storing import keep

ON = cpu(2)
upright = CylinderRegion.upright
MU = 0.02
N_VIEWS = 72
GRID = ImageGrid((16, 64, 64), (1.0, 1.0, 1.0))
CENTRE = (6.0, -4.0, 0.0)
"""Position of the disc: off the axis, so that a wrong rotation or side is visible."""


def mean(volume, shape):
    return mean_of(volume, shape.coverage(volume))


def disc():
    """Return a water disc with a radius of 20 mm and a dense rod."""
    _, y, x = np.meshgrid(*(GRID.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    values = np.where((x - CENTRE[0]) ** 2 + (y - CENTRE[1]) ** 2 < 20**2, MU, 0.0)
    return np.where((x - 12) ** 2 + (y + 12) ** 2 < 3**2, 2 * MU, values).astype(np.float32)


def cone():
    return circular_cone(
        circle(N_VIEWS),
        source_axis_mm=300.0,
        source_detector_mm=450.0,
        shape=(24, 100),
        pixel_mm=1.5,
    )


def scan_of(geometry, **changes):
    integrals = XrayTransform(geometry, GRID, on=ON)(disc())
    rng = np.random.default_rng(4)
    flat = 1e4 * rng.uniform(0.8, 1.2, geometry.shape)
    fields = {
        "values": (flat * np.exp(-integrals) + 100).astype(np.float32),
        "geometry": geometry,
        "kind": "counts",
        "flats": np.stack([flat + 100] * 3).astype(np.float32),
        "darks": np.full((2, *geometry.shape), 100, np.float32),
    }
    return Projections(**(fields | changes))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Write projections of the same disc with a cone beam and with parallel rays."""
    folder = tmp_path_factory.mktemp("ct")
    write_projections(scan_of(cone()), folder / "cone.h5")
    angles = np.linspace(0, np.pi, N_VIEWS, endpoint=False)
    write_projections(
        scan_of(parallel(angles, shape=(16, 90), pixel_mm=1.0)), folder / "parallel.h5"
    )
    return folder


def study(path, *settings, **others):
    return Study(data=path, protocol=with_settings(CtProtocol(), settings), **others)


def test_facts_of_a_file_do_not_hide_measured_ones():
    scan = scan_of(cone(), info={"detector": {"gain": 2.0}, "views": "many", "lamp": "tungsten"})
    facts = facts_of(scan)
    assert facts["detector"] == "100 × 24 pixels" and facts["views"] == N_VIEWS
    assert facts["lamp"] == "tungsten"


def volume(study, **options):
    message = list(run(study, on=ON, **options))
    assert isinstance(message[-1], Finished)
    return message[-1].volume


def water(volume):
    return mean(volume, upright((2.0, 0.0, 0.0), 16.0, 6.0))


@pytest.mark.parametrize("name", ["cone.h5", "parallel.h5"])
def test_scan_becomes_attenuation_at_its_position(files, name):
    found = volume(study(files / name))
    assert found.unit == "1/mm"
    assert water(found) == pytest.approx(MU, rel=0.01)
    rod = mean(found, upright((12.0, -12.0, 0.0), 3.0, 6.0))
    assert rod == pytest.approx(2 * MU, rel=0.05)
    mirrored = mean(found, upright((12.0, 12.0, 0.0), 3.0, 6.0))
    assert mirrored < 1.2 * MU


@pytest.mark.parametrize("algorithm", ['"sirt"', '"cgls"', '"fista_tv"'])
def test_iterative_algorithms_give_the_same_attenuation(files, algorithm):
    settings = (
        f"algorithm.kind={algorithm}", "algorithm.iterations=12", "grid.voxel_mm=[1.5, 1.5, 1.5]",
        "grid.diameter_mm=64", "grid.length_mm=16",
    )  # fmt: skip
    assert water(volume(study(files / "parallel.h5", *settings))) == pytest.approx(MU, rel=0.03)


def test_conjugate_gradients_stop_at_the_noise_with_a_note(tmp_path, rng):
    scan = scan_of(parallel(np.linspace(0, np.pi, 60), shape=(2, 90), pixel_mm=1.0))
    passed = rng.poisson((scan.values - 100) / 10) * 10.0 + 100  # noise of 1000 photons
    noisy = replace(scan, values=passed.astype(np.float32))
    write_projections(noisy, tmp_path / "noisy.h5")
    settings = ("algorithm.kind=cgls", "grid.voxel_mm=[1.0, 1.0, 1.0]", "grid.diameter_mm=64")
    ticks = []
    message = list(run(study(tmp_path / "noisy.h5", *settings), on=ON, on_progress=ticks.append))

    n = sum(isinstance(event, Preview) for event in message)
    text = f"ended after {n} of at most 20 iterations: the residual has reached the noise"
    assert 2 < n < 20
    assert Corrected("iterations", "applied", text) in message
    info = message[-1].volume.info
    row = {"kind": "iterations", "state": "applied", "level": "note", "text": text}
    assert row in info["corrections"]
    record = message[-1].run
    assert (record.ending, record.iterations_done) == ("converged", n)
    assert record.describe_run() == (
        f"converged at iteration {n} of at most 20: the residual has reached the noise"
    )
    assert info["iterations_done"] == n
    last = [on_progress for on_progress in ticks if on_progress.stage == "reconstruct"][-1]
    assert last.done == last.total
    assert water(message[-1].volume) == pytest.approx(MU, rel=0.03)


@pytest.mark.parametrize("algorithm", ['"sirt"', '"cgls"', '"fista_tv"'])
def test_iterations_on_a_region_account_for_the_rest_of_the_object(files, algorithm):
    settings = (
        f"algorithm.kind={algorithm}", "algorithm.iterations=12", "grid.voxel_mm=[1.5, 1.5, 1.5]",
        "grid.diameter_mm=18", "grid.length_mm=6",
    )  # fmt: skip
    found = volume(study(files / "cone.h5", *settings))
    assert found.values.shape == (4, 12, 12)
    assert mean(found, upright((2.0, 0.0, 0.0), 5.0, 6.0)) == pytest.approx(MU, rel=0.05)
    ledger = {c["kind"]: c["text"] for c in found.info["corrections"]}
    assert "cropped to the volume" in ledger["volume"]


def test_total_variation_shows_an_image_before_its_first_iteration(files):
    settings = (
        "algorithm.kind=fista_tv", "algorithm.iterations=3", "grid.voxel_mm=[1.5, 1.5, 1.5]",
        "grid.diameter_mm=64", "grid.length_mm=16",
    )  # fmt: skip
    started = study(files / "parallel.h5", *settings)
    events = list(run(started, on=ON))
    (early,) = [event for event in events if isinstance(event, EarlyPreview)]
    first, second, _ = previews = [event for event in events if isinstance(event, Preview)]

    assert events.index(early) < events.index(first)
    assert early.text == "One gradient step without the penalty, before iteration 1"
    assert early.run.iterations_done == 0
    assert early.volume.grid == first.volume.grid and early.volume.unit == "1/mm"
    assert water(early.volume) == pytest.approx(MU, rel=0.5)

    resume = Resume(first.volume.values, 1, first.history)
    again = list(run(started, on=ON, resume=resume))
    assert not [event for event in again if isinstance(event, EarlyPreview)]
    # The iterations do not start from this image, so they begin as before.
    assert len(previews) == 3 and second.update == 2


def test_filters_between_iterations_are_not_applied_without_iterations(files):
    """The image is that of the protocol without them, as for scans beyond the memory."""
    small = ("grid.voxel_mm=[2, 2, 2]",)
    filtered = (*small, 'between=[{kind = "gaussian", fwhm_mm = 9.0}]')
    plain, found = (volume(study(files / "cone.h5", *each)) for each in (small, filtered))
    np.testing.assert_array_equal(found.values, plain.values)
    (warning,) = set(found.info["warnings"]) - set(plain.info["warnings"])
    assert "has no iterations" in warning


def test_iterations_on_an_object_wider_than_the_detector_give_a_warning(tmp_path):
    narrow = cone().cropped(slice(0, 24), slice(30, 70))
    write_projections(scan_of(narrow), tmp_path / "narrow.h5")
    options = ("algorithm.kind=sirt", "algorithm.iterations=1", "grid.voxel_mm=[2, 2, 2]")
    found = volume(study(tmp_path / "narrow.h5", *options))
    assert any("wider than the detector" in warning for warning in found.info["warnings"])


def test_volume_of_a_helix_is_as_long_as_its_path():
    options = {"source_axis_mm": 300.0, "source_detector_mm": 450.0, "shape": (8, 9)}
    turns = circle(60, range_rad=4 * np.pi)
    scan = helical(turns, pitch_mm=20.0, z_mm=5.0, pixel_mm=1.5, **options)
    grid = CtProtocol().grid.grid_for(scan)
    path_mm = 20 * 2 * 59 / 60
    assert grid.size_mm[2] == pytest.approx(8 + path_mm, abs=1)
    assert grid.centre_mm[2] == pytest.approx(5 + path_mm / 2)
    flat = CtProtocol().grid.grid_for(circular_cone(turns, pixel_mm=1.5, **options))
    assert flat.shape[0] == 8


def test_every_step_reports_its_state(files):
    message = list(run(study(files / "cone.h5"), on=ON))
    ledger = {e.kind: e.state for e in message if isinstance(e, Corrected)}
    assert ledger["flat_field"] == ledger["logarithm"] == "applied"
    assert ledger["binning"] == "unavailable"
    assert ledger["weights"] == "applied"
    assert sum(isinstance(e, Preview) for e in message) == 1


def test_impossible_step_that_is_switched_on_is_refused(files):
    with pytest.raises(DataError, match="is set to 'on' but cannot be applied"):
        volume(study(files / "cone.h5", "steps.hardening.use=on"))


def test_ct_numbers_are_those_of_water_and_air(files):
    found = volume(study(files / "cone.h5", f"hounsfield={{mu_water_per_mm = {MU}}}"))
    assert found.unit == "HU"
    assert water(found) == pytest.approx(0, abs=10)
    outside = mean(found, upright((-25.0, 20.0, 0.0), 4.0, 6.0))
    assert outside == pytest.approx(-1000, abs=20)


def test_smaller_volume_is_a_part_of_the_large_one(files):
    options = ("grid.voxel_mm=[1.0, 1.0, 1.0]", "grid.length_mm=5")
    large = volume(study(files / "cone.h5", "grid.diameter_mm=60", *options))
    small = volume(study(files / "cone.h5", "grid.diameter_mm=20", *options))
    inner = large.values[:, 20:40, 20:40]
    np.testing.assert_allclose(small.values, inner, atol=1e-4 * MU + 2e-6)


def test_resumed_run_ends_with_the_same_image(files):
    settings = (
        'algorithm.kind="sirt"', "algorithm.iterations=3", "algorithm.subsets=4",
        "grid.voxel_mm=[2, 2, 2]", "grid.diameter_mm=60", "grid.length_mm=8",
    )  # fmt: skip
    message = list(run(study(files / "cone.h5", *settings), on=ON))
    halfway = [e for e in message if isinstance(e, Preview)][5]
    start = Resume(halfway.volume.values, halfway.update, halfway.history)
    resumed = volume(study(files / "cone.h5", *settings), resume=start)
    np.testing.assert_allclose(resumed.values, message[-1].volume.values, atol=1e-7)
    residuals = message[-1].provenance["relative_residuals"]
    assert len(residuals) == 3
    np.testing.assert_allclose(resumed.info["relative_residuals"], residuals, rtol=1e-6)


def test_provenance_reproduces_the_image(files):
    record = volume(study(files / "cone.h5", "algorithm.window=hann")).info
    assert "algorithm.window=" in record["replay"]
    assert record["protocol"]["modality"] == "ct"
    assert record["scan"]["views"] == N_VIEWS
    assert json.dumps(record["scanner"])
    assert record["tuned_kernels"] == {}
    stored = hash_array(read_projections(files / "cone.h5").values)  # also for stacks of many files
    assert record["scan"]["values_sha256"] == stored


def test_tuned_kernel_is_used_and_reported_with_the_same_image(files, tmp_path, monkeypatch):
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path))
    untuned = volume(study(files / "cone.h5"))
    problem = HostBack(ON, TunedScan(cone(), untuned.grid))
    values = {"threads": 1, "lines": 32, "views": 4}
    tuning = Outcome(best=values, comparison=Comparison(0.8, 0.78, 0.82, 15))
    assert keep(problem, tuning) is not None
    tuned = volume(study(files / "cone.h5"))
    np.testing.assert_array_equal(tuned.values, untuned.values)
    assert untuned.info["tuned_kernels"] == {}
    assert "lines 32, rows 0, threads 1, views 4" in tuned.info["tuned_kernels"]["cone_back"]


def test_pet_inputs_are_refused_for_a_ct_scan(files):
    expected = (
        r"not used in the modality 'X-ray CT'\. Remove them .*: mu\.nii\.gz \(attenuation\)\."
    )
    with pytest.raises(SettingsError, match=expected):
        volume(study(files / "cone.h5", attenuation=Path("mu.nii.gz")))


def test_nan_values_are_interpolated_or_reported(files, tmp_path):
    scan = scan_of(cone())
    scan.values[7, 3, 50] = np.nan
    write_projections(scan, tmp_path / "nan.h5")
    assert water(volume(study(tmp_path / "nan.h5"))) == pytest.approx(MU, rel=0.01)
    with pytest.raises(DataError, match=r"1 values of the projections .* are infinite or NaN"):
        volume(study(tmp_path / "nan.h5", "steps.bad_pixels.use=off"))


def test_volume_larger_than_any_memory_is_refused_with_numbers(files):
    tiny = "grid.voxel_mm=[0.035, 0.035, 0.012]"
    with pytest.raises(ResourceError, match="GiB"):
        volume(study(files / "cone.h5", tiny))


def test_study_file_restores_its_modality(files, tmp_path):
    expected = study(files / "cone.h5", "algorithm.window=hann")
    write_study(expected, tmp_path / "study.toml")
    assert read_study(tmp_path / "study.toml").protocol == expected.protocol
    (tmp_path / "old.toml").write_text(f'data = "{files / "cone.h5"}"\n')
    assert read_study(tmp_path / "old.toml").protocol == CtProtocol()  # the scan requires it
    (tmp_path / "p.toml").write_text('modality = "ct"\nname = "Mine"\n')
    assert read_protocol(tmp_path / "p.toml") == CtProtocol(name="Mine")


def test_scans_of_both_modalities_are_distinguished(files, tmp_path):
    assert is_projections(files / "cone.h5")
    (tmp_path / "other.txt").write_text("no scan")
    assert not is_projections(tmp_path / "other.txt")
