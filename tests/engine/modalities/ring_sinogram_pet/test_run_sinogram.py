"""Sinograms of a ring, from file to image: compared with list mode and with the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError, GeometryError
from engine.corrections.sinogram_roles import ATTENUATION, NORMALISATION, RANDOMS, SCATTER
from engine.data.runs.events import Corrected, Finished, Warned
from engine.data.sinogram import Sinogram, binned, events_of
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import uniform_spread
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io import read_sinogram, write_listmode
from engine.io.interfile.sinogram_writer import write_sinogram
from engine.jobs.reconstruction import run
from engine.modalities import MODALITIES, OpenStudy
from engine.modalities.listmode_pet import model as listmode_pet
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.modalities.ring_sinogram_pet import model as ring_sinogram_pet
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.studies import Study

ON = cpu(2)
RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=6, n_crystals_per_ring=64, radius_mm=100, ring_pitch_mm=5,
        max_ring_difference=5, n_tangential=41, voxel_mm=(5, 5, 2.5), fov_mm=(100, 30),
    )
)  # fmt: skip
GRID = ImageGrid((12, 20, 20), (5.0, 5.0, 2.5))
OSEM = {"kind": "osem", "iterations": 20, "subsets": 8}


def events(n: int) -> Sinogram:
    """Return random integer counts on a few lines of every bin."""
    layout = SinogramLayout.of(RING)
    counts = np.random.default_rng(5).poisson(n / layout.n_bins, layout.n_bins)
    return Sinogram(layout, counts.astype(np.float32), duration_s=2.0)


def updated(image, model):
    """Return one update of expectation maximisation in voxels with sensitivity."""
    sensitive, numerator = model.sensitivity > 0, model.em_step(image).numerator
    return np.divide(numerator, model.sensitivity, out=image.copy(), where=sensitive)


@pytest.mark.parametrize("spread", [None, uniform_spread(7.0)], ids=["thin", "resolution"])
@pytest.mark.parametrize("n_subsets", [1, 4])
def test_sinograms_give_the_image_of_the_same_events_in_list_mode(n_subsets, spread):
    """Five updates with the same events, factors and background; subsets have the same lines."""
    rng, data = np.random.default_rng(3), events(40_000)
    factors = rng.uniform(0.5, 1.5, data.layout.n_bins).astype(np.float32)
    background = rng.uniform(0, 0.2, data.layout.n_bins).astype(np.float32)
    corrected = replace(data, factors=factors, background=background, point_spread=spread)
    binned_model = ring_sinogram_pet.build(corrected, GRID, n_subsets=n_subsets, on=ON)
    parts = [binned_model.subset(k, n_subsets) if n_subsets > 1 else binned_model
             for k in range(n_subsets)]  # fmt: skip
    rows = ring_sinogram_pet.rows_of(corrected)
    x = y = np.ones(GRID.shape, np.float32)
    for update in range(5):
        k = update % n_subsets
        bins = rows[k::n_subsets]
        n = data.prompts[bins].astype(int)
        numbers = np.repeat(bins, n)
        listed = replace(
            events_of(data).select(np.zeros(0, np.int64)),
            crystals=data.layout.crystals_of(numbers),
            factors=factors[numbers],
            background=background[numbers],
            point_spread=spread,
        )
        before_blur = parts[k] if spread is None else parts[k].within
        sensitivity = Sensitivity(before_blur.sensitivity, 1, 1, 0.0)
        listed_model = listmode_pet.build(listed, GRID, sensitivity, on=ON)
        sensitive = parts[k].sensitivity > 0
        x = np.where(
            sensitive,
            parts[k].em_step(x).numerator / np.where(sensitive, parts[k].sensitivity, 1),
            x,
        )
        y = np.where(
            sensitive,
            listed_model.em_step(y).numerator / np.where(sensitive, parts[k].sensitivity, 1),
            y,
        )
    np.testing.assert_allclose(x, y, atol=1e-5 * x.max())


@pytest.mark.parametrize("use", ["off", "on"])
def test_complete_runs_of_list_mode_and_sinograms_give_one_image(use, tmp_path):
    """Reader, line geometry and sensitivity differ. The images of three MLEM updates agree."""
    data = events(20_000)
    write_sinogram(data, tmp_path / "scan.hs")
    write_listmode(events_of(data), tmp_path / "scan.h5")
    grid = {"voxel_mm": (5, 5, 2.5), "diameter_mm": 100, "length_mm": 30}
    common = {
        "algorithm": {"kind": "mlem", "iterations": 3},
        "corrections": {"resolution": {"use": use, "fwhm_mm": 6.0}},
        "finishing": [],
        "grid": grid,
    }
    listed = ListModeProtocol.model_validate({**common, "sensitivity": {"method": "exact"}})
    counted = RingSinogramProtocol.model_validate(common)
    studies = (Study(data=tmp_path / "scan.h5", protocol=listed),
               Study(data=tmp_path / "scan.hs", protocol=counted))  # fmt: skip
    events_of_runs = [list(run(each, on=ON)) for each in studies]
    one, other = (e.volume for each in events_of_runs for e in each if isinstance(e, Finished))
    applied = [{e.kind for e in each if isinstance(e, Corrected) and e.state == "applied"}
               for each in events_of_runs]  # fmt: skip
    assert all("line_geometry" in kinds for kinds in applied)
    assert all(("resolution" in kinds) == (use == "on") for kinds in applied)
    assert one.grid == other.grid
    np.testing.assert_allclose(other.values, one.values, atol=1e-5 * one.values.max())


DISCS = ((0.5, 0.0, 35.0), (-0.4, 12.0, 10.0))
"""A warm cylinder with a cold rod, longer than the rings: value [counts/mm], x and radius [mm]."""


def chords(ends: np.ndarray) -> np.ndarray:
    """Return line integrals through the cylinders in closed form, without voxels or a projector."""
    a, direction = ends[:, 0], ends[:, 1] - ends[:, 0]
    across = np.linalg.norm(direction[:, :2], axis=1)
    sums = np.zeros(len(ends))
    for value, x, radius in DISCS:
        off = np.abs(direction[:, 0] * (0 - a[:, 1]) - direction[:, 1] * (x - a[:, 0])) / across
        sums += value * 2 * np.sqrt(np.maximum(radius**2 - off**2, 0))
    return sums * np.linalg.norm(direction, axis=1) / across  # oblique lines are longer


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return a folder with preprocessed files as a vendor writes them; values without noise."""
    folder, rng = tmp_path_factory.mktemp("site"), np.random.default_rng(9)
    finer = {"n_crystals_per_ring": 160, "n_tangential": 81}
    fine = RingScanner(RING.settings.model_copy(update=finer))
    layout = SinogramLayout.of(fine, span=3, mashed=2)
    ends = layout.points_mm[layout.ends_of(np.arange(layout.n_bins))]
    norm = rng.uniform(0.5, 2.0, layout.n_bins)
    acf = rng.uniform(1.0, 4.0, layout.n_bins)
    randoms, scatter = rng.uniform(0, 3, (2, layout.n_bins))
    prompts = chords(ends) / norm / acf + randoms + scatter
    norm[::50] = 0  # dead bins that still have counts
    for name, values in {
        "prompts": prompts, "norm": norm, "acf": acf, "randoms": randoms, "scatter": scatter,
    }.items():  # fmt: skip
        write_sinogram(Sinogram(layout, values.astype(np.float32)), folder / f"{name}.hs")
    return folder


