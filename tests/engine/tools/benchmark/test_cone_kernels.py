"""Tests of the benchmarks of CT kernels, patches and slices."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.core.backend import cpu, cuda
from engine.core.errors import SettingsError
from engine.kernels import tuning
from engine.kernels.cone.cone_variants import BackVariant
from engine.tools.benchmark import published, report, tables
from engine.tools.benchmark.cone import blocks, growth, kernels, patches, variants
from engine.tools.benchmark.cone import parts as cone_parts
from engine.tools.benchmark.cone import slices as cone_slices
from engine.tools.benchmark.cone.suite import BACK
from engine.tools.benchmark.figures import CONE, collect
from engine.tools.benchmark.plots import PLOTS
from engine.tools.tuning import card_search
from engine.tools.tuning.card_search import fastest_of_paths, record_of_card
from tests.emulator import EmulatedGpu

pytestmark = pytest.mark.slow

TINY = variants.FormsWork(8, 5, (6, 9))


def test_every_kernel_form_is_measured(device):
    work = variants.FormsWork(8, 5, (6, 9))
    part = kernels.run(device, work, repeats=1)
    rows = {(row["case"], row["form"]): row for row in part["rows"]}
    assert len(rows) == len(part["rows"]) == 11 + 3
    for row in part["rows"]:
        assert row["fault"] == ""
        if row["case"] == BACK:
            assert row["gups"] == pytest.approx(8**3 * 5 / row["seconds"] / 1e9)
            assert row["difference"] < 1e-2  # fractions of 8 bits
        else:
            assert row["mrays_per_s"] == pytest.approx(5 * 54 / row["seconds"] / 1e6)
    assert rows[BACK, "columns, memory"]["difference"] < 1e-5
    assert part["bars"] == []
    assert "columns, memory" in tables.of("cone_kernels", part)[0].markdown()


def test_form_exceeding_the_memory_is_reported(device):
    if not isinstance(device.gpu, EmulatedGpu):
        pytest.skip("the memory of a real card is large")
    work = variants.FormsWork(8, 5, (6, 9))
    test = variants.Forms(device, work, 1)
    device.gpu.memory_limit = device.gpu.memory.used_bytes + 100
    row = variants.tried(test.back, kernels.BACKS[0])
    assert "out of memory" in row["fault"]
    assert row["seconds"] is None


@pytest.mark.parametrize(
    ("card", "gups", "passed"),
    [("NVIDIA H200", 500, [True]), ("NVIDIA H200", 300, [False]), ("T4", 1, [])],
)
def test_kernel_limit_applies_to_the_named_gpu_only(card, gups, passed):
    gpu = EmulatedGpu()
    gpu.facts = replace(gpu.facts, name=card)
    rows = [{"case": BACK, "seconds": 1.0, "gups": gups}, {"case": BACK, "seconds": None}]
    found = kernels._bars(gpu, variants.FormsWork(), rows)
    assert [bar.passed for bar in found] == passed
    assert kernels._bars(gpu, variants.FormsWork(64), rows) == []


@pytest.fixture(params=["cpu", "emulated"])
def any_device(request):
    return cpu(2) if request.param == "cpu" else cuda(EmulatedGpu())


def test_time_per_update_is_time_over_work(any_device):
    forms = (BackVariant("pitched", "upright"),)
    part = growth.run(any_device, sizes=(6, 8), repeats=1, forms=forms)
    names = ["upright", "general", "thin"] if any_device.gpu is None else ["upright, pitched"]
    assert [(r["size"], r["form"]) for r in part["rows"]] == [(n, f) for n in (6, 8) for f in names]
    for row in part["rows"]:
        assert row["first_ns"] > 0 < row["update_ns"]
        assert row["work_ns"] > 0 == len(row["fault"])
    assert growth._spans((1.0, None, 3.0), 10**9) == {
        "first_ns": 1.0, "update_ns": None, "work_ns": 3.0,
    }  # fmt: skip


STARTS = {
    "upright": BackVariant("array", "upright", (8, 4), 2),
    "general": BackVariant("layered", "general", (8, 4), 1),
}
SOME = {
    "texture": ("array", "memory"), "block_size_x": (8,), "block_size_y": (4,),
    "voxels_per_thread": (2,), "views_per_launch": (16,), "projections": ("vrc",),
}  # fmt: skip


@pytest.fixture(scope="module")
def found():
    """Return the search result on an emulated GPU, and the GPU."""
    pytest.importorskip("kernel_tuner", reason="Kernel Tuner is not installed")
    on = cuda(EmulatedGpu())
    return fastest_of_paths(on, TINY, budget_s=60.0, starts=STARTS, some=SOME), on


def test_search_tries_every_path_and_counts_only_correct_forms(found):
    result, _ = found
    forms = [row["variant"] for row in result["rows"]]
    assert forms[0]["path"] == "upright" and len({str(form) for form in forms}) == len(forms)
    assert {f["texture"] for f in forms if f["path"] == "upright"} == {"array", "memory"}
    assert {f["texture"] for f in forms if f["path"] == "general"} == {"array", "memory", "layered"}
    for path, best in zip(("upright", "general"), result["best"], strict=True):
        assert best["variant"]["path"] == path and best["fault"] == ""
        assert best["gups"] == pytest.approx(TINY.n_updates / best["seconds"] / 1e9)


def test_exhausted_budget_leaves_the_initial_forms(device):
    pytest.importorskip("kernel_tuner", reason="Kernel Tuner is not installed")
    result = fastest_of_paths(device, TINY, budget_s=1e-6, starts=STARTS, some=SOME)
    assert len(result["rows"]) == 2 and result["best"] == result["rows"]


def test_exhausted_budget_ends_the_block_search(device):
    part = blocks.run(device, TINY, repeats=1, budget_s=0.0, sizes=((8, 4), (4, 8)))
    assert (len(part["rows"]), part["n_left_out"]) == (1, 1)


def test_failed_form_is_recorded_with_its_fault():
    on = cuda(EmulatedGpu(fail_at_launch=3))
    part = blocks.run(on, TINY, repeats=1, sizes=((8, 4), (4, 8)))
    assert all(row["seconds"] is None and row["fault"] for row in part["rows"])


def test_stored_record_of_a_gpu_equals_its_choice(found, monkeypatch):
    result, on = found
    retained = json.loads(json.dumps(record_of_card(result, on)))
    other = retained | {"choices": []}
    del other["cone_back"]
    monkeypatch.setattr(tuning, "_measurements", lambda: (retained, other))
    for upright, best in zip((True, False), result["best"], strict=True):
        form = best["variant"] | {"block": tuple(best["variant"]["block"])}
        assert tuning.tuned_back(on, upright, 64**3, 64) == BackVariant(**form)


def test_block_sizes_fit_a_gpu(on_gpu):
    assert blocks.BLOCKS[:2] == ((16, 32), (16, 4))
    assert len(set(blocks.BLOCKS)) == len(blocks.BLOCKS)
    for start in card_search.STARTS.values():
        forms = card_search.PathForms(on_gpu, TINY, start, {})
        assert forms.has(forms.shipped) and forms.parameters["path"] == (start.path,)


def test_patches_are_measured_fresh_and_recycled(any_device):
    part = patches.run(any_device, sizes={"2D": (7,), "3D": (5,)}, n_views=20, max_s=0.01)
    cases = ["fresh", "recycled"] if any_device.gpu is None else ["fresh", "recycled", "graph"]
    assert [(r["kind"], r["case"]) for r in part["rows"]] == [
        (kind, case) for kind in ("2D", "3D") for case in cases
    ]
    for row in part["rows"]:
        n_updates = 20 * (49 if row["kind"] == "2D" else 125)
        assert row["gups"] == pytest.approx(n_updates / row["seconds"] / 1e9)
        assert row["best_seconds"] <= row["seconds"]


@pytest.mark.parametrize("kind", ["2D", "3D"])
def test_all_methods_give_the_same_patch(rng, device, kind):
    work = variants.FormsWork(6, 20, (1, 6) if kind == "2D" else (6, 6), is_slice=kind == "2D")
    y = device.to_device(rng.random((20, *work.detector)).astype("f4"))
    cases = patches._cases(device, work, y)
    fresh, *others = (device.to_host(case()).copy() for case in cases.values())
    assert fresh.shape == work.grid.shape
    for other in others:
        assert abs(other - fresh).max() < 1e-2 * abs(fresh).max()


SETUP = cone_slices.Setup("FleX-ray", (8, 12), 6, 10)


def test_slices_are_measured_from_one_texture_and_from_three(any_device):
    part = cone_slices.run(any_device, setups=(SETUP,), max_s=0.01)
    cases = ["one texture"] if any_device.gpu is None else ["one texture", "a texture each"]
    assert [row["case"] for row in part["rows"]] == cases
    for row in part["rows"]:
        assert row["gups"] == pytest.approx(3 * 36 * 10 / row["seconds"] / 1e9)
    assert part["published"]["KernelKit"]["FleX-ray"] == 0.6e-3
    assert SETUP.planes(0) != SETUP.planes(1)


def test_slices_exceeding_the_memory_are_reported():
    on = cuda(EmulatedGpu(memory_limit=2000))
    (row,) = cone_slices.run(on, setups=(SETUP,), max_s=0.01)["rows"]
    assert "out of memory" in row["fault"]
    assert (
        "out of memory"
        in tables.of("cone_slices", cone_slices.run(on, setups=(SETUP,)))[0].markdown()
    )


@pytest.mark.parametrize(
    ("card", "factor"),
    [
        ("NVIDIA H200", 605 / 1045),
        ("NVIDIA H100 80GB HBM3", 605 / 1045),
        ("NVIDIA RTX A6000", 1.0),
        ("T4", None),
    ],
)
def test_limits_are_published_seconds_scaled_to_the_gpu(card, factor):
    on = cuda(EmulatedGpu())
    on.gpu.facts = replace(on.gpu.facts, name=card)
    graph = {"kind": "2D", "size": 250, "case": "graph", "seconds": 0.2e-3}
    slices = {"setup": "High-speed", "case": "one texture", "seconds": 1e-3}
    patch_bars = patches._bars(on, 1000, [graph, graph | {"case": "fresh"}])
    slice_bars = cone_slices._bars(on, [slices, slices | {"setup": "mine"}])
    if factor is None:
        assert patch_bars == slice_bars == []
        return
    (patch,), (three,) = patch_bars, slice_bars
    assert patch.bar == pytest.approx(0.25 * factor)
    assert three.bar == pytest.approx(1.8 * factor)
    assert patch.passed == (factor == 1)
    assert patches._bars(on, 100, [graph]) == []
    assert published.scaled_to(card, 1.0) == pytest.approx(factor)


@pytest.fixture(scope="module")
def figures(found):
    on, form = cuda(EmulatedGpu()), BackVariant("layered", "general", (8, 4), 1)
    sizes = cone_parts.TINY
    measures = {
        "cone_search": lambda: found[0],
        "cone_growth": lambda: growth.run(on, sizes=(6, 8), repeats=1, forms=(form,)),
        "cone_blocks": lambda: blocks.run(on, sizes.blocks, repeats=1, sizes=((8, 4), (4, 8))),
        "cone_patches": lambda: patches.run(on, sizes={"2D": (6, 8)}, n_views=20, max_s=0.01),
        "cone_slices": lambda: cone_slices.run(on, setups=sizes.setups, max_s=0.01),
    }
    return collect(CONE, [on], measures, [].append)


def test_gpu_report_has_all_parts_as_tables_and_images(figures, tmp_path):
    page = report.page([figures])
    for title in ("fastest variants", "problem size", "Blocks of threads", "Patches", "Three"):
        assert title in page
    assert "KernelKit, RTX A6000" in page
    drawn = set(PLOTS) & set(figures["parts"])
    assert drawn == {"cone_growth", "cone_blocks", "cone_patches", "cone_slices"}
    path = tmp_path / "run.json"
    path.write_text(json.dumps(figures))
    twice = [report.read(path)] * 2
    written = {each.name: each.read_bytes() for each in report.write(twice, tmp_path / "report")}
    for part in drawn:
        assert written[f"{part}.png"].startswith(b"\x89PNG")
        assert b"</svg>" in written[f"{part}.svg"]


def test_gpu_has_more_parts_than_a_cpu(device):
    work = cone_parts.PartsWork(search=lambda on, work, budget_s: {})
    assert list(cone_parts._measures("kernels", cpu(1), work)) == ["cone_growth"]
    names = ["cone_kernels", "cone_search", "cone_growth", "cone_blocks"]
    assert list(cone_parts._measures("kernels", device, work)) == names
    assert cone_parts.parts_of(cpu(1)) == ("projectors",)
    assert cone_parts.parts_of(device) == ("projectors", "kernels")


def test_command_measures_the_parts_of_a_cpu(tmp_path, capsys):
    out = tmp_path / "figures.json"
    asked = ["--parts", "kernels,patches,slices", "--quick", "--repeats", "1", "--threads", "2"]
    assert main(["bench", "cone", "--device", "cpu", *asked, "--json", str(out)]) == DONE
    stored = report.read(out)["parts"]
    assert list(stored) == ["cone_growth", "cone_patches", "cone_slices"]
    assert "Patches, one after another" in capsys.readouterr().out


def test_unknown_parts_and_tuning_without_a_gpu_are_refused(tmp_path, capsys):
    with pytest.raises(SettingsError, match="projectors, kernels, patches, slices"):
        cone_parts.run(cpu(1), parts=("tables",), work=cone_parts.PartsWork(), log=[].append)
    retained = ["--keep-tuning", str(tmp_path / "out.json")]
    assert main(["bench", "cone", "--device", "cpu", "--parts", "kernels", *retained]) != DONE
    assert "add `kernels` to --parts and measure on a GPU" in capsys.readouterr().err
