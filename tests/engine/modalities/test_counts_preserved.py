"""Runs of 20 counts and more preserve all counts, for every shipped protocol.

The expected counts of an image are sums over points along each line, at steps of 1 mm, in the
nearest voxel. They share no code with the engine's rays and are within 0.5 % of exact lengths.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.core.backend import cpu
from engine.data.listmode import ListMode
from engine.data.runs.events import Corrected, Event, Finished, Preview, Warned
from engine.data.sinogram import binned
from engine.data.timing.triggers import Triggers
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import write_listmode
from engine.io.interfile.sinogram_writer import write_sinogram
from engine.jobs.reconstruction import run
from engine.live.core.frame import Ended
from engine.live.pet.session import LivePetSession
from engine.live.pet.settings import LivePetSettings
from engine.live.pet.updates import LivePetChoices
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.studies import Study, find_protocol
from engine.protocols.study.assignments import with_settings
from engine.protocols.study.protocol import Protocol
from engine.recon.algorithms import Osem
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Cylinder
from tests.engine.live.pet.running_events import Scanner

STEP_MM, ON = 1.0, cpu(2)
RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=4, n_crystals_per_ring=96, radius_mm=80, ring_pitch_mm=6,
        max_ring_difference=3, n_tangential=60, voxel_mm=(6, 6, 6), fov_mm=(108, 24),
    )
)  # fmt: skip
RODS = ShapePhantom(
    "rods",
    (
        Cylinder((0.0, 0.0, 0.0), (30.0, 30.0, 12.0), activity=1.0),
        Cylinder((12.0, 8.0, 0.0), (5.0, 5.0, 12.0), activity=9.0),
    ),
)
OSEM_ONLY = (
    *("finishing=[]", "grid.voxel_mm=[6, 6, 6]", "grid.diameter_mm=108", "grid.length_mm=24"),
    *("corrections.line_geometry.use=off", "corrections.resolution.use=off"),
    *("corrections.attenuation.use=off", "sensitivity.method=exact"),
)
AS_MLEM = ("algorithm.kind=mlem", "algorithm.iterations=48")
"""The same number of updates, because the unweighted sum of voxels grows with noise."""
BINS = ("finishing=[]", *OSEM_ONLY[1:4], "corrections.line_geometry.use=off")


@cache
def rods(n: int, randoms: float = 0.0) -> ListMode:
    data = simulate_listmode(
        RODS, RING, n_prompts=n, seed=7, randoms_fraction=randoms, attenuation=False, duration_s=3
    )
    return replace(data, mu_map=None)


@cache
def lines() -> NDArray[Any]:
    pairs = RING.lors(np.arange(RING.n_lors))
    return np.asarray(pairs[RING.in_coincidence(pairs)])


@cache
def voxels_on_lines(grid: ImageGrid) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return (n, m) flat voxels of points along all lines, and the length [mm] of each, or 0."""
    a, b = (RING.positions_mm[lines()[:, k]] for k in (0, 1))
    n = round(2 * RING.settings.radius_mm / STEP_MM)
    t = (np.arange(n) + 0.5) / n
    lower = np.asarray(grid.centre_mm) - np.asarray(grid.size_mm) / 2
    points = a[:, None] + t[:, None] * (b - a)[:, None]
    index = np.floor((points - lower) / grid.voxel_mm).astype(np.int32)
    inside = ((index >= 0) & (index < np.array(grid.shape[::-1]))).all(axis=2)
    x, y, z = np.where(inside[..., None], index, 0).transpose(2, 0, 1)
    lengths = inside * (np.linalg.norm(b - a, axis=1)[:, None] / n)
    return np.ravel_multi_index((z, y, x), grid.shape), lengths


def integrals(volume: Volume) -> NDArray[np.float64]:
    """Return (n,) integrals of an image along all lines [counts]."""
    voxels, lengths = voxels_on_lines(volume.grid)
    return np.einsum("ij,ij->i", volume.values.ravel()[voxels], lengths)