def study_of(site) -> Study:
    names = {NORMALISATION: "norm", ATTENUATION: "acf", RANDOMS: "randoms", SCATTER: "scatter"}
    inputs = {role.key: site / f"{name}.hs" for role, name in names.items()}
    values = {
        "grid": {"voxel_mm": (5, 5, 2.5), "diameter_mm": 100, "length_mm": 30},
        "algorithm": OSEM,
        "finishing": [],
    }
    protocol = RingSinogramProtocol.model_validate(values)
    return Study(data=site / "prompts.hs", inputs=inputs, protocol=protocol)


@pytest.mark.essential
def test_preprocessed_files_of_a_site_give_the_true_image(site):
    events = list(run(study_of(site), on=ON))
    kinds = {e.kind: e.state for e in events if isinstance(e, Corrected)}
    assert {k for k, state in kinds.items() if state == "applied"} == {
        *("normalisation", "attenuation", "randoms", "scatter")
    }
    assert kinds["line_geometry"] == "unavailable"
    assert any("dead bins" in e.text for e in events if isinstance(e, Warned))
    (image,) = (e.volume for e in events if isinstance(e, Finished))
    assert image.grid == GRID and image.unit == "counts/mm"
    x, y = GRID.centres_mm(0)[None, :], GRID.centres_mm(1)[:, None]
    found = image.values[3:-3].mean(axis=0)
    warm = (x**2 + y**2 < 28**2) & ((x - 12) ** 2 + y**2 > 17**2)
    content = sum(value * np.pi * radius**2 for value, _, radius in DISCS)
    assert found.sum() * 25 == pytest.approx(content, rel=0.01)
    assert found[warm].mean() == pytest.approx(0.5, rel=0.01)


