"""Algorithms written as formulas give the images of the built-in ones, as briefly and as fast."""

from __future__ import annotations

import ast
import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from engine import GaussianBlur, ImageGrid, ListMode, PointSpreadBlur
from engine.algorithms import Algorithm, Mlem, Osem, solve
from engine.data.volume import Volume
from engine.recon.model import BlurredModel, Model

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "13_algorithms_as_formulas.py"
MAX_LINES = 15
EQUAL = 1e-6
"""Largest difference relative to the maximum; float32 has a precision of 6e-8."""
IN_TWO_PASSES = 3e-6
"""Return the same with two passes, which add in another order."""
OFF = {
    name: {"use": "off"}
    for name in (
        "attenuation",
        "normalisation",
        "line_geometry",
        "randoms",
        "scatter",
        "resolution",
    )
}
ITERATIONS, SUBSETS = 4, 6
SLOWEST = 1.5
"""Processor time relative to the built-in algorithm."""


def loaded() -> ModuleType:
    """Return the example as a module."""
    spec = importlib.util.spec_from_file_location("algorithms_as_formulas", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


EX = loaded()


def scan_of(n_prompts: float, randoms_fraction: float = 0.0) -> ListMode:
    """Return a simulated scan of a cylinder, with TOF."""
    ring = engine.read_scanner("demo-ring")
    head = engine.phantoms.uniform_cylinder(diameter_mm=160, length_mm=80)
    return engine.simulate_listmode(
        head, ring, n_prompts=n_prompts, randoms_fraction=randoms_fraction, seed=1
    )


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> tuple[ListMode, Path]:
    """Return a scan in memory and in a file."""
    file = tmp_path_factory.mktemp("scan") / "scan.h5"
    engine.save(scan_of(20_000), file)
    found = engine.read(file)
    assert isinstance(found, ListMode)
    return found, file


def built_in(file: Path, *, on: tuple[str, ...] = (), **settings: Any) -> Volume:
    """Return the image of a run with only some corrections."""
    corrections = {**OFF, **{name: {"use": "on"} for name in on}}
    corrections |= settings.pop("corrections", {})
    grid = {"voxel_mm": (6, 6, 6), "diameter_mm": 240, "length_mm": 120}
    protocol = engine.ListModeProtocol(
        grid=grid,
        **{"corrections": corrections, "finishing": (), "time_of_flight": False} | settings,
    )
    return engine.reconstruct(engine.Study(data=file, protocol=protocol), on=EX.ON)


MLEM = {"kind": "mlem", "iterations": ITERATIONS}
OSEM = {"kind": "osem", "iterations": ITERATIONS, "subsets": SUBSETS}


def assert_equal(found: np.ndarray, volume: Volume, most: float = EQUAL) -> None:
    assert volume.values.max() > 0
    assert abs(found - volume.values).max() <= most * volume.values.max()


def test_mlem_formula_equals_the_built_in_algorithm(scan: tuple[ListMode, Path]) -> None:
    image = built_in(scan[1], algorithm=MLEM)
    A, b, s = EX.model_of(EX.without_tof(scan[0]), image.grid)
    assert_equal(EX.mlem(A, b, s, ITERATIONS), image)
    assert_equal(EX.mlem_in_two_passes(A, b, s, ITERATIONS), image, IN_TWO_PASSES)


def test_osem_formula_equals_the_built_in_algorithm(scan: tuple[ListMode, Path]) -> None:
    image = built_in(scan[1], algorithm=OSEM)
    A, b, s = EX.model_of(EX.without_tof(scan[0]), image.grid)
    assert_equal(EX.osem(A, b, s, ITERATIONS, SUBSETS), image)


def test_formula_with_time_of_flight_equals_the_built_in_algorithm(
    scan: tuple[ListMode, Path],
) -> None:
    image = built_in(scan[1], algorithm=MLEM, time_of_flight=True)
    assert_equal(EX.mlem(*EX.model_of(scan[0], image.grid), ITERATIONS), image)


def test_formula_with_attenuation_equals_the_built_in_algorithm(
    scan: tuple[ListMode, Path],
) -> None:
    image = built_in(scan[1], algorithm=MLEM, on=("attenuation",))
    A, b, s = EX.model_of(EX.attenuated(EX.without_tof(scan[0])), image.grid)
    assert_equal(EX.mlem(A, b, s, ITERATIONS), image)


def test_formula_with_filters_equals_the_built_in_algorithm(scan: tuple[ListMode, Path]) -> None:
    filters = ({"kind": "median"},), ({"kind": "gaussian", "fwhm_mm": 9},)
    image = built_in(scan[1], algorithm=MLEM, between=filters[0], finishing=filters[1])
    A, b, s = EX.model_of(EX.without_tof(scan[0]), image.grid)
    median, G = engine.filters.Median(), GaussianBlur(9.0, image.grid)
    found = EX.mlem_with_filter(A, b, s, ITERATIONS, lambda x: median.apply(x, (6, 6, 6)))
    assert_equal(G @ found, image)


def test_formula_with_resolution_equals_the_built_in_algorithm(scan: tuple[ListMode, Path]) -> None:
    resolution = {"resolution": {"use": "on", "fwhm_mm": 8.0}}
    image = built_in(scan[1], algorithm=MLEM, corrections=resolution)
    A, b, s = EX.model_of(EX.without_tof(scan[0]), image.grid)
    K = PointSpreadBlur(8.0, image.grid)
    assert_equal(EX.mlem_with_resolution(A, K, b, s, ITERATIONS), image)


def test_formula_with_all_extensions_equals_the_built_in_algorithm(
    scan: tuple[ListMode, Path],
) -> None:
    settings = {"between": ({"kind": "median"},), "time_of_flight": True}
    image = built_in(scan[1], algorithm=OSEM, on=("attenuation",), **settings)
    median = engine.filters.Median()
    found = EX.all_extensions(
        scan[0], image.grid, ITERATIONS, SUBSETS, lambda x: median.apply(x, (6, 6, 6))
    )
    assert_equal(found, image)


def test_formula_with_background_equals_the_built_in_algorithm() -> None:
    scan = engine.corrections.Randoms().apply(scan_of(20_000, 0.3), on=EX.ON)
    grid = ImageGrid(shape=(20, 40, 40), voxel_mm=(6.0, 6.0, 6.0))
    A, b, s = EX.model_of(scan, grid)
    assert b.min() > 0
    model = engine.ListModeModel(A, b, s)
    *_, last = solve(Mlem(iterations=ITERATIONS), model, EX.start(s, len(b)))
    found = EX.mlem(A, b, s, ITERATIONS)
    assert abs(found - last.image).max() <= EQUAL * last.image.max()
    without = EX.mlem(A, 0 * b, s, ITERATIONS)
    assert abs(without - last.image).max() > 0.01 * last.image.max()


def lines_of(function: ast.FunctionDef) -> int:
    """Return the number of lines of a function, without its docstring."""
    first = function.body[1] if ast.get_docstring(function) else function.body[0]
    assert function.end_lineno is not None
    # The signature takes several lines only because of its types.
    return 1 + function.end_lineno - first.lineno + 1


def test_each_algorithm_has_at_most_fifteen_lines() -> None:
    tree = ast.parse(EXAMPLE.read_text("utf-8"))
    lines = {each.name: lines_of(each) for each in tree.body if isinstance(each, ast.FunctionDef)}
    assert {"mlem", "osem", "mlem_with_filter", "mlem_with_resolution", "all_extensions"} < set(
        lines
    )
    assert {name: n for name, n in lines.items() if n > MAX_LINES} == {}


def seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def pairs(scan: ListMode, grid: ImageGrid) -> dict[str, tuple[Callable[[], object], ...]]:
    """Return a formula and the built-in algorithm, by name."""
    timed, plain = EX.model_of(scan, grid), EX.model_of(EX.without_tof(scan), grid)
    A, b, s = plain
    median, K = engine.filters.Median(), PointSpreadBlur(6.0, grid)
    x, n = EX.start(s, len(b)), 3

    def change(image: np.ndarray) -> np.ndarray:
        return median.apply(image, grid.voxel_mm)

    def run(algorithm: Algorithm, model: Model, **options: Any) -> list[Any]:
        return [step.fetch() for step in solve(algorithm, model, x, **options)]

    model, osem = engine.ListModeModel(A, b, s), Osem(iterations=n, subsets=SUBSETS)
    mlem, blurred = Mlem(iterations=n), BlurredModel.of(model, K)
    return {
        "mlem": (lambda: EX.mlem(A, b, s, n), lambda: run(mlem, model)),
        "osem": (lambda: EX.osem(A, b, s, n, SUBSETS), lambda: run(osem, model)),
        "time of flight": (
            lambda: EX.mlem(*timed, n),
            lambda: run(mlem, engine.ListModeModel(*timed)),
        ),
        "median": (
            lambda: EX.mlem_with_filter(A, b, s, n, change),
            lambda: run(mlem, model, between=change),
        ),
        "resolution": (
            lambda: EX.mlem_with_resolution(A, K, b, s, n),
            lambda: run(mlem, blurred),
        ),
        "two passes": (lambda: EX.mlem_in_two_passes(A, b, s, n), lambda: run(mlem, model)),
    }


def ratios() -> dict[str, float]:
    """Return the processor time of each formula relative to the built-in algorithm.

    Each is the least of several in one process: other work on the machine only adds time.
    """
    grid = ImageGrid(shape=(40, 80, 80), voxel_mm=(3.0, 3.0, 3.0))
    found = {}
    for name, (formula, built_in_one) in pairs(scan_of(300_000), grid).items():
        formula(), built_in_one()  # compiles
        each = [(seconds(formula), seconds(built_in_one)) for _ in range(5)]
        found[name] = min(ours for ours, _ in each) / min(theirs for _, theirs in each)
    return found


@pytest.mark.slow
def test_formulas_take_little_more_time_than_built_in_algorithms() -> None:
    found = ratios()
    assert {name: ratio for name, ratio in found.items() if ratio > SLOWEST} == {}
