"""Scatter of sinograms in a run: simulated if possible, otherwise reported."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.core import backend
from engine.core.backend import cpu
from engine.core.backend.devices import cpu_device, device_of
from engine.core.errors import DataError
from engine.corrections.sinogram import BinScatter
from engine.corrections.sinogram_roles import ATTENUATION, SCATTER
from engine.data.runs.events import Corrected, Event, Finished, Preview, StageStarted
from engine.data.sinogram import APPLIED, Sinogram
from engine.geometry.ring import RingScanner
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import read_sinogram, save
from engine.io.interfile.sinogram_writer import write_sinogram
from engine.jobs.reconstruction import run
from engine.modalities import MODALITIES, OpenStudy
from engine.modalities.ring_scatter.estimate import estimate_scatter
from engine.modalities.ring_sinogram_pet import model as ring_sinogram_pet
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.ring_sinogram_pet.requirements import (
    BYTES_PER_BIN,
    BYTES_PER_TIMED,
    estimate,
)
from engine.modalities.ring_sinogram_pet.scatter_counts import CountedBins
from engine.modalities.ring_sinogram_pet.scatter_needs import scatter_needs
from engine.modalities.ring_sinogram_pet.scatter_scan import with_scatter
from engine.modalities.studies import Study
from engine.protocols.run_context.context import Resume
from engine.protocols.study.assignments import with_settings
from tests.emulator import EmulatedGpu
from tests.engine.modalities.ring_sinogram_pet.scattering_scans import (
    corrected,
    drawn,
    ring,
    water,
)

pytestmark = pytest.mark.slow

ON = cpu(2)
FEW = (
    "algorithm.iterations=1", "algorithm.subsets=4", "finishing=[]", "corrections.scatter.rounds=1",
    "corrections.scatter.points=50",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return counts of a cylinder with scatter, its mu-map, and the same without energies."""
    folder = tmp_path_factory.mktemp("scatter")
    data = drawn(SinogramLayout.of(ring(), span=3), 60_000).data
    write_sinogram(data, folder / "scan.hs")
    save(water(), folder / "mu.nii.gz", {})
    lines = (folder / "scan.hs").read_text().splitlines(keepends=True)
    unknown = [line for line in lines if "energy" not in line.lower()]
    done = [
        "applied corrections := {Scatter correction}\n" if "applied corr" in line else line
        for line in lines
    ]
    for name, text in (("unknown", unknown), ("done", done)):
        (folder / f"{name}.hs").write_text("".join(text))
    return folder


def study(folder: Path, name: str, *settings: str, mu_map: bool = True) -> Study:
    return Study(
        data=folder / f"{name}.hs",
        attenuation=folder / "mu.nii.gz" if mu_map else None,
        protocol=with_settings(RingSinogramProtocol(), (*FEW, *settings)),
    )


def scatter_row(events: list[Event]) -> Corrected:
    (row,) = [e for e in events if isinstance(e, Corrected) and e.kind == "scatter"]
    return row


def test_energies_are_read_from_the_header(folder: Path) -> None:
    assert read_sinogram(folder / "scan.hs").scanner.settings.energy == ring().settings.energy
    assert read_sinogram(folder / "unknown.hs").scanner.energy is None


def test_scatter_is_a_stage_with_row_curves_and_facts_and_survives_a_resume(folder: Path) -> None:
    chosen = study(folder, "scan", "algorithm.iterations=2")
    events = list(run(chosen, on=ON))
    stages = [e.stage for e in events if isinstance(e, StageStarted)]
    assert stages.index("scatter") == stages.index("correct") + 1
    row = scatter_row(events)
    assert row.state == "applied"
    assert "simulated in 1 round" in row.text
    assert "events outside the object" in row.text
    profile = row.profile
    assert profile is not None
    width = profile.distance_mm[1] - profile.distance_mm[0]
    assert width * sum(profile.measured) == pytest.approx(60_000, rel=0.03)
    assert 0 < sum(profile.scatter) < sum(profile.measured)
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.provenance["scan"]["scatter"]["rounds"] == 1
    at = [e for e in events if isinstance(e, Preview)][2]
    start = Resume(at.volume.values, at.update, at.history)
    again = list(run(chosen, on=ON, resume=start))[-1]
    assert isinstance(again, Finished)
    np.testing.assert_array_equal(again.volume.values, last.volume.values)


@pytest.mark.parametrize(
    ("name", "mu_map", "words"),
    [("unknown", True, "has no energy window"), ("scan", False, "load a μ-map")],
)
def test_unavailable_scatter_states_its_reason_and_cost(
    folder: Path, name: str, mu_map: bool, words: str
) -> None:
    row = scatter_row(list(run(study(folder, name, mu_map=mu_map), on=ON)))
    assert row.state == "unavailable"
    assert words in row.text
    assert "% too high" in row.text
    wide = float(row.text.split(" mm wide")[0].split()[-1])
    assert wide == pytest.approx(90, rel=0.1 if mu_map else 0.25)
    with pytest.raises(DataError, match="is set to 'on' but cannot be applied"):
        list(run(study(folder, name, "corrections.scatter.use=on", mu_map=mu_map), on=ON))