def counts_of(data: ListMode) -> NDArray[Any]:
    """Return (n,) prompts of each line."""
    numbers = lines() @ [RING.n_crystals, 1]
    order = np.argsort(numbers)
    pairs = np.asarray(data.prompts.crystals)
    place = order[np.searchsorted(numbers[order], pairs @ [RING.n_crystals, 1])]
    assert (lines()[place] == pairs).all()
    return np.bincount(place, minlength=len(numbers))


def run_of(folder: Path, data: ListMode, protocol: Protocol, *, sinogram: bool = False) -> Any:
    if sinogram:
        layout = SinogramLayout.of(RING)
        write_sinogram(binned(data, layout), folder / "scan.hs")
        path = folder / "scan.hs"
    else:
        path = folder / "scan.h5"
        write_listmode(data, path)
    events: list[Event] = list(run(Study(data=path, protocol=protocol), on=ON))
    assert isinstance(events[-1], Finished)
    return events[-1].volume, events


def check(volume: Volume, data: ListMode, randoms_per_line: float = 0.0) -> None:
    """Check Σ s f = Σ y (P f) / (P f + b) for the counts on lines that cross the image."""
    p, y = integrals(volume), counts_of(data)
    crossing = p > 0
    explained = np.sum((y * p)[crossing] / (p[crossing] + randoms_per_line))
    assert p.sum() == pytest.approx(explained, rel=0.01)
    if not randoms_per_line:
        # All simulated trues come from the rods, so every line crosses the image.
        assert p.sum() == pytest.approx(data.n_prompts, rel=0.01)


LISTMODE = ("whole-body", "brain-fdg", "small-animal", "demo", "research-reproducible")


@pytest.mark.essential
@pytest.mark.parametrize(
    ("name", "n"),
    [
        *[("whole-body", n) for n in (20, 300, 5_000, 60_000)],
        *[(name, 300) for name in LISTMODE[1:]],
        *[
            pytest.param(name, n, marks=pytest.mark.slow)
            for name in LISTMODE
            for n in (20, 100, 1_000, 3_000, 10_000, 100_000, 1_000_000)
        ],
    ],
)
def test_list_mode_preserves_all_counts(tmp_path: Path, name: str, n: int) -> None:
    data = rods(n)
    protocol = with_settings(find_protocol(name), OSEM_ONLY)
    volume, _ = run_of(tmp_path, data, protocol)
    check(volume, data)
    mlem = with_settings(protocol, AS_MLEM)
    other, _ = run_of(tmp_path, data, mlem)
    assert volume.values.sum() == pytest.approx(other.values.sum(), rel=0.03)


@pytest.mark.parametrize(
    "n", [300, 20_000, *[pytest.param(n, marks=pytest.mark.slow) for n in (20, 3_000, 1_000_000)]]
)
def test_list_mode_with_randoms_explains_its_expected_counts(tmp_path: Path, n: int) -> None:
    data = rods(n, 0.4)
    settings = (*OSEM_ONLY, "corrections.randoms.model='uniform'")
    protocol = with_settings(find_protocol("whole-body"), settings)
    volume, _ = run_of(tmp_path, data, protocol)
    check(volume, data, data.n_delayed / len(lines()))
    mlem = with_settings(protocol, AS_MLEM)
    other, _ = run_of(tmp_path, data, mlem)
    assert volume.values.sum() == pytest.approx(other.values.sum(), rel=0.03)


@pytest.mark.parametrize(
    "n",
    [20, 1_000, 50_000, *[pytest.param(n, marks=pytest.mark.slow) for n in (200, 10_000, 10**6)]],
)
def test_sinograms_preserve_all_counts(tmp_path: Path, n: int) -> None:
    data = rods(n)
    protocol = with_settings(find_protocol("sinograms"), BINS)
    volume, _ = run_of(tmp_path, data, protocol, sinogram=True)
    check(volume, data)
    mlem = with_settings(protocol, AS_MLEM)
    other, _ = run_of(tmp_path, data, mlem, sinogram=True)
    assert volume.values.sum() == pytest.approx(other.values.sum(), rel=0.03)


