from __future__ import annotations

import json
from itertools import count

import numpy as np
import pytest

from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.core.backend import Backend, cpu
from engine.core.errors import SettingsError
from engine.kernels.matrix.variants import MatrixVariant
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.operators.matrix.projector import MatrixProjector
from engine.tools.benchmark import published, report
from engine.tools.benchmark.dual_head import images, kernels, variants
from engine.tools.benchmark.dual_head import suite as dual_head
from engine.tools.benchmark.dual_head.panels import PanelWork, response_of
from engine.tools.benchmark.dual_head.parts import parts_of, run
from tests.emulator import EmulatedGpu
from tests.engine.geometry.panels import panels
from tests.engine.operators.random_response import dense, random_response

pytestmark = pytest.mark.slow

SMALL = panels(n_rows=4, n_columns=3, n_planes=3)


def work(n_sampled: int = 2, beyond: int = 0) -> PanelWork:
    return PanelWork(random_response(SMALL, beyond=beyond), 4, n_sampled)


def test_products_equal_the_nonzeros_of_the_unfolded_matrix():
    some = work()

    assert some.n_products_in_all == np.count_nonzero(dense(some.response))


def test_iteration_time_is_the_sum_of_its_subsets():
    part = dual_head.run([cpu(2)], work(4))

    for row in part["rows"]:
        assert row["iteration_s"] == pytest.approx(4 * row["subset_s"])
        assert row["products_per_s"] == pytest.approx(part["n_products"] / row["iteration_s"])
        assert row["is_estimate"] is False
    assert all(row["is_estimate"] for row in dual_head.run([cpu(2)], work(1))["rows"])


