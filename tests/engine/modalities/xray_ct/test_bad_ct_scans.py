"""Bad CT input, from file to volume: each gives one clear sentence or a repaired image."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import EngineError
from engine.data.runs.events import Corrected, Finished, Warned
from engine.geometry.orbits import circle, parallel
from engine.io.xray.hdf5.dxchange import write_projections
from engine.jobs.reconstruction import run
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.assignments import with_settings
from engine.simulate import Detector, simulate_xray, tooth

h5py = pytest.importorskip("h5py")
DATA, WHITE, DARK, THETA = (f"exchange/{n}" for n in ("data", "data_white", "data_dark", "theta"))
N, COLUMNS = 90, 64


@lru_cache
def scan():
    angles = circle(N, first_rad=-np.pi / 2, range_rad=np.pi)
    geometry = parallel(angles, shape=(6, COLUMNS), pixel_mm=2.0).flipped(rows=True)
    return simulate_xray(tooth(scale=8.0), geometry, seed=2, detector=Detector(photons=5000))


@pytest.fixture
def path(tmp_path):
    """Write a valid Data Exchange file without our own group, like those of other programs."""
    write_projections(scan(), tmp_path / "scan.h5")
    with h5py.File(tmp_path / "scan.h5", "a") as file:
        del file["isocenter"]
        for name in ("seal", "creator"):
            del file.attrs[name]
    return tmp_path / "scan.h5"


def put(file, name, values):
    del file[name]
    file[name] = values


def message(path, *settings):
    study = Study(data=path, protocol=with_settings(CtProtocol(), settings))
    events = list(run(study, on=cpu(2)))
    assert isinstance(events[-1], Finished)
    assert np.isfinite(events[-1].volume.values).all()
    ledger = {e.kind: e.text for e in events if isinstance(e, Corrected)}
    return ledger, " ".join(e.text for e in events if isinstance(e, Warned))


REFUSED = {
    "a third of the views": (
        lambda f: put(f, DATA, f[DATA][: N // 3]),
        "projections is 30, but the number of angles is 90"),
    "a scan that ended early": (
        lambda f: put(f, DATA, f[DATA][:] * (np.arange(N) < N // 2)[:, None, None]),
        "90 views .* starting with view 45 .only zeros: 45, no numbers: 0.; use a"
        " complete scan"),
    "radians labelled as degrees": (
        lambda f: put(f, THETA, np.radians(f[THETA][:])), "unit"),
    "flats of another size": (
        lambda f: put(f, WHITE, f[WHITE][:, :, ::2]), "images in 'flats' have 6 x 32 pixels"),
    "flats without light": (lambda f: put(f, WHITE, 0 * f[WHITE][:]), "not brighter than the dark"),
    "flats and darks exchanged": (lambda f: f.move(WHITE, "x") or f.move(DARK, WHITE)
                                  or f.move("x", DARK), "not empty or swapped"),
    "no number at all": (lambda f: put(f, DATA, np.nan * f[DATA][:]), "all values are NaN"),
    "flats that are no numbers": (
        lambda f: put(f, WHITE, np.full((2, 6, COLUMNS), np.nan)),
        "'flats' contain NaN or infinite values .number: 768."),
    "an array of two axes": (lambda f: put(f, DATA, f[DATA][0]), "2 axes, expected three"),
}  # fmt: skip


@pytest.mark.parametrize("fault", REFUSED)
def test_invalid_scan_is_refused_with_one_sentence(fault, path):
    break_it, sentence = REFUSED[fault]
    with h5py.File(path, "a") as file:
        break_it(file)
    with pytest.raises(EngineError, match=sentence) as caught:
        message(path)
    text = str(caught.value)
    assert text.endswith((".", "?")) and "\n" not in text and len(text) < 300


def test_links_out_of_the_folder_are_refused(path, tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    with h5py.File(inner / "scan.h5", "w") as file:
        file["exchange/data"] = h5py.ExternalLink("../scan.h5", DATA)
    with pytest.raises(EngineError, match=r"links to .* in '\.\./scan\.h5', which does not exist"):
        message(inner / "scan.h5")


def test_scattered_nan_values_are_interpolated_and_counted(path):
    with h5py.File(path, "a") as file:
        values = file[DATA][:]
        values[3:9, 2, 20:23] = np.nan
        put(file, DATA, values)
    ledger, notes = message(path)
    assert "some values are not numbers (values: 18" in notes
    assert ledger["bad_pixels"].startswith("18 values not measured")


def test_saturated_pixels_are_flagged_and_interpolated(path):
    with h5py.File(path, "a") as file:
        values = file[DATA][:]
        values[10:20, 3, 5:7] = 65535
        put(file, DATA, np.rint(values).astype(np.uint16))
    ledger, notes = message(path)
    assert "20 values" in notes and "saturated at 65535" in notes and "saturated" in notes
    assert "20 saturated values" in ledger["flat_field"]
    assert ledger["bad_pixels"].startswith("20 values not measured")


@pytest.mark.parametrize("half", ["of the columns", "of the views"])
def test_truncated_rows_are_extrapolated_with_a_note(half, path):
    """The object extends beyond the detector on one side, in all views or in every second one."""
    with h5py.File(path, "a") as file:
        values = file[DATA][:]
        if half == "of the columns":
            for name in (DATA, WHITE, DARK):
                put(file, name, file[name][:, :, COLUMNS // 2 - 4 :])
        else:
            open_beam = file[WHITE][:].mean(axis=0)
            values[::2, :, -8:] = 0.4 * open_beam[:, -8:]
            put(file, DATA, values)
    ledger, _ = message(path, "steps.centre.use=off")
    assert "wider than the detector" in ledger["weights"]
    assert "rows are extrapolated" in ledger["weights"]


def test_counts_without_light_give_a_warning(path):
    with h5py.File(path, "a") as file:
        put(file, DATA, file[DARK][0] - 5 + 0 * file[DATA][:])
    _, warned = message(path, "steps.bad_pixels.use=off", "steps.centre.use=off")
    assert "clipped before the logarithm" in warned
