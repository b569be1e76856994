"""Dual-head PET from file to volume, compared with the dense matrix, and refused runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from engine.core.backend import Backend, cpu
from engine.core.errors import EngineError
from engine.core.paths import cache_dir
from engine.data.histogram import Histogram
from engine.data.histogram import with_settings as with_settings_of
from engine.data.response import ResponseMatrix
from engine.data.runs.events import (
    Corrected,
    Finished,
    Loaded,
    Measured,
    Planned,
    Preview,
    StageStarted,
    Warned,
)
from engine.data.volume import Volume
from engine.geometry.scanner import pair_product
from engine.io import read_scanner, write_histogram
from engine.io.hdf5.response import write_response
from engine.jobs.checkpoint import Job, keep
from engine.jobs.reconstruction import run
from engine.modalities.dual_head_pet import response_cache
from engine.modalities.dual_head_pet.flow import NO_SCATTER, UNBOUNDED
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.studies import Study, find_protocol, read_study, write_study
from engine.operators.matrix.projector import MatrixProjector
from engine.protocols.run_context.context import Resume
from engine.protocols.study.assignments import with_settings
from engine.simulate.histogram import simulate_histogram
from engine.simulate.phantoms import point
from tests.engine.modalities.dual_head_pet.response.unfolding import dense

ON = cpu(2)
FAST = AnalyticResponse(n_points=512, scatter=False)
SETTINGS = (
    "response.n_points=512",
    "response.scatter=false",
    "algorithm.iterations=3",
    "algorithm.subsets=1",
)
STAGES = ["read", "response", "kernels", "correct", "sensitivity", "reconstruct", "finish"]


@pytest.fixture(scope="module")
def response() -> ResponseMatrix:
    return build_analytic(read_scanner("test-panels"), FAST)


@pytest.fixture(scope="module")
def scan(response: ResponseMatrix) -> Histogram:
    """Return a scan of a hot ball with different crystals (one dead), randoms and delayeds."""
    efficiencies = np.random.default_rng(3).uniform(0.5, 1, response.scanner.n_crystals)
    efficiencies[5] = 0
    return simulate_histogram(
        point(1.0, 0.5, -1.0, diameter_mm=3.0), response, n_prompts=40_000, seed=2, on=ON,
        randoms_fraction=0.3, efficiencies=efficiencies,
    )  # fmt: skip


@pytest.fixture
def path(scan: Histogram, tmp_path: Path) -> Path:
    write_histogram(scan, tmp_path / "scan.h5")
    return tmp_path / "scan.h5"


def study(path: Path, *settings: str, **files: Any) -> Study:
    protocol = with_settings(DualHeadProtocol(), (*SETTINGS, *settings))
    return Study(data=path, protocol=protocol, **files)


def image(study: Study) -> Volume:
    *_, last = run(study, on=ON)
    assert isinstance(last, Finished)
    return last.volume


def by_hand(scan: Histogram, response: ResponseMatrix, n: int) -> np.ndarray:
    """Return MLEM with the dense matrix, starting from a uniform image with the measured counts."""
    lors = scan.scanner.lors(np.arange(scan.scanner.n_lors))
    factors = pair_product(scan.efficiencies.astype(float), lors)
    first, second = (np.zeros(scan.scanner.n_crystals) for _ in range(2))
    np.add.at(first, lors[:, 0], scan.delayeds)
    np.add.at(second, lors[:, 1], scan.delayeds)
    randoms = first[lors[:, 0]] * second[lors[:, 1]] / scan.delayeds.sum()
    matrix = factors[:, None] * dense(response).reshape(len(lors), -1).astype(float)
    live, shape = factors > 0, response.scanner.grid.shape
    x = np.full(matrix.shape[1], (scan.prompts.sum() - randoms.sum()) / matrix.sum())
    for _ in range(n):
        ratio = np.zeros(len(lors))
        expected = matrix @ x + randoms
        ratio[live] = scan.prompts[live] / expected[live]
        x = x * (matrix.T @ ratio) / matrix.sum(axis=0)
    # Scale the image to the maximum of the likelihood: the root of its derivative along x.
    p, y, b = (matrix @ x)[live], scan.prompts[live], randoms[live]
    scale = brentq(lambda a: np.sum(y * p / (a * p + b)) - p.sum(), 0.01, 100)
    return scale * x.reshape(shape)


def test_run_equals_mlem_with_the_dense_matrix(
    path: Path, scan: Histogram, response: ResponseMatrix
) -> None:
    expected = by_hand(scan, response, 3)
    np.testing.assert_allclose(image(study(path)).values, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("n_prompts", [20, 500, 20_000])
@pytest.mark.parametrize("name", ["dual-head", "dual-head-fine"])
def test_shipped_protocols_preserve_the_counts(
    response: ResponseMatrix, tmp_path: Path, name: str, n_prompts: int
) -> None:
    """Σ s f = N without a background, by the dense matrix. Few counts use fewer subsets."""
    hot = point(1.0, 0.5, -1.0, diameter_mm=3.0)
    data = simulate_histogram(hot, response, n_prompts=n_prompts, seed=4, on=ON)
    write_histogram(data, tmp_path / "scan.h5")
    settings = (*SETTINGS[:2], "algorithm.updates=48", "finishing=[]", "support.kind=everywhere")
    protocol = with_settings(find_protocol(name), settings)
    *events, last = run(Study(data=tmp_path / "scan.h5", protocol=protocol), on=ON)
    assert isinstance(last, Finished)
    p = dense(response).reshape(data.scanner.n_lors, -1) @ last.volume.values.ravel()
    assert p.sum() == pytest.approx(data.n_prompts, rel=0.01)
    subsets = {e.subsets for e in events if isinstance(e, Preview)}
    enough = data.scanner.settings.n_rows * data.scanner.settings.n_columns * 8
    assert max(subsets) == max(d for d in (1, 2, 3, 4, 6, 8) if d == 1 or n_prompts >= d * enough)


def test_subsets_of_the_same_scan_agree(path: Path) -> None:
    whole = image(study(path, "algorithm.iterations=16")).values
    subsets = image(study(path, "algorithm.iterations=4", "algorithm.subsets=4")).values
    assert np.corrcoef(whole.ravel(), subsets.ravel())[0, 1] > 0.97


def test_point_is_at_its_position_with_its_decays(path: Path, scan: Histogram) -> None:
    volume = image(study(path, "algorithm.iterations=40"))
    assert volume.unit == "decays"
    z, y, x = (volume.grid.centres_mm(axis) for axis in (2, 1, 0))
    away = np.stack(np.meshgrid(z + 1.0, y - 0.5, x - 1.0, indexing="ij"))
    near = np.linalg.norm(away, axis=0) < 4
    inside = volume.values[near].astype(float)
    np.testing.assert_allclose(away[:, near] @ inside / inside.sum(), 0, atol=0.2)
    truth = point(1.0, 0.5, -1.0, diameter_mm=3.0).rasterise(volume.grid).values.sum()
    assert inside.sum() == pytest.approx(scan.info["decays_per_activity"] * truth, rel=0.03)


def test_each_randoms_method_explains_the_counts(
    path: Path, scan: Histogram, response: ResponseMatrix
) -> None:
    """After an MLEM update, image and background explain all measured counts."""
    lors = scan.scanner.lors(np.arange(scan.scanner.n_lors))
    factors, A = pair_product(scan.efficiencies, lors), MatrixProjector(response, on=ON)

    def explained(*settings: str) -> float:
        return float((factors * A(image(study(path, *settings)).values)).sum())

    net_counts = np.maximum(scan.prompts - scan.delayeds, 0).sum()
    subtracted = explained("corrections.randoms.method=subtract")
    assert subtracted == pytest.approx(net_counts, rel=1e-4)
    assert explained("corrections.randoms.use=off") == pytest.approx(scan.n_prompts, rel=1e-4)
    trues = scan.n_prompts - scan.n_delayeds
    modelled = explained("algorithm.iterations=100")
    assert modelled == pytest.approx(trues, rel=0.02)


def test_events_are_sent_in_order(path: Path, scan: Histogram) -> None:
    ticks: list[Any] = []
    events = list(run(study(path, "algorithm.subsets=2"), on=ON, on_progress=ticks.append))
    assert [e.stage for e in events if isinstance(e, StageStarted)] == STAGES
    assert [e.stage for e in events if isinstance(e, Measured)] == STAGES
    ledger = {e.kind: e.state for e in events if isinstance(e, Corrected)}
    assert ledger == {
        "normalisation": "applied",
        "attenuation": "unavailable",
        "randoms": "applied",
        "scatter": "unavailable",
        "total": "applied",
    }
    assert sum(isinstance(e, Loaded) for e in events) == 1
    assert sum(isinstance(e, Planned) for e in events) == 1
    assert [e.text for e in events if isinstance(e, Warned)] == [NO_SCATTER, UNBOUNDED]
    previews = [e for e in events if isinstance(e, Preview)]
    assert [(e.iteration, e.subset) for e in previews] == [
        (i, k) for i in (1, 2, 3) for k in (1, 2)
    ]
    for stage in ("sensitivity", "reconstruct"):
        numerator = [t.done / t.total for t in ticks if t.stage == stage]
        assert numerator == sorted(numerator)
        assert 0 < numerator[0] < numerator[-1] == 1
    record = events[-1].provenance
    assert record["scan"]["response"].startswith("analytic")
    stages = {stage["key"] for stage in record["profile"]["stages"]}
    assert stages >= {"read", "response", "correct", "forward", "back"}


def test_counts_on_dead_lines_are_left_out_and_reported(path: Path, scan: Histogram) -> None:
    right = image(study(path)).values
    lors = scan.scanner.lors(np.arange(scan.scanner.n_lors))
    prompts = scan.prompts.copy()
    prompts[np.flatnonzero(lors[:, 0] == 5)[:7]] += 1
    write_histogram(replace(scan, prompts=prompts), path)
    events = list(run(study(path), on=ON))
    notes = [event.text for event in events if isinstance(event, Warned)]
    assert notes == [
        NO_SCATTER,
        "7 prompts on lines with a detection factor of 0 are not used.",
        UNBOUNDED,
    ]
    np.testing.assert_array_equal(events[-1].volume.values, right)


def test_resumed_run_gives_the_same_bits(path: Path) -> None:
    one = study(path, "algorithm.subsets=4")
    whole = list(run(one, on=ON))
    previews = [e for e in whole if isinstance(e, Preview)]
    at = previews[5]
    resumed = list(run(one, on=ON, resume=Resume(at.volume.values, at.update, at.history)))
    np.testing.assert_array_equal(resumed[-1].volume.values, whole[-1].volume.values)
    message, expected = (events[-1].provenance["log_likelihoods"] for events in (resumed, whole))
    assert message == expected


@pytest.mark.parametrize("subsets", [1, 3])
def test_gpu_gives_the_same_image(path: Path, on_gpu: Backend, subsets: int) -> None:
    one = study(path, f"algorithm.subsets={subsets}")
    *_, last = run(one, on=on_gpu)
    assert isinstance(last, Finished)
    expected = image(one).values
    np.testing.assert_allclose(last.volume.values, expected, rtol=1e-3, atol=1e-4 * expected.max())


def test_job_continues_with_its_study(path: Path, response: ResponseMatrix, tmp_path: Path) -> None:
    write_response(response, tmp_path / "r.h5")
    job = Job.create(study(path, response=tmp_path / "r.h5"), tmp_path / "job")
    for event in keep(run(job.study, on=ON), job):
        if isinstance(event, Preview) and event.iteration == 2:
            break
    assert job.study.inputs["response"] == tmp_path / "r.h5"
    assert job.latest().done == 2


def test_stored_response_gives_the_same_image(
    path: Path, response: ResponseMatrix, tmp_path: Path
) -> None:
    write_response(response, tmp_path / "r.h5")
    named = image(study(path, response=tmp_path / "r.h5", identified=True))
    np.testing.assert_array_equal(named.values, image(study(path)).values)
    assert named.info["inputs"]["response"]["name"] == "r.h5"
    assert "--response r.h5" in named.info["replay"]


def test_response_is_computed_once_and_resumed_when_interrupted(path: Path) -> None:
    one = study(path, "response.seed=77")
    cache_file = response_cache.path_of(
        cache_dir() / "response", read_scanner("test-panels"), one.protocol.response
    )

    class StopError(Exception):
        pass

    def stop(on_progress: Any) -> None:
        if on_progress.stage == "response" and on_progress.done:
            raise StopError

    with pytest.raises(StopError):
        list(run(one, on=ON, on_progress=stop))
    assert not cache_file.exists()
    assert list(cache_file.parent.glob(f"{cache_file.name}.parts/*.npz"))
    cached = [
        event.figures["from_cache"]
        for _ in range(2)
        for event in run(one, on=ON)
        if isinstance(event, Measured) and event.stage == "response"
    ]
    assert cached == [False, True]
    cache_file.write_bytes(cache_file.read_bytes()[:-500])
    assert (
        response_cache.find(cache_file.parent, read_scanner("test-panels"), one.protocol.response)
        is None
    )


def test_other_voxel_size_preserves_the_symmetry(path: Path) -> None:
    volume = image(study(path, "grid.voxel_mm=[1.2, 2.0, 1.2]"))
    assert volume.grid.voxel_mm == (1.2, 2.0, 1.2)
    assert volume.grid.shape == (12, 5, 8)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            ("grid.voxel_mm=[0.7, 1.0, 0.7]",),
            "0.7 mm along x .* do not match the crystal pitch of 2.4 mm",
        ),
        (("grid.voxel_mm=[0.6, 1.0, 1.2]",), "do not match the crystal pitch"),
        (("grid.depth_mm=13.0",), "13 planes of 1 mm do not fit between the panels"),
    ],
)
def test_unsuitable_image_grid_is_refused(
    path: Path, settings: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(EngineError, match=sentence):
        image(study(path, *settings))


def test_unsuitable_inputs_are_refused(
    path: Path, scan: Histogram, response: ResponseMatrix, tmp_path: Path
) -> None:
    other = with_settings_of(read_scanner("test-panels"), separation_mm=13.0)
    write_response(build_analytic(other, AnalyticResponse(n_points=256)), tmp_path / "other.h5")
    with pytest.raises(EngineError, match=r"matrix is for 'Test panels'.* 13 mm apart.* 12 mm"):
        image(study(path, response=tmp_path / "other.h5"))
    write_response(response, tmp_path / "r.h5")
    with pytest.raises(
        EngineError, match=r"r\.h5: the image grid of the matrix .* compute a new matrix"
    ):
        image(study(path, "grid.voxel_mm=[1.2, 1.0, 1.2]", response=tmp_path / "r.h5"))
    write_histogram(replace(scan, prompts=np.zeros_like(scan.prompts)), tmp_path / "empty.h5")
    with pytest.raises(
        EngineError, match=r"empty\.h5: the scan has no counts on any line of response"
    ):
        image(study(tmp_path / "empty.h5"))
    with pytest.raises(EngineError, match=r"this file does not exist"):
        image(study(path, response=tmp_path / "absent.h5"))


def test_study_file_names_its_response(path: Path, tmp_path: Path) -> None:
    one = study(path, response=tmp_path / "r.h5")
    write_study(one, tmp_path / "study.toml")
    assert read_study(tmp_path / "study.toml") == one


def test_shipped_protocols_fit_the_demo_panels() -> None:
    for name in ("dual-head", "dual-head-fine"):
        protocol = find_protocol(name)
        assert isinstance(protocol, DualHeadProtocol)
        assert protocol.grid.grid_for(read_scanner("demo-panels")).shape == (96, 119, 64)