def test_missing_corrections_are_reported(site):
    events = list(run(replace_inputs(study_of(site), {}), on=ON))
    text = {e.kind: e.text for e in events if isinstance(e, Corrected)}
    assert "load their sinogram" in text["randoms"] and "bin efficiency" in text["line_geometry"]


def replace_inputs(study: Study, inputs) -> Study:
    return study.model_copy(update={"inputs": inputs})


def test_file_of_other_bins_is_refused(site, tmp_path):
    other = SinogramLayout.of(RING)
    write_sinogram(Sinogram(other, np.ones(other.n_bins, np.float32)), tmp_path / "other.hs")
    study = replace_inputs(study_of(site), {RANDOMS.key: tmp_path / "other.hs"})
    with pytest.raises(GeometryError, match="choose the file that belongs to this scan"):
        list(run(study, on=ON))


def test_transmission_is_refused_as_a_correction_factor(site, tmp_path):
    counts = read_sinogram(site / "prompts.hs")
    write_sinogram(replace(counts, prompts=np.full_like(counts.prompts, 0.2)), tmp_path / "a.hs")
    study = replace_inputs(study_of(site), {ATTENUATION.key: tmp_path / "a.hs"})
    with pytest.raises(DataError, match="invert them"):
        list(run(study, on=ON))


@pytest.mark.parametrize("change", [{"radius_mm": 120}, {"first_angle_deg": 30}])
def test_bins_of_another_scanner_have_another_identity(change):
    other = RingScanner(RING.settings.model_copy(update=change))
    assert SinogramLayout.of(other).identity != SinogramLayout.of(RING).identity


def test_corrected_counts_are_not_corrected_again(site, tmp_path):
    header = (site / "prompts.hs").read_text()
    stated = "corrections := {normalised, measured attenuation correction}"
    assert "corrections := {None}" in header
    (tmp_path / "prompts.hs").write_text(header.replace("corrections := {None}", stated))
    (tmp_path / "prompts.s").write_bytes((site / "prompts.s").read_bytes())
    events_of_runs = list(
        run(study_of(site).model_copy(update={"data": tmp_path / "prompts.hs"}), on=ON)
    )
    states = {e.kind: e.state for e in events_of_runs if isinstance(e, Corrected)}
    done = {kind for kind, state in states.items() if state == "unavailable"}
    assert {"normalisation", "attenuation", "line_geometry"} <= done
    assert states["randoms"] == states["scatter"] == "applied"


def test_events_become_counts_and_events_again():
    data = events(20_000)
    listed = events_of(data)
    again = binned(listed, data.layout)
    np.testing.assert_array_equal(again.prompts, data.prompts)
    assert again.duration_s == 2.0
    with pytest.raises(DataError, match="not whole numbers"):
        events_of(replace(data, prompts=data.prompts + np.float32(0.5)))
    spanned = SinogramLayout.of(RING, span=3)
    assert binned(listed, spanned).n_prompts == data.n_prompts
    with pytest.raises(DataError, match="some bins sum several lines"):
        events_of(binned(listed, spanned))


def test_window_knows_missing_and_available_inputs(site):
    modality = next(each for each in MODALITIES if each.key == "pet-sinogram")
    scan = modality.summarise(site / "prompts.hs", None)
    protocol = modality.standard()
    nothing = modality.obstacles(protocol, OpenStudy(scan, scan.scanner))
    assert nothing["line_geometry"] is None and "load their sinogram" in (nothing["randoms"] or "")
    given = {RANDOMS.key: read_sinogram(site / "randoms.hs")}
    some = modality.obstacles(protocol, OpenStudy(scan, scan.scanner, given))
    assert some["randoms"] is None and some["scatter"] == nothing["scatter"]
