"""Tests of panels with several crystal layers, from file to volume: separate and merged layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import engine
from engine.core.backend.devices import DeviceInfo, device_of
from engine.core.errors import EngineError, FileFormatError, GeometryError, ResourceError
from engine.corrections.histogram import LineNormalisation, LineRandoms
from engine.data.histogram import Histogram, histogrammed, merged, one_layer, with_settings
from engine.data.layered_response import LayeredResponse
from engine.data.runs.events import Corrected, Finished
from engine.geometry.dual_head import DualHead
from engine.geometry.panel_sums import crystal_sums, line_products
from engine.geometry.scanner import pair_product
from engine.io import write_histogram, write_listmode
from engine.io.hdf5.response import COLUMNS, read_response, read_response_scanner, write_response
from engine.jobs.reconstruction import run
from engine.modalities.dual_head_pet import model as dual_head_pet
from engine.modalities.dual_head_pet import response_cache
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.requirements import SMALLER_IN_LAYERS, estimate, work
from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.layered import build_layered
from engine.modalities.dual_head_pet.scatter_estimate import _weights
from engine.modalities.requirements import refuse_if_too_large
from engine.modalities.studies import Study
from engine.operators.matrix.layered import LayeredProjector
from engine.protocols.study.assignments import with_settings as with_choices
from engine.recon.algorithms import Mlem
from engine.recon.algorithms.driver import solve
from engine.simulate.histogram import simulate_histogram
from engine.simulate.phantoms import point
from tests.engine.geometry.panels import panels

ON = engine.cpu(1)
FAST = AnalyticResponse(n_points=512, scatter=False)
SETTINGS = (
    "response.n_points=512",
    "response.scatter=false",
    "algorithm.iterations=2",
    "algorithm.subsets=2",
)
PAIRS = "each of the 4 pairs of layers has its own lines and response"


def two(**changes: object) -> DualHead:
    return panels(n_layers=2, thickness_mm=12.0, **changes)


@pytest.fixture(scope="module")
def response() -> LayeredResponse:
    return build_layered(two(), FAST, threads=1)


@pytest.fixture(scope="module")
def scan(response: LayeredResponse) -> Histogram:
    """Return a scan of a hot ball with different crystals, randoms and delayeds."""
    efficiencies = np.random.default_rng(3).uniform(0.5, 1, response.scanner.n_crystals)
    return simulate_histogram(
        point(0.5, 1.0, -1.0, diameter_mm=3.0), response, n_prompts=30_000, seed=2, on=ON,
        randoms_fraction=0.2, efficiencies=efficiencies,
    )  # fmt: skip


def finished(path: Path, *settings: str, **files: Any) -> tuple[Finished, dict[str, str]]:
    """Return the last event of a run, and its ledger."""
    protocol = with_choices(DualHeadProtocol(), (*SETTINGS, *settings))
    events = list(run(Study(data=path, protocol=protocol, **files), on=ON))
    assert isinstance(events[-1], Finished)
    return events[-1], {e.kind: e.text for e in events if isinstance(e, Corrected)}


def test_response_of_layers_is_restored_from_its_file(
    response: LayeredResponse, tmp_path: Path
) -> None:
    write_response(response, tmp_path / "two.h5")
    found = read_response(tmp_path / "two.h5", two())
    assert isinstance(found, LayeredResponse)
    for pair, matrix in response.matrices.items():
        for name in COLUMNS:
            np.testing.assert_array_equal(
                getattr(found.matrices[pair], name), getattr(matrix, name)
            )
    assert found.scanner.settings == response.scanner.settings
    assert (found.info, found.n_nonzero) == (response.info, response.n_nonzero)
    assert read_response_scanner(tmp_path / "two.h5").settings == response.scanner.settings
    with pytest.raises(GeometryError, match="the matrix is for"):
        read_response(tmp_path / "two.h5", one_layer(two()))


def changed(name: str) -> Callable[[h5py.File], None]:
    """Return a function that overwrites the first value of a dataset."""

    def act(file: h5py.File) -> None:
        file[name][0] = 1 - file[name][0]

    return act


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (changed("response/0-1/values"), "values' has changed"),
        (changed("response/1-1/places"), "places' has changed"),
        (lambda file: file.move("response/0-1", "response/1-0"), "has changed"),
    ],
)
def test_damage_in_any_pair_of_layers_is_refused(
    response: LayeredResponse, tmp_path: Path, damage: Callable[[h5py.File], None], sentence: str
) -> None:
    write_response(response, tmp_path / "two.h5")
    with h5py.File(tmp_path / "two.h5", "r+") as file:
        damage(file)
    with pytest.raises(FileFormatError, match=sentence):
        read_response(tmp_path / "two.h5")


@pytest.mark.slow
def test_run_with_separate_layers_equals_the_projector(
    scan: Histogram, response: LayeredResponse, tmp_path: Path
) -> None:
    write_histogram(scan, tmp_path / "scan.h5")
    end, ledger = finished(tmp_path / "scan.h5", "algorithm.subsets=1")
    assert ledger["layers"] == PAIRS
    assert end.provenance["scan"]["response"].startswith("analytic of 2 layers")
    data = LineNormalisation().apply(scan, on=ON)
    data = LineRandoms().apply(data, on=ON)
    model = dual_head_pet.build(data, response, n_subsets=1, on=ON)
    start = dual_head_pet.uniform_start(data, response)
    *_, last = solve(Mlem(iterations=2), model, start)
    expected, _ = Mlem(iterations=2).completed(model, last.image)
    np.testing.assert_allclose(end.volume.values, expected, rtol=1e-4, atol=1e-6)


def test_uniform_start_explains_the_counts(scan: Histogram, response: LayeredResponse) -> None:
    factors = pair_product(scan.efficiencies, scan.scanner.lors(np.arange(scan.scanner.n_lors)))
    data = replace(scan, factors=factors.astype(np.float32))
    start = dual_head_pet.uniform_start(data, response)
    # Lines at the image edge lose a part of their row, so the sum is not exact.
    expected = factors * LayeredProjector(response, on=ON)(start)
    assert expected.sum() == pytest.approx(scan.n_prompts, rel=0.02)


@pytest.mark.slow
def test_events_are_counted_per_layer_or_merged(rng: np.random.Generator, tmp_path: Path) -> None:
    scanner = two()
    lines = rng.integers(0, scanner.n_lors, 3_000)
    events = engine.ListMode(scanner, scanner.lors(lines))
    separate = histogrammed(events)
    np.testing.assert_array_equal(separate.prompts, np.bincount(lines, minlength=scanner.n_lors))
    combined = histogrammed(events, merge_layers=True)
    np.testing.assert_array_equal(merged(separate).prompts, combined.prompts)
    assert merged(combined) is combined
    write_listmode(events, tmp_path / "events.h5")
    write_histogram(separate, tmp_path / "apart.h5")
    write_histogram(combined, tmp_path / "together.h5")
    files = ("events", "apart")
    one, other = (finished(tmp_path / f"{name}.h5")[0].volume.values for name in files)
    np.testing.assert_array_equal(one, other)
    merging = "layers.use=together"
    found = [finished(tmp_path / f"{name}.h5", merging) for name in (*files, "together")]
    for end, _ in found[:2]:
        np.testing.assert_array_equal(end.volume.values, found[2][0].volume.values)
    assert "the protocol combines all 2 layers" in found[0][1]["layers"]
    assert "layers" not in found[2][1]
    assert np.abs(one - found[0][0].volume.values).max() > 0.01 * one.max()


def test_response_of_one_layer_merges_the_layers(scan: Histogram, tmp_path: Path) -> None:
    write_histogram(scan, tmp_path / "scan.h5")
    write_response(build_analytic(one_layer(two()), FAST, threads=1), tmp_path / "one.h5")
    end, ledger = finished(tmp_path / "scan.h5", inputs={"response": tmp_path / "one.h5"})
    assert "because the response matrix has one layer" in ledger["layers"]
    other, _ = finished(tmp_path / "scan.h5", "layers.use=together")
    np.testing.assert_allclose(end.volume.values, other.volume.values, rtol=1e-5)


def test_merging_averages_the_efficiencies_of_lines_and_crystals(scan: Histogram) -> None:
    """Equal lines and crystals of all layers stay equal when layers are merged."""
    flat = replace(
        scan,
        normalisation=np.full(scan.scanner.n_lors, 0.7, np.float32),
        efficiencies=np.full(scan.scanner.n_crystals, 0.3, np.float32),
        additive=np.ones(scan.scanner.n_lors, np.float32),
    )
    found = merged(flat)
    np.testing.assert_allclose(found.normalisation, 0.7, rtol=1e-6)
    np.testing.assert_allclose(found.efficiencies, 0.3, rtol=1e-6)
    np.testing.assert_array_equal(found.additive, 4)
    assert (found.n_prompts, found.n_delayeds) == (scan.n_prompts, scan.n_delayeds)
    with pytest.raises(GeometryError, match="the corrections have been prepared for single"):
        merged(flat.with_background(np.ones(scan.scanner.n_lors, np.float32)))


def test_randoms_have_a_rate_for_each_crystal_of_each_layer(scan: Histogram) -> None:
    lors = scan.scanner.lors(np.arange(scan.scanner.n_lors))
    first, second = (
        np.bincount(lors[:, k], scan.delayeds, scan.scanner.n_crystals) for k in (0, 1)
    )
    expected = first[lors[:, 0]] * second[lors[:, 1]] / scan.n_delayeds
    found = LineRandoms().apply(scan, on=ON).background
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    few = replace(
        scan, delayeds=np.where(np.arange(len(expected)) % 50, np.float32(0), np.float32(1))
    )
    assert "one rate for each layer of a panel" in LineRandoms().summary(few, few)
    rates = LineRandoms().apply(few, on=ON).background.reshape(4, -1)
    assert (rates == rates[:, :1]).all() and rates.sum() == pytest.approx(few.n_delayeds, rel=1e-5)


def test_line_efficiency_is_the_product_of_its_crystals(rng: np.random.Generator) -> None:
    scanner = two()
    values = rng.random(scanner.n_crystals)
    lors = scanner.lors(np.arange(scanner.n_lors))
    np.testing.assert_allclose(
        line_products(scanner, values), pair_product(values, lors), rtol=1e-6
    )
    y = rng.random(scanner.n_lors)
    expected = np.bincount(lors.ravel(), np.repeat(y, 2))
    np.testing.assert_allclose(crystal_sums(scanner, y), expected)


def test_scatter_is_divided_between_layers_like_trues(response: LayeredResponse) -> None:
    """Scatter follows the expected counts of a uniform image, divided by its line lengths."""
    found = _weights(response, None).reshape(4, -1)
    thick = _weights(build_analytic(one_layer(two()), FAST, threads=1), None)
    straight = int(response.scanner.orientations.numbers(*np.array([2, 1, 2, 1])))
    whole = response.scanner.settings.n_planes
    sums = dual_head_pet.sums_of_rows(response).reshape(4, -1)
    i = response.scanner.orientations.index(0, 0)
    np.testing.assert_allclose(found[:, straight], sums[:, i] / whole, rtol=1e-5)
    np.testing.assert_allclose(found.sum(axis=0), thick, rtol=0.1)
    assert found[0, straight] > found[1, straight] > found[3, straight]


def test_response_of_layers_is_cached_and_found(tmp_path: Path) -> None:
    few = AnalyticResponse(n_points=256, scatter=False)
    ticks: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        ticks.append((done, total))

    build = response_cache.build(tmp_path, two(), few, threads=1, on_progress=stop)
    found = response_cache.find(tmp_path, two(), few)
    assert isinstance(found, LayeredResponse)
    assert found.n_nonzero == build.n_nonzero and ticks[-1][0] == ticks[-1][1]
    assert response_cache.find(tmp_path, one_layer(two()), few) is None


def test_layers_take_more_memory_and_time_and_the_remedy_is_stated() -> None:
    scanner = with_settings(engine.read_scanner("dhapet"), n_layers=2)
    separate, combined = (
        estimate(with_choices(DualHeadProtocol(), ()), s, on=device_of(ON))
        for s in (scanner, one_layer(scanner))
    )
    assert 2.5 < separate.memory_bytes / combined.memory_bytes < 5
    assert 3 < separate.seconds / combined.seconds < 9
    card = DeviceInfo("cuda", "a card", 8 << 30, 8 << 30, threads=1)
    on_card = estimate(DualHeadProtocol(), scanner, on=card)
    # lines and images stay in host memory
    assert on_card.memory_bytes > 0.9 * separate.memory_bytes
    little = replace(separate, free_bytes=combined.memory_bytes)
    with pytest.raises(ResourceError, match="You can also combine all crystal layers"):
        refuse_if_too_large(little, scanner.grid, SMALLER_IN_LAYERS)


@pytest.mark.slow
def test_size_is_near_that_of_a_real_response() -> None:
    scanner = with_settings(
        engine.read_scanner("test-panels"), n_rows=12, n_layers=2, block_crystals=8
    )
    settings = AnalyticResponse(n_points=1 << 14)
    found = build_layered(scanner, settings, threads=1)
    assert work(scanner, settings).n_stored == pytest.approx(found.n_nonzero, rel=0.45)


def test_older_protocols_merge_the_layers() -> None:
    assert DualHeadProtocol.model_validate({"version": 3}).layers.use == "together"
    assert DualHeadProtocol().layers.use == "apart"


def test_scan_of_one_layer_refuses_the_response_of_two(
    scan: Histogram, response: LayeredResponse, tmp_path: Path
) -> None:
    write_histogram(merged(scan), tmp_path / "one.h5")
    write_response(response, tmp_path / "two.h5")
    with pytest.raises(
        EngineError, match=r"the scan is from .*Scanner of the matrix: .* in 2 layers"
    ):
        finished(tmp_path / "one.h5", inputs={"response": tmp_path / "two.h5"})