def test_frames_of_any_length_preserve_their_counts(tmp_path: Path) -> None:
    data = rods(20_000)
    protocol = with_settings(
        find_protocol("whole-body"), (*OSEM_ONLY, "frames='2x0.01,1x0.1,1x2.8'")
    )
    _, events = run_of(tmp_path, data, protocol)
    frames = [e for e in events if isinstance(e, Preview) and e.frame and e.ends_iteration]
    assert len(frames) == 4
    time_ms = np.asarray(data.time_ms)
    for each in frames:
        assert each.frame is not None
        in_frame = (time_ms >= each.frame.start_ms) & (time_ms < each.frame.end_ms)
        check(each.volume, data.select(in_frame))


def test_gates_preserve_their_counts(tmp_path: Path) -> None:
    """Each gate explains the counts of its part of all cycles, 739 to 771 here."""
    beats = Triggers.at("ecg", np.arange(0, 3001, 1000))
    data = replace(rods(3_000), triggers=(beats,))
    protocol = with_settings(find_protocol("whole-body"), (*OSEM_ONLY, "frames='gates=4'"))
    _, events = run_of(tmp_path, data, protocol)
    gates = [e for e in events if isinstance(e, Preview) and e.frame and e.ends_iteration]
    assert len(gates) == 4
    phase = np.asarray(data.time_ms) % 1000
    for gate, each in enumerate(gates):
        check(each.volume, data.select(phase // 250 == gate))


def test_live_images_of_few_counts_preserve_them() -> None:
    """A live image uses only as many subsets as its counts allow."""
    data = rods(300)
    choices = LivePetChoices(
        with_settings(find_protocol("whole-body"), OSEM_ONLY), LivePetSettings()
    )
    with LivePetSession(Scanner.of(data), choices, on=ON) as session:
        while not isinstance(session.take(20), Ended):
            pass
        update = session.newest
    assert update.image is not None
    assert update.statistics.image_events == data.n_prompts
    check(update.image, data)


def test_run_states_why_it_has_fewer_subsets(tmp_path: Path) -> None:
    protocol = with_settings(ListModeProtocol(), OSEM_ONLY)
    _, events = run_of(tmp_path, rods(100), protocol)
    (text,) = [e.text for e in events if isinstance(e, Corrected) and e.kind == "subsets"]
    assert "counts are too few for 8 subsets" in text
    few = [e.text for e in events if isinstance(e, Warned) and "counts are few" in e.text]
    assert len(few) == 1
    assert not [e for e in events if isinstance(e, Warned) and "cross no activity" in e.text]


def test_fixed_subsets_are_used_with_a_warning(tmp_path: Path) -> None:
    settings = (*OSEM_ONLY, "algorithm.subsets=10", "algorithm.iterations=2")
    volume, events = run_of(tmp_path, rods(300), with_settings(ListModeProtocol(), settings))
    assert max(e.subset for e in events if isinstance(e, Preview)) == 10
    assert [e for e in events if isinstance(e, Warned) and "10 subsets have 3" in e.text]
    check(volume, rods(300))


def test_events_outside_the_image_are_counted_correctly(tmp_path: Path) -> None:
    """The note about events that cross no activity must have the correct number."""
    data = rods(3_000, 0.5)
    settings = (*OSEM_ONLY, "grid.diameter_mm=60", "corrections.randoms.use=off")
    volume, events = run_of(tmp_path, data, with_settings(ListModeProtocol(), settings))
    (note,) = [e.text for e in events if isinstance(e, Warned) and "cross no activity" in e.text]
    crossing = integrals(Volume(np.ones_like(volume.values), volume.grid, "")) > 0
    missing = int(counts_of(data)[~crossing].sum())
    # Lines that only touch a corner can miss all points of the sum.
    assert int(note.split()[0].replace(",", "")) == pytest.approx(missing, abs=5)


def test_shipped_protocols_choose_subsets_from_the_counts() -> None:
    for name in (*LISTMODE, "sinograms", "dual-head", "dual-head-fine"):
        algorithm = find_protocol(name).algorithm
        assert isinstance(algorithm, Osem)
        assert (algorithm.subsets, algorithm.iterations) == (None, None), name
    assert isinstance(find_protocol("sinograms"), RingSinogramProtocol)
