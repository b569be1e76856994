"""The predicted effect of each step equals its actual effect."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.corrections.preprocess import (
    STEPS,
    Binning,
    CentreOfRotation,
    Crop,
    FlatField,
    Hardening,
    Logarithm,
    Roll,
)
from engine.modalities.xray_ct.dry_run import dry_run, without_values
from tests.engine.corrections.preprocess.scans import geometry, scan

CHOSEN = {
    Crop: {"rows": (2, 9), "columns": (3, 40)},
    Binning: {"pixels": 2, "views": 3},
    Hardening: {"coefficients": (1.0, 0.1)},
    Roll: {"degrees": 5.0},
    CentreOfRotation: {"column": 21.5},
}


def scan_for(step, rng):
    """Return counts, transmission or integrals, as the step requires."""
    views = geometry(n_views=40, n_rows=12, n_cols=48, axis=22.0)
    shape = (40, 12, 48)
    flats, darks = np.full((2, *shape[1:]), 1e4), np.full((2, *shape[1:]), 10.0)
    for kind in ("counts", "transmission", "integrals"):
        values = rng.uniform(0.2, 0.9, shape) * (9e3 if kind == "counts" else 1)
        fields = {"flats": flats, "darks": darks} if kind == "counts" else {}
        data = scan(values.astype(np.float32), kind, views=views, **fields)
        if step.obstacle(data) is None:
            return data
    raise LookupError(step.kind)


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.kind)
def test_geometry_shape_and_kind_equal_the_prediction(kind, rng):
    step = kind(use="on", **CHOSEN.get(kind, {}))
    data = scan_for(step, rng)
    done = step.apply(data, on=cpu(1))
    predicted = step.dry_run(without_values(data))

    assert (predicted.shape, predicted.kind) == (done.shape, done.kind)
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        actual, expected = (getattr(each.geometry, name) for each in (predicted, done))
        np.testing.assert_allclose(actual, expected, atol=1e-12)
    assert predicted.values.base is None or predicted.values.strides == (0, 0, 0)


@pytest.mark.parametrize(
    "kind", [FlatField, Crop, Binning, Logarithm, Hardening], ids=lambda kind: kind.kind
)
def test_requested_rows_of_a_step_are_sufficient(kind, rng):
    step = kind(use="on", **CHOSEN.get(kind, {}))
    data = scan_for(step, rng)
    n_rows = step.dry_run(data).shape[1]
    rows = range(n_rows // 3, n_rows // 3 + 2)
    before = step.rows_before(rows, data.geometry)
    wide = slice(before.start, before.stop)
    part = replace(
        data,
        values=data.values[:, wide],
        geometry=data.geometry.cropped(wide, slice(None)),
        flats=None if data.flats is None else data.flats[:, wide],
        darks=None if data.darks is None else data.darks[:, wide],
    )
    within = step.within_rows()
    done = within.apply(part, on=cpu(1))
    expected = step.apply(data, on=cpu(1)).values[:, rows.start : rows.stop]

    np.testing.assert_allclose(done.values, expected, rtol=1e-6)


def test_axis_to_be_detected_is_stated_and_a_known_one_is_used(rng):
    data = without_values(scan_for(CentreOfRotation(), rng))
    unknown, known = (dry_run(data, [CentreOfRotation()], axis) for axis in (None, 20.0))

    assert unknown.needs_axis_search and not known.needs_axis_search
    assert known.empty_scan.geometry.axis_column.mean() == pytest.approx(20.0)


def test_completed_steps_follow_from_the_kind_of_data():
    done = {kind: [s.kind for s in STEPS if s.is_done(kind)] for kind in ("counts", "integrals")}

    assert done["counts"] == []
    assert len(done["integrals"]) == 2
