"""Scatter in a run: simulated if possible, otherwise reported. Old protocols are unchanged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.analysis.regions.figures import mean_of
from engine.analysis.regions.solids import CylinderRegion
from engine.cli.main import main
from engine.core.backend import cpu
from engine.core.errors import DataError
from engine.corrections import Scatter
from engine.corrections.scatter_estimation.pair_sums import line_factors
from engine.corrections.scatter_estimation.samples import sampled_lines
from engine.data.listmode import ListMode
from engine.data.runs.events import Corrected, Event, Finished, Preview, StageStarted, Warned
from engine.data.volume import Volume
from engine.geometry.energy import EnergySettings
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import read_listmode, save, write_listmode
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study, parse_protocol
from engine.protocols.run_context.context import Resume
from engine.protocols.study.assignments import with_settings
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Cylinder

ON = cpu(2)
upright = CylinderRegion.upright
RING = RingSettings(
    name="tiny", n_rings=6, n_crystals_per_ring=64, radius_mm=120, ring_pitch_mm=10,
    max_ring_difference=5, n_tangential=48, voxel_mm=(7.5, 7.5, 10), fov_mm=(150, 60),
    energy=EnergySettings(window_kev=(425, 650), resolution=0.11),
)  # fmt: skip
SETTINGS = (
    "algorithm.iterations=4", "algorithm.subsets=4", "finishing=[]", "corrections.scatter.rounds=2",
    "corrections.scatter.points=50",
)  # fmt: skip
SMOOTH = 0.35
"""Fraction of the prompts in a smooth, scatter-like background."""


def mean(volume: Volume, shape: CylinderRegion) -> float:
    return mean_of(volume, shape.coverage(volume))


def scan_of(scatter: float, half_length_mm: float = 20.0) -> ListMode:
    """Return a scan of a cylinder, with its mu-map."""
    half_axes = (45.0, 45.0, half_length_mm)
    shape = Cylinder((0.0, 0.0, 0.0), half_axes, activity=1.0, mu_per_mm=0.0096)
    phantom = ShapePhantom("cylinder", (shape,))
    return simulate_listmode(
        phantom, RingScanner(RING), n_prompts=40_000, seed=5, randoms_fraction=0.1,
        scatter_fraction=scatter,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return scans of a cylinder: with a smooth background, without, and without energies."""
    folder = tmp_path_factory.mktemp("scatter")
    smooth, clear = scan_of(SMOOTH), scan_of(0.0)
    without = replace(clear, scanner=RingScanner(RING.model_copy(update={"energy": None})))
    named = {"smooth": smooth, "clear": clear, "unknown": without, "long": scan_of(SMOOTH, 60.0)}
    for name, data in named.items():
        # written like a measured scan
        measured = replace(data, mu_map=None, additive=None, info={})
        write_listmode(measured, folder / f"{name}.h5")
        assert data.mu_map is not None
        save(data.mu_map, folder / f"mu_{name}.nii.gz", {})
    return folder


def study(folder: Path, name: str, *settings: str, mu_map: bool = True) -> Study:
    return Study(
        data=folder / f"{name}.h5",
        attenuation=folder / f"mu_{name}.nii.gz" if mu_map else None,
        protocol=with_settings(ListModeProtocol(), (*SETTINGS, *settings)),
    )


def scatter_row(of_run: list[Event]) -> Corrected:
    (row,) = [e for e in of_run if isinstance(e, Corrected) and e.kind == "scatter"]
    return row


@pytest.fixture(scope="module")
def smooth(folder: Path) -> list[Event]:
    return list(run(study(folder, "smooth"), on=ON))


def test_scatter_is_a_stage_with_a_row_and_facts(smooth: list[Event]) -> None:
    stages = [e.stage for e in smooth if isinstance(e, StageStarted)]
    assert stages.index("scatter") == stages.index("correct") + 1
    row = scatter_row(smooth)
    assert row.state == "applied"
    assert "simulated in 2 rounds" in row.text
    assert "events outside the object" in row.text
    record = next(e for e in smooth if isinstance(e, Finished)).provenance
    assert record["scan"]["scatter"]["rounds"] == 2
    # The background is flatter than scatter, and the simulation is scaled to the tails.
    assert SMOOTH < record["scan"]["scatter"]["fraction"] < 0.8


def test_command_writes_the_scatter_curves_to_its_log(folder: Path, tmp_path: Path) -> None:
    log, few = tmp_path / "events.jsonl", ("algorithm.iterations=1", "corrections.scatter.rounds=1")
    chosen = [word for setting in (*SETTINGS, *few) for word in ("--set", setting)]
    scan, mu_map = str(folder / "smooth.h5"), str(folder / "mu_smooth.nii.gz")
    out = str(tmp_path / "image.h5")
    words = ["reconstruct", scan, "--attenuation", mu_map, "-o", out, "--json", str(log)]
    assert main([*words, *chosen]) == 0
    events = [json.loads(line) for line in log.read_text().splitlines()]
    (row,) = [e for e in events if e["event"] == "Corrected" and e["kind"] == "scatter"]
    profile = row["profile"]
    n = len(profile["distance_mm"])
    assert n == len(profile["measured"]) == len(profile["scatter"]) > 10
    width = profile["distance_mm"][1] - profile["distance_mm"][0]
    # A tenth of the 40,000 prompts are randoms, and there are as many delayeds.
    assert width * sum(profile["measured"]) == pytest.approx(36_000, rel=0.03)
    assert 0 < sum(profile["scatter"]) < sum(profile["measured"])


