"""Tests of scans in memory, with the same image and record as scans in files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isocenter as iso
from engine.core.errors import DataError, EngineError, GeometryError, SettingsError
from engine.data.runs.events import Finished
from engine.data.scan import Scan, content_of
from engine.data.sinogram import binned
from engine.geometry.tof import TofSettings
from engine.protocols.study.protocol import Protocol

pytestmark = pytest.mark.essential

RING = iso.RingScanner(
    iso.RingSettings(
        name="Small ring",
        n_rings=3,
        n_crystals_per_ring=48,
        radius_mm=60,
        ring_pitch_mm=6,
        max_ring_difference=2,
        n_tangential=33,
        fov_mm=(60, 18),
        voxel_mm=(4, 4, 6),
        tof=TofSettings(fwhm_ps=300, bin_ps=150, n_bins=9),
    )
)
ANGLES = np.linspace(0, 2 * np.pi, 24, endpoint=False)
CYLINDER = iso.phantoms.uniform_cylinder(diameter_mm=30, length_mm=18)
OWN = {"environment", "started_utc", "ended_utc", "timings_s", "profile"}
"""Facts of a single run."""
PLACES = {"inputs", "replay"}
"""Facts about the location of the data."""


def events() -> iso.ListMode:
    scan = iso.simulate_listmode(CYLINDER, RING, n_prompts=8000, seed=3, scatter_fraction=0.1)
    time_ms = np.sort(np.random.default_rng(1).integers(0, 60_000, scan.n_events)).astype(np.uint32)
    return replace(scan, time_ms=time_ms)


def sinogram() -> iso.Sinogram:
    return binned(events(), iso.SinogramLayout.of(RING), timed=True)


def histogram() -> iso.Histogram:
    panels = iso.read_scanner("test-panels")
    assert isinstance(panels, iso.DualHead)
    counts = np.random.default_rng(4).poisson(3.0, panels.n_lors).astype(np.float32)
    return iso.Histogram(panels, counts, delayeds=0 * counts + 1, duration_s=10.0)


def panel_events() -> iso.ListMode:
    panels = iso.read_scanner("test-panels")
    rng = np.random.default_rng(5)
    crystals = np.stack([rng.integers(0, 24, 4000), rng.integers(24, 48, 4000)], axis=1)
    return iso.ListMode(panels, crystals.astype(np.int32), duration_s=10.0)


def cone() -> iso.Projections:
    orbit = iso.circular_cone(
        ANGLES, source_axis_mm=300, source_detector_mm=450, shape=(6, 32), pixel_mm=2.5
    )
    return iso.simulate_xray(CYLINDER, orbit, seed=1)


def fan() -> iso.Projections:
    orbit = iso.fan(ANGLES, source_axis_mm=300, source_detector_mm=450, n_columns=32, pixel_mm=2.5)
    return iso.simulate_integrals(CYLINDER, orbit)


def parallel() -> iso.Projections:
    orbit = iso.parallel(ANGLES / 2, shape=(4, 32), pixel_mm=2.0)
    return iso.simulate_integrals(CYLINDER, orbit)


def helix() -> iso.Projections:
    orbit = iso.helical(
        np.linspace(0, 6 * np.pi, 48, endpoint=False),
        pitch_mm=6,
        source_axis_mm=300,
        source_detector_mm=450,
        shape=(6, 32),
        pixel_mm=2.5,
    )
    return iso.simulate_integrals(CYLINDER, orbit)


OSEM = {"kind": "osem", "iterations": 2, "subsets": 2}
FEW_POINTS = {"points_per_crystal": 4}
KINDS: dict[str, tuple[Callable[[], Any], str, Protocol | None]] = {
    "list mode": (events, "scan.h5", None),
    "list mode in frames": (
        events,
        "scan.h5",
        iso.ListModeProtocol(algorithm=OSEM, frames="2x20,1x20"),
    ),
    "reproducible list mode": (
        events,
        "scan.h5",
        iso.ListModeProtocol(algorithm=OSEM, reproducible=True),
    ),
    "sinogram": (sinogram, "scan.hs", None),
    "histogram": (histogram, "scan.h5", iso.DualHeadProtocol(algorithm=OSEM)),
    "list mode of two panels": (panel_events, "scan.h5", None),
    "list mode of two panels by line": (
        panel_events,
        "scan.h5",
        iso.DualHeadProtocol(algorithm=OSEM),
    ),
    "counts of a cone beam": (cone, "scan.h5", None),
    "iterations of a cone beam": (
        cone,
        "scan.h5",
        iso.CtProtocol(algorithm={"kind": "sirt", "iterations": 3, "subsets": 1}),
    ),
    "fan": (fan, "scan.h5", None),
    "parallel beam": (parallel, "scan.h5", None),
    "helix": (helix, "scan.h5", None),
}


def run_of(source: Scan | Path, protocol: Protocol | None) -> Finished:
    """Return the final event of a run on one thread, which has a fixed order of sums."""
    for event in iso.run(source, protocol, on=iso.cpu(1)):
        if isinstance(event, Finished):
            return event
    raise AssertionError("no volume")


@pytest.mark.parametrize("kind", KINDS)
def test_image_and_record_equal_those_of_the_file(kind: str, tmp_path: Path) -> None:
    make, name, protocol = KINDS[kind]
    iso.save(make(), tmp_path / name)
    scan = iso.read(tmp_path / name)
    assert not isinstance(scan, iso.Volume)
    for each in vars(scan).values():
        if isinstance(each, np.ndarray):
            each.flags.writeable = False  # read-only, so that a run that changes them fails
    of_file, in_memory = run_of(tmp_path / name, protocol), run_of(scan, protocol)
    assert in_memory.volume.values.tobytes() == of_file.volume.values.tobytes()
    assert in_memory.volume.grid == of_file.volume.grid
    assert in_memory.volume.unit == of_file.volume.unit
    assert [each.frame for each in in_memory.frames] == [each.frame for each in of_file.frames]
    for one, other in zip(in_memory.frames, of_file.frames, strict=True):
        assert one.volume.values.tobytes() == other.volume.values.tobytes()
    ours, theirs = in_memory.volume.info, of_file.volume.info
    assert ours.keys() == theirs.keys()
    name = theirs["inputs"]["data"]["name"]
    for key in ours.keys() - OWN - PLACES:
        expected = json.dumps(theirs[key]).replace(name, "scan in memory")
        assert json.dumps(ours[key]) == expected, key
    assert ours["inputs"]["data"].keys() == {"name", "bytes", "sha256"}
    record = in_memory.volume.record
    assert record is not None
    assert [each.kind for each in record.corrections] == [
        each["kind"] for each in theirs["corrections"]
    ]


def test_frames_in_memory_equal_those_of_a_run() -> None:
    protocol = KINDS["list mode in frames"][2]
    frames = iso.reconstruct_frames(events(), protocol, on=iso.cpu(1))
    assert [each.frame.describe() for each in frames] == ["0 to 20 s", "20 to 40 s", "40 to 60 s"]
    for one, other in zip(frames, run_of(events(), protocol).frames, strict=True):
        assert one.volume.values.tobytes() == other.volume.values.tobytes()


def test_auxiliary_sinograms_in_memory_equal_those_of_files(tmp_path: Path) -> None:
    """Randoms and normalisation factors as arrays in the shape of the layout."""
    iso.save(sinogram(), tmp_path / "scan.hs")
    scan = iso.read(tmp_path / "scan.hs")
    assert isinstance(scan, iso.Sinogram)
    rng = np.random.default_rng(8)
    arrays = {
        "randoms_sinogram": rng.uniform(0.1, 0.3, scan.layout.shape),
        "normalisation_sinogram": rng.uniform(0.8, 1.2, scan.layout.shape),
    }
    inputs = {key: tmp_path / f"{key}.hs" for key in arrays}
    for key, values in arrays.items():
        iso.save(iso.Sinogram(scan.layout, values.astype(np.float32)), inputs[key])
    of_files = iso.reconstruct(tmp_path / "scan.hs", on=iso.cpu(1), inputs=inputs)
    in_memory = iso.reconstruct(replace(scan, auxiliary=arrays), on=iso.cpu(1))
    assert in_memory.values.tobytes() == of_files.values.tobytes()
    uncorrected = iso.reconstruct(scan, on=iso.cpu(1))
    assert in_memory.values.tobytes() != uncorrected.values.tobytes()


def test_digest_depends_on_the_content() -> None:
    def digest(scan: Scan) -> str:
        return str(content_of(scan)["sha256"])

    scan = fan()
    assert digest(scan) == digest(fan())
    values = scan.values.copy()
    values[0, 0, 0] += 1
    assert digest(replace(scan, values=values)) != digest(scan)
    assert digest(replace(scan, geometry=scan.geometry.flipped(columns=True))) != digest(scan)
    assert digest(replace(scan, kind="transmission")) != digest(scan)
    other = iso.RingScanner(RING.settings.model_copy(update={"radius_mm": 61}))
    assert digest(replace(events(), scanner=other)) != digest(events())


def test_record_omits_a_patient_name_in_a_file_name(tmp_path: Path) -> None:
    values = fan().values.copy()
    values[5] = 0  # the reader excludes this view
    path = tmp_path / "Miller_Anna.h5"
    iso.save(replace(fan(), values=values), path)
    scan = iso.read(path)
    assert isinstance(scan, iso.Projections)
    assert any("Miller" in note for note in scan.notes)
    info = iso.reconstruct(scan, on=iso.cpu(1)).info
    assert any("views 5 contain only zeros" in text for text in info["warnings"])
    assert "Miller" not in json.dumps(info)


def test_numpy_arrays_are_accepted() -> None:
    """Other number types, lists of crystals, and a sinogram without rows are converted."""
    scan, exact = fan(), events()
    float64 = iso.Projections(scan.values[:, 0].astype(np.float64), scan.geometry)
    assert same(float64, scan)
    assert exact.tof_bins is not None
    loose = replace(
        exact, crystals=exact.crystals.astype(np.int64), tof_bins=exact.tof_bins.astype(int)
    )
    assert same(loose, exact)
    counts = sinogram()
    cube = replace(counts, prompts=counts.prompts.reshape(counts.layout.shape).astype(int))
    assert same(cube, counts)


def same(one: Scan, other: Scan) -> bool:
    """Compare the images of two scans."""
    first, second = (run_of(each, None).volume for each in (one, other))
    return first.values.tobytes() == second.values.tobytes()


def test_empty_views_are_excluded_from_the_run_and_stay_in_the_scan() -> None:
    scan = cone()
    values = scan.values.copy()
    values[7] = 0
    stopped = replace(scan, values=values)
    volume = iso.reconstruct(stopped, on=iso.cpu(1))
    assert any("views 7 are not used" in text for text in volume.info["warnings"])
    assert stopped.n_views == len(ANGLES)
    assert not stopped.values[7].any()


@pytest.mark.parametrize("as_text", [True, False])
def test_path_is_read_as_on_the_command_line(as_text: bool, tmp_path: Path) -> None:
    path = tmp_path / "scan.h5"
    iso.save(fan(), path)
    of_path = iso.reconstruct(str(path) if as_text else path, on=iso.cpu(1))
    study = iso.Study(data=path, protocol=iso.CtProtocol())
    assert of_path.values.tobytes() == iso.reconstruct(study, on=iso.cpu(1)).values.tobytes()


def test_protocol_is_a_name_a_file_or_an_object(tmp_path: Path) -> None:
    scan, path = fan(), tmp_path / "mine.toml"
    path.write_text('modality = "ct"\nname = "Mine"\n[algorithm]\nkind = "sirt"\n')
    names = {
        "ct-cone-beam": iso.find_protocol("ct-cone-beam").name,
        str(path): "Mine",
    }
    for given, name in names.items():
        info = iso.reconstruct(scan, given, on=iso.cpu(1)).info
        assert info["protocol"]["name"] == name
    own = iso.CtProtocol(name="Own", grid={"voxel_mm": (2, 2, 2)})
    volume = iso.reconstruct(scan, own, on=iso.cpu(1))
    assert volume.grid.voxel_mm == (2, 2, 2)
    assert iso.reconstruct(scan, on=iso.cpu(1)).info["protocol"]["name"] == "Standard CT"


WRONG: dict[str, tuple[Callable[[], object], type[EngineError], str]] = {
    "no scan": (
        lambda: iso.reconstruct(np.zeros((3, 3))),  # type: ignore[arg-type]
        SettingsError,
        "'ndarray' cannot be reconstructed, because it is no scan; pass ListMode",
    ),
    "unknown protocol": (
        lambda: iso.reconstruct(fan(), "brain-fdgg"),
        SettingsError,
        "'brain-fdgg' is not a known protocol; choose from brain-fdg",
    ),
    "protocol of PET for CT": (
        lambda: iso.reconstruct(fan(), "brain-fdg"),
        SettingsError,
        "'Brain FDG' is of the modality 'pet', expected 'ct' for a scan of the type 'Projections'",
    ),
    "no protocol": (
        lambda: iso.reconstruct(fan(), {"algorithm": "fdk"}),  # type: ignore[arg-type]
        SettingsError,
        "'dict' is no protocol; pass a name such as 'brain-fdg'",
    ),
    "unknown input": (
        lambda: iso.reconstruct(fan(), inputs={"attenuation": "mu.nii.gz"}),
        SettingsError,
        "Remove them from the study: mu.nii.gz (attenuation)",
    ),
    "list of inputs": (
        lambda: iso.reconstruct(fan(), inputs=["mu.nii.gz"]),  # type: ignore[arg-type]
        SettingsError,
        "inputs have the type 'list', expected a table of paths by role",
    ),
    "no frames": (
        lambda: iso.reconstruct_frames(fan()),
        SettingsError,
        "reconstructs a single image, expected one with frames; set `frames`",
    ),
    "randoms of another shape": (
        lambda: iso.reconstruct(
            replace(sinogram(), auxiliary={"randoms_sinogram": np.zeros((2, 3))})
        ),
        GeometryError,
        "'randoms_sinogram' in `auxiliary` has the shape (2, 3), expected (9, 24, 33) (planes,",
    ),
    "negative randoms": (
        lambda: iso.reconstruct(
            replace(
                sinogram(),
                auxiliary={"randoms_sinogram": np.full(sinogram().layout.shape, -1.0)},
            )
        ),
        DataError,
        "bin 0 of 'randoms_sinogram' in `auxiliary` is -1.0, expected at least 0",
    ),
    "crystals in one column": (
        lambda: iso.reconstruct(iso.ListMode(RING, np.zeros(4, np.int32))),
        GeometryError,
        "crystals have the shape (4,), expected (n_events, 2)",
    ),
    "crystals as fractions": (
        lambda: iso.reconstruct(iso.ListMode(RING, np.zeros((4, 2)))),  # type: ignore[arg-type]
        DataError,
        "'crystals' has the type float64, expected whole numbers",
    ),
    "unknown crystal": (
        lambda: iso.reconstruct(iso.ListMode(RING, np.array([[0, 20], [1, 144]], np.int32))),
        DataError,
        "'crystals' of event 1 is [1, 144], expected 0 to 143; give the scanner",
    ),
    "crystal beyond int32": (
        lambda: iso.reconstruct(iso.ListMode(RING, np.array([[0, 1 << 40]]))),  # type: ignore[arg-type]
        DataError,
        "'crystals' reaches from 0 to 1,099,511,627,776, expected -2,147,483,648 to 2,147,483,647",
    ),
    "TOF bins of another number": (
        lambda: iso.reconstruct(
            iso.ListMode(RING, np.array([[0, 20]], np.int32), tof_bins=np.zeros(2, np.int16))
        ),
        GeometryError,
        "'tof_bins' has the shape (2,), expected (1,); give one value for each event",
    ),
    "TOF bins without TOF": (
        lambda: iso.reconstruct(
            iso.ListMode(
                iso.read_scanner("test-panels"),
                np.array([[0, 30]], np.int32),
                tof_bins=np.zeros(1, np.int16),
            )
        ),
        GeometryError,
        "the events have TOF bins, but the scanner 'Test panels' has none",
    ),
    "negative counts": (
        lambda: iso.reconstruct(replace(histogram(), prompts=-histogram().prompts)),
        DataError,
        "histogram: value 0 of 'prompts' is -",
    ),
    "NaN in a sinogram": (
        lambda: iso.reconstruct(replace(sinogram(), prompts=sinogram().prompts * np.nan)),
        DataError,
        "sinogram: bin 0 contains nan, expected a finite number of counts",
    ),
    "only NaN": (
        lambda: iso.reconstruct(replace(fan(), values=fan().values * np.nan)),
        DataError,
        "scan in memory: all values are NaN or infinite",
    ),
    "sensitivity of a sinogram": (
        lambda: iso.sensitivity(sinogram(), GRID),  # type: ignore[arg-type]
        DataError,
        "the scan is of the type 'Sinogram', expected ListMode",
    ),
    "sensitivity by an unknown method": (
        lambda: iso.sensitivity(events(), GRID, method="guess"),  # type: ignore[arg-type]
        SettingsError,
        "sensitivity: method: ",
    ),
}
GRID = iso.ImageGrid(shape=(3, 15, 15), voxel_mm=(4.0, 4.0, 6.0))


@pytest.mark.parametrize("name", WRONG)
def test_invalid_call_states_value_expectation_and_remedy(name: str) -> None:
    call, kind, words = WRONG[name]
    with pytest.raises(kind) as fault:
        call()
    assert words in str(fault.value)


def test_sensitivity_equals_that_of_a_run() -> None:
    """Compare with the sum of the voxel lengths of all lines."""
    scan = iso.ListMode(RING, np.array([[0, 24]], np.int32))
    found = iso.sensitivity(scan, GRID, method="exact", on=iso.cpu(1))
    layout = iso.SinogramLayout.of(RING)
    ends = layout.crystals_of(np.arange(layout.n_bins))
    A = iso.RayProjector(iso.Rays(RING.positions_mm, ends), GRID, on=iso.cpu(1))
    expected = A.T @ np.ones(A.out_shape, np.float32)
    np.testing.assert_allclose(found.values, expected, rtol=1e-4, atol=1e-3 * expected.max())
    assert found.unit == "mm"
    assert found.info["sensitivity"].startswith("exact, over all")
