"""Tests of stored forms: used only where they are valid, and recorded in the provenance."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.kernels import stored_variants
from engine.kernels.cone.cone_variants import BackVariant
from engine.kernels.host_variants import BackForm, MatrixForm, Sharing
from engine.kernels.stored_variants import (
    FORMAT,
    Slot,
    back_slot,
    chosen,
    edge_class,
    ray_slot,
    source_digest,
    stored_record,
    text_of,
)
from engine.kernels.tuning import tuned, tuned_back
from engine.operators.xray.transform import XrayTransform
from engine.protocols.run_context.context import RunContext
from engine.tools.tuning.comparing import Comparison
from engine.tools.tuning.outcome import Outcome, TriedVariant
from engine.tools.tuning.problem import TuningProblem
from engine.tools.tuning.storing import forget, forget_all, keep, stored_records, stored_values
from tests.emulator import EmulatedGpu

ON = cpu(2)
GRID = ImageGrid((36, 16, 16), (1.0, 1.0, 1.0))
SLOT = back_slot(True, GRID.n_voxels, 16)
FORM = {"threads": 1, "rows": 0, "lines": 32, "views": 4}


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path))


class Back(TuningProblem):
    """A minimal problem for storing a form."""

    title, work, on, slot = "back", "a cube", ON, SLOT

    def __init__(self):
        self.parameters = {"threads": (1, 2), "lines": (32, 256), "views": (4, 16)}
        self.shipped = {"threads": 2, "lines": 256, "views": 16}

    def prepare(self): ...
    def form(self, values):
        return asdict(BackForm(values["threads"], 0, values["lines"], values["views"]))

    def result(self, values): ...
    def seconds(self, values): ...
    def fault_of(self, result): ...


VALUES = {"threads": 1, "lines": 32, "views": 4}


def found(**changes):
    comparison = Comparison(0.8, 0.78, 0.82, 15)
    return Outcome(**{"best": VALUES, "comparison": comparison} | changes)


def put(on, slot, form, **changes):
    """Store a form with a valid seal."""
    record = {
        "format": FORMAT, "machine": on.machine, "kernel": slot.kernel, "shape": slot.shape,
        "source": source_digest(on), "form": form, "values": {}, "gain": 1.25,
        "tuned_utc": "2026-11-23T00:00:00+00:00",
    }  # fmt: skip
    path = slot.path(on)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(record | changes), encoding="utf-8")
    return path


def test_stored_form_is_used_and_recorded():
    record = keep(Back(), found())
    assert record["gain"] == pytest.approx(1.25) and record["form"] == FORM
    on = ON.of_a_run()
    assert chosen(on, SLOT, BackForm()) == BackForm(**FORM)
    description = on.used_variants.words["cone_back"]
    assert (
        "lines 32" in description
        and "1.25 × the speed" in description
        and SLOT.shape in description
    )
    assert stored_values(Back()) == (VALUES,)
    assert [each["form"] for each in stored_records(("cone_back",), ON)] == [FORM]


def test_operator_with_a_stored_form_has_the_same_bits():
    orbit = circular_cone(
        circle(12), source_axis_mm=100.0, source_detector_mm=150.0, shape=(16, 20), pixel_mm=1.5
    )
    y = np.random.default_rng(0).random((12, 16, 20), np.float32)
    shipped = XrayTransform(orbit, GRID, on=ON).back_project(y, weighting="fdk")
    keep(Back(), found())
    on = ON.of_a_run()
    A = XrayTransform(orbit, GRID, on=on)
    assert on.used_variants.words == {}  # no run yet
    np.testing.assert_array_equal(A.back_project(y, weighting="fdk"), shipped)
    assert list(on.used_variants.words) == ["cone_back"]


def test_each_run_records_only_its_own_forms():
    on = cpu(2)
    on.used_variants.note("rays", "of an earlier run")
    context = RunContext.of(None, on)
    assert context.on == on and context.on.used_variants.words == {}
    context.on.used_variants.note("rays", "one")
    context.on.used_variants.note("rays", "another")
    context.on.used_variants.note("rays", "one")
    assert context.on.used_variants.words == {"rays": "one; another"}


@pytest.mark.parametrize("changes", [
    {"source": "of another state"}, {"machine": "another, 2 threads"}, {"shape": "another"},
    {"kernel": "rays"}, {"format": "isocenter-tuned-form-0"},
])  # fmt: skip
def test_form_for_another_problem_is_not_used(changes):
    put(ON, SLOT, FORM, **changes)
    assert stored_record(ON, SLOT) is None and chosen(ON, SLOT, BackForm()) == BackForm()


def test_form_is_specific_to_its_number_of_threads():
    put(ON, SLOT, FORM)
    assert stored_record(cpu(3), SLOT) is None and stored_record(ON, SLOT) is not None


@pytest.mark.parametrize("form", [
    {}, {"lines": 32}, FORM | {"lines": 0}, FORM | {"views": "16"}, FORM | {"threads": True},
    FORM | {"lines": 1.5}, FORM | {"rows": -1}, FORM | {"lines": None}, [], None,
])  # fmt: skip
def test_invalid_form_is_not_used(form):
    put(ON, SLOT, form)
    on = ON.of_a_run()
    assert chosen(on, SLOT, BackForm()) == BackForm() and on.used_variants.words == {}


def test_seal_detects_every_changed_bit():
    path = put(ON, SLOT, FORM)
    good = path.read_bytes()
    for at in range(0, len(good), 7):
        path.write_bytes(good[:at] + bytes([good[at] ^ 4]) + good[at + 1 :])
        stored_variants._read.cache_clear()
        form = chosen(ON.of_a_run(), SLOT, BackForm())
        assert form in (BackForm(), BackForm(**FORM))
        assert form == BackForm() or good[at : at + 1].isspace()
    for size in (0, 1, len(good) // 2):
        path.write_bytes(good[:size])
        stored_variants._read.cache_clear()
        assert chosen(ON, SLOT, BackForm()) == BackForm()


def test_changed_sources_restore_the_shipped_form(monkeypatch):
    put(ON, SLOT, FORM)
    monkeypatch.setattr(stored_variants.compile_cache, "digest", lambda: "changed")
    assert chosen(ON, SLOT, BackForm()) == BackForm()


def test_forms_are_deleted_by_kernel():
    put(ON, SLOT, FORM)
    put(cpu(7), SLOT, FORM)
    put(ON, ray_slot(64**3, is_timed=False, reproducible=True), asdict(Sharing(1, 512)))
    assert forget_all(("cone_back",)) == 2 and forget_all(("cone_back",)) == 0
    assert chosen(ON, SLOT, BackForm()) == BackForm()
    assert len(stored_records(("rays",), ON)) == 1
    assert not forget(ON, SLOT)


def test_form_no_longer_faster_is_deleted_and_an_untested_one_stays():
    keep(Back(), found())
    assert keep(Back(), Outcome()) is None and stored_record(ON, SLOT) is not None
    another = TriedVariant({"threads": 1, "lines": 256, "views": 4}, None, None, "crashed", 1.0)
    unsure = TriedVariant(VALUES, 1.0, 0.9, "", 1.0)
    assert keep(Back(), Outcome([another, unsure])) is None and stored_record(ON, SLOT) is not None
    as_fast = TriedVariant(VALUES, 1.0, 1.0, "", 1.0, Comparison(1.0, 0.9, 1.1, 15))
    assert keep(Back(), Outcome([as_fast])) is None and stored_record(ON, SLOT) is None
    keep(Back(), found())
    wrong = TriedVariant(VALUES, None, None, "wrong results", 1.0)
    assert keep(Back(), Outcome([wrong])) is None and stored_record(ON, SLOT) is None


def test_gpu_uses_its_tuned_forms_and_never_a_wrong_shortcut():
    on = cuda(EmulatedGpu())
    form = asdict(BackVariant("pitched", "upright", (32, 8), 4, 16))
    for is_upright in (True, False):
        put(on, back_slot(is_upright, 64**3, 64), form)
    assert tuned_back(on, True, 64**3, 64) == BackVariant("pitched", "upright", (32, 8), 4, 16)
    assert tuned_back(on, False, 64**3, 64) == BackVariant(path="general")
    assert tuned_back(on, True, 512**3, 64) == BackVariant(path="upright")


def test_gpu_form_keeps_the_sums_and_timing_of_the_run():
    on = cuda(EmulatedGpu())
    form = {
        "mapping": "thread", "order": "tiles", "sums": "float", "timing": "none",
        "real": "float", "block": 512, "kept": 4,
    }  # fmt: skip
    put(on, ray_slot(64**3, is_timed=False, reproducible=True), form)
    put(on, ray_slot(64**3, is_timed=True, reproducible=False), form)
    exact = tuned(on, 64**3, False, True, "float32")
    assert (exact.mapping, exact.order, exact.sums, exact.block) == (
        "thread",
        "tiles",
        "fixed",
        512,
    )
    assert tuned(on, 64**3, False, True, "float64").block == 256
    assert tuned(on, 64**3, True, False, "float32").timing != "none"


def test_sizes_are_grouped_into_classes():
    assert [edge_class(n**3) for n in (1, 100, 128, 181, 182, 580)] == [
        "1³", "128³", "128³", "128³", "256³", "512³",
    ]  # fmt: skip


def test_forms_divide_threads_and_refuse_invalid_values():
    assert Sharing().workers(8) == 8 and Sharing(threads=4).workers(8) == 4
    assert Sharing(threads=16).workers(8) == 8 and MatrixForm().at_once == 128
    for bad in ({"threads": -1}, {"rows": 1 << 30}, {"threads": 2.0}):
        with pytest.raises(ValueError, match="a whole number from 0"):
            Sharing(**bad)


def test_each_slot_has_its_own_file():
    slots = [Slot(kernel, shape) for kernel in ("rays", "matrix") for shape in ("a", "b")]
    paths = {slot.path(on) for slot in slots for on in (ON, cpu(1), cuda(EmulatedGpu()))}
    assert len(paths) == 12