def test_resumed_run_has_the_same_scatter(folder: Path, smooth: list[Event]) -> None:
    at = [e for e in smooth if isinstance(e, Preview)][5]
    start = Resume(at.volume.values, at.update, at.history)
    resumed = list(run(study(folder, "smooth"), on=ON, resume=start))
    np.testing.assert_array_equal(resumed[-1].volume.values, smooth[-1].volume.values)  # type: ignore[attr-defined]


def test_stages_after_the_scatter_have_its_memory(folder: Path) -> None:
    """The estimate of a run does not count scatter data after the scatter stage."""
    events = run(study(folder, "smooth", "corrections.scatter.rounds=1"), on=ON)
    memory = {}
    for event in events:
        if isinstance(event, Corrected) and event.kind == "scatter":
            assert event.state == "applied"
        if isinstance(event, StageStarted):
            caches = line_factors, sampled_lines
            memory[event.stage] = [each.cache_info().currsize for each in caches]
        if "sensitivity" in memory:
            break
    events.close()
    assert "scatter" in memory and memory["sensitivity"] == [0, 0]


def test_scan_without_scatter_is_reported_and_its_image_stays_true(folder: Path) -> None:
    once = "corrections.scatter.rounds=1"
    events = list(run(study(folder, "clear", once), on=ON))
    warned = [e.text for e in events if isinstance(e, Warned)]
    assert any("outside 0.8 to 1.3" in text for text in warned)
    without_step = list(run(study(folder, "clear", "corrections.scatter.use=off"), on=ON))
    corrected, uncorrected = (
        mean(e.volume, upright((0.0, 0.0, 0.0), 35.0, 12.0))
        for e in (events[-1], without_step[-1])
        if isinstance(e, Finished)
    )
    assert corrected == pytest.approx(uncorrected, rel=0.05)


@pytest.mark.parametrize(
    ("name", "mu_map", "words"),
    [("unknown", True, "has no energy window"), ("clear", False, "load a μ-map")],
)
def test_unavailable_scatter_states_its_reason_and_cost(
    folder: Path, name: str, mu_map: bool, words: str
) -> None:
    events = list(run(study(folder, name, "algorithm.iterations=1", mu_map=mu_map), on=ON))
    row = scatter_row(events)
    assert row.state == "unavailable"
    assert words in row.text
    assert "% too high" in row.text
    wide = float(row.text.split(" mm wide")[0].split()[-1])
    assert wide == pytest.approx(90, rel=0.1 if mu_map else 0.25)
    with pytest.raises(DataError, match="is set to 'on' but cannot be applied"):
        list(run(study(folder, name, "corrections.scatter.use=on", mu_map=mu_map), on=ON))


def test_disabled_scatter_states_the_same_cost(folder: Path) -> None:
    off = "corrections.scatter.use=off"
    row = scatter_row(list(run(study(folder, "clear", off, "algorithm.iterations=1"), on=ON)))
    assert (row.state, "% too high" in row.text) == ("off", True)


def test_scatter_needs_attenuation_correction(folder: Path) -> None:
    off = "corrections.attenuation.use=off", "algorithm.iterations=1"
    row = scatter_row(list(run(study(folder, "clear", *off), on=ON)))
    assert "attenuation correction is off" in row.text


def test_activity_beyond_the_field_of_view_gives_a_warning(
    folder: Path, smooth: list[Event]
) -> None:
    of_run = list(run(study(folder, "long", "algorithm.iterations=1"), on=ON))
    for events, is_warned in ((of_run, True), (smooth, False)):
        warned = [e.text for e in events if isinstance(e, Warned)]
        assert any("Activity extends to the end" in text for text in warned) == is_warned


def test_scatter_estimate_can_be_stopped(folder: Path) -> None:
    class StopError(Exception):
        pass

    def stop(progress: object) -> None:
        if getattr(progress, "stage", "") == "scatter":
            raise StopError

    with pytest.raises(StopError):
        list(run(study(folder, "clear"), on=ON, on_progress=stop))


@pytest.mark.parametrize("named", [{}, {"scatter": {"use": "auto"}}])
def test_old_protocols_use_only_the_scatter_of_the_scan(named: dict[str, object]) -> None:
    values = {"modality": "pet", "version": 3, "corrections": named}
    assert parse_protocol(values, "old.toml").corrections.scatter.method == "supplied"
    assert parse_protocol(values | {"version": 4}, "new.toml").corrections.scatter.method == "auto"


def test_supplied_scatter_is_not_estimated(folder: Path) -> None:
    scan = read_listmode(folder / "clear.h5")
    supplied = replace(scan, additive=np.full(scan.n_events, 1e-3, np.float32))
    correction = Scatter()
    assert correction.obstacle(supplied) is None
    assert not correction.simulates(supplied)
    assert correction.apply(supplied, on=ON).background == pytest.approx(1e-3)
    with pytest.raises(DataError, match="that only a run computes"):
        correction.apply(scan, on=ON)