def test_counts_corrected_elsewhere_state_no_cost(folder: Path) -> None:
    row = scatter_row(list(run(study(folder, "done"), on=ON)))
    assert "already corrected for it" in row.text
    assert "too high" not in row.text


def test_scatter_needs_attenuation_correction(folder: Path) -> None:
    off = "corrections.attenuation.use=off"
    row = scatter_row(list(run(study(folder, "scan", off), on=ON)))
    assert "attenuation correction is off" in row.text


def test_supplied_estimate_is_used_unless_another_is_requested(folder: Path) -> None:
    scan = read_sinogram(folder / "scan.hs")
    values = np.full(scan.layout.n_bins, 0.25, np.float32)
    supplied = replace(scan, auxiliary={SCATTER.key: values}, mu_map=water())
    step = BinScatter()
    assert not step.simulates(supplied)
    assert step.obstacle(supplied) is None
    assert step.apply(supplied, on=ON).background == pytest.approx(0.25)
    requested = BinScatter(method="simulated")
    assert requested.simulates(supplied)
    with pytest.raises(DataError, match="that only a run computes"):
        requested.apply(supplied, on=ON)
    reason = BinScatter(method="supplied").obstacle(scan)
    assert reason == "there is no scatter estimate; load its sinogram"
    corrected_before = replace(supplied, info={APPLIED: "measured attenuation correction"})
    assert "corrected for attenuation" in (requested.obstacle(corrected_before) or "")


def test_window_knows_if_scatter_is_simulated_and_its_needs(folder: Path) -> None:
    modality = next(each for each in MODALITIES if each.key == "pet-sinogram")
    scan = modality.summarise(folder / "scan.hs", None)
    protocol = with_settings(RingSinogramProtocol(), FEW)
    grid = protocol.grid.grid_for(scan.scanner)
    off = with_settings(protocol, ("corrections.attenuation.use=off",))

    def stages(chosen: RingSinogramProtocol, contents: dict[str, object]) -> dict[str, float]:
        opened = OpenStudy(scan, scan.scanner, contents)
        found = modality.requirements(chosen, opened, grid, cpu_device(2), 1.0)
        assert found is not None
        return found.stages

    with_map = {"attenuation": water()}
    assert stages(protocol, with_map)["scatter"] > 0
    assert "scatter" not in stages(protocol, {ATTENUATION.key: read_sinogram(folder / "scan.hs")})
    assert "scatter" not in stages(off, with_map)
    given = OpenStudy(scan, scan.scanner, with_map)
    assert modality.obstacles(protocol, given)["scatter"] is None
    assert "attenuation correction is off" in str(modality.obstacles(off, given)["scatter"])
    nothing = modality.obstacles(protocol, OpenStudy(scan, scan.scanner, {}))["scatter"]
    assert "load a μ-map" in str(nothing)


@pytest.mark.parametrize("timed", [pytest.param(False, marks=pytest.mark.slow), True])
def test_scatter_takes_at_most_the_stated_memory_and_not_far_less(timed: bool) -> None:
    layout = SinogramLayout.of(ring(timed=timed))
    scan = corrected(replace(drawn(layout, 60_000).data, mu_map=water()))
    data = ring_sinogram_pet.usable(scan).data
    n_timed = 0 if data.timed is None else len(data.timed.counts)
    protocol, settings = with_settings(RingSinogramProtocol(), FEW), BinScatter(rounds=1, points=50)
    needs = scatter_needs(
        protocol, data, layout.n_bins, n_timed, on=cpu_device(2), slabs_per_second=3e8
    )
    assert needs is not None
    reported = needs.memory_bytes + layout.n_bins * BYTES_PER_BIN + n_timed * BYTES_PER_TIMED

    def peak_memory(data: Sinogram) -> int:
        tracemalloc.start()
        with_scatter(data, estimate_scatter(CountedBins(data, on=ON), settings).table)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak_memory(data)  # compile first
    assert reported / 5 < peak_memory(data) <= reported


def test_gpu_gives_the_same_scatter_within_the_stated_memory() -> None:
    """A coarse image, the simulation and the fit to the tails, on an emulated GPU."""
    tiny = RingScanner(
        ring(timed=True).settings.model_copy(
            update={"n_rings": 2, "n_crystals_per_ring": 32, "max_ring_difference": 1,
                    "n_tangential": 16}
        )
    )  # fmt: skip
    case = drawn(SinogramLayout.of(tiny), 3_000)
    data = ring_sinogram_pet.usable(corrected(replace(case.data, mu_map=water()))).data
    gpu = EmulatedGpu()
    settings = BinScatter(rounds=1, points=50)
    found, expected = (
        estimate_scatter(CountedBins(data, on=on), settings) for on in (backend.cuda(gpu), ON)
    )
    assert expected.table.values.max() > 0
    peak = expected.table.values.max()
    np.testing.assert_allclose(found.table.values, expected.table.values, atol=1e-3 * peak)
    protocol = with_settings(RingSinogramProtocol(), FEW)
    on = device_of(backend.cuda(gpu))
    grid = protocol.grid.grid_for(tiny)
    n = data.layout.n_bins
    reported = estimate(protocol, grid, n, on=on, n_timed=len(data.timed.counts), scan=data).gpu
    assert reported is not None
    assert 0 < gpu.memory.reserved_bytes <= reported.images_bytes