def test_iteration_time_scales_with_its_products(monkeypatch):
    """The clock advances by one second in every projection."""
    some, clock, busy = work(2), count(), count()
    monkeypatch.setattr(dual_head, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(dual_head, "process_time", lambda: next(busy) / 2)
    A, of_lines = MatrixProjector(some.response, on=cpu(1)), dense(some.response) > 0
    lines = np.concatenate(
        [A.lines(np.arange(A.out_shape[0]), A.members(k, some.n_subsets)) for k in range(2)]
    )
    longer = of_lines.sum() / of_lines[lines].sum()
    assert longer != pytest.approx(2, rel=0.02)
    for row in dual_head.run([cpu(2)], some)["rows"]:
        assert row["iteration_s"] == pytest.approx(2 * longer)
        assert row["cpu_s"] == pytest.approx(longer)


@pytest.mark.parametrize("beyond", [0, 3])
@pytest.mark.parametrize("repeated", [False, True])
def test_line_projection_equals_projection_by_correlation(beyond, repeated, rng):
    some = work(beyond=beyond)
    A, table = MatrixProjector(some.response, on=cpu(1)), SMALL.orientations
    everything = np.arange(len(table.offsets))
    lines = variants.lines_of(some, everything, 10**6, rng)
    lines = lines.repeated() if repeated else lines
    x, y = rng.random(A.in_shape, np.float32), rng.random(A.out_shape, np.float32)
    margin = some.response.margin * SMALL.settings.voxels_per_pitch
    inside = tuple(slice(m, m + n) for m, n in zip((margin, 0, margin), x.shape, strict=True))
    bordered = np.zeros(variants._bordered(some), np.float32)
    bordered[inside] = x
    found, image = np.zeros_like(y), np.zeros_like(bordered)

    n = len(lines.rows)
    variants.kernels.forward(0, n, *lines.arrays, bordered.ravel(), found)
    variants.kernels.back(0, n, *lines.arrays, y, image.ravel())

    np.testing.assert_allclose(found, A(x), rtol=1e-5)  # float32 sums of a hundred terms
    np.testing.assert_allclose(image[inside], A.T(y), rtol=1e-5, atol=1e-9)


def test_sampled_lines_are_neighbours_of_one_orientation(rng):
    lines = variants.lines_of(work(), np.array([0, 17]), 3, rng)
    some = SMALL.orientations.n_shifts[[0, 17]]

    assert np.bincount(lines.rows).tolist() == np.minimum(3, some).tolist()
    assert lines.n_products == np.diff(lines.row_starts)[lines.rows].sum()
    assert lines.repeated().n_products == lines.n_products


def test_every_form_is_measured_in_both_directions():
    part = variants.run(cpu(2), work(), repeats=1)

    forms = {(row["form"], row["case"]) for row in part["rows"]}
    assert len(forms) == len(part["rows"]) == 6
    assert part["unfolded_bytes"] == 8 * part["n_products"]


def test_published_iterations_have_72_subsets():
    for row in published.dual_head():
        assert row["iteration_s"] == pytest.approx(72 * row["subset_s"], rel=5e-3)


@pytest.mark.parametrize(
    ("name", "threads", "n_bars"), [("DHAPET", 2, 2), ("DHAPET", 1, 0), ("Test panels", 2, 0)]
)
def test_limits_apply_to_the_full_system_and_named_hardware(name, threads, n_bars):
    some = PanelWork(random_response(panels(name=name, n_rows=2, n_columns=2)), 1, 1)
    slow = {"device": "cpu", "iteration_s": 400.0, "peak_bytes": 9 * 2**30}

    bars = dual_head._bars(cpu(threads), some, [slow, slow])

    assert [bar.passed for bar in bars] == [False] * n_bars


def test_published_algorithms_give_our_projections(device: Backend):
    forms = (MatrixVariant(threads=32, run=2, staged=64, values="float"),)
    part = kernels.run(device, work(), repeats=1, forms=forms)

    assert [row["form"] for row in part["rows"][::2]] == [
        "Algorithm 1", "Algorithm 2", "Algorithm 3", "ours: 32 threads, 2 values each, float",
    ]  # fmt: skip
    assert all(row["difference"] < 1e-5 for row in part["rows"])
    assert {row["who"] for row in part["published"]} < {row["form"] for row in part["rows"]}


def test_rod_images_are_equal_on_both_devices(both: list[Backend]):
    scanner = panels(n_rows=6, n_columns=6, n_planes=3, pitch_mm=2.4)
    response = build_analytic(scanner, AnalyticResponse(n_points=1 << 12))
    part = images.run(both, PanelWork(response, 2, 1), iterations=2, n_counts=5e4)

    assert [row["device"] for row in part["rows"]] == ["cpu", "cuda"]
    assert {v["iteration"] for v in part["rows"][1]["valleys"]} == {1, 2}
    assert [bar["passed"] for bar in part["bars"]] == [True]


def test_default_parts_fit_the_devices():
    gpu = Backend("cuda", np, 1, EmulatedGpu())
    assert parts_of([cpu(2)], "full") == ["projection", "forms"]
    assert parts_of([cpu(2)], "demo") == ["projection", "forms", "images"]
    assert parts_of([gpu], "full") == ["projection", "kernels", "images"]


@pytest.mark.parametrize(("of", "sampled"), [(4, 5), (13, 1), (4, 0)])
def test_invalid_subsets_are_refused(of, sampled):
    with pytest.raises(SettingsError, match="expected 1 ≤ --subsets ≤ --of ≤ 12"):
        PanelWork(random_response(SMALL), of, sampled)


def test_unknown_parts_are_refused():
    with pytest.raises(
        SettingsError,
        match="'image' is not a part of this benchmark; choose from projection, forms",
    ):
        run([cpu(2)], work(), parts=["image"], log=[].append)


def test_command_measures_writes_and_reports_figures(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path))
    out = tmp_path / "figures.json"
    options = ["--system", "test", "--iterations", "2", "--threads", "2", "--json", str(out)]

    assert main(["bench", "dual-head", *options]) == DONE

    page, progress = capsys.readouterr()
    assert "building the response of Test panels" in progress
    assert "paper: Derenzo, GPU" in page
    assert "valley-to-peak ratio of the Derenzo rods" in page
    stored = report.read(out)
    assert list(stored["parts"]) == ["dual_head", "dual_head_forms", "dual_head_images"]
    assert json.loads(out.read_text())["parts"]["dual_head"]["n_sampled"] == 4
    messages: list[str] = []
    response_of("test", None, threads=1, log=messages.append)
    assert messages == []  # cached
