"""Noise of quality figures: the figure of every replicate, in text, tables, JSON and pages."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from engine.analysis.quality.calibrating import KnownActivity, calibrate
from engine.analysis.quality.cylinder import UprightCylinder
from engine.analysis.quality.figure_noise import errors_of_figures
from engine.analysis.quality.phantoms import QUALITY_PHANTOMS, PhantomFacts, nema_nu4
from engine.analysis.quality.phantoms.nema_nu2 import body_layout
from engine.analysis.quality.quality_report import Placement, QualityFigure
from engine.analysis.quality.report_pages import HEAD, NOISE_HEAD, to_csv, to_pdf
from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.core.errors import DataError
from engine.data.error_map import ErrorMap
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save

KINDS = {phantom.kind: phantom for phantom in QUALITY_PHANTOMS}
N = 8
BODY = ImageGrid((13, 90, 100), (3.5, 3.5, 5.0))
MOUSE = ImageGrid((60, 44, 44), (0.8, 0.8, 1.0))
CYLINDER = ImageGrid((30, 24, 24), (2.0, 2.0, 2.0))
POINT = ImageGrid((25, 25, 25), (1.0, 1.0, 1.0))


def clean_of(kind: str) -> tuple[Volume, PhantomFacts]:
    """Return a phantom without noise, and facts with its position if needed."""
    grid = {"nema-nu2": BODY, "nema-nu4": MOUSE, "pet-cylinder": CYLINDER}.get(kind, POINT)
    x, y, z = (grid.centres_mm(axis) for axis in range(3))
    at = (z[:, None, None], y[None, :, None], x[None, None, :])
    facts = PhantomFacts()
    if kind == "pet-cylinder":
        values = 10.0 * ((np.hypot(at[1], at[2]) < 18) & (abs(at[0]) < 24))
    elif kind == "nema-points":
        values = 100 * np.exp(-(at[0] ** 2 + at[1] ** 2 + at[2] ** 2) / (2 * 2.0**2))
    else:
        layout = body_layout(facts) if kind == "nema-nu2" else nema_nu4.layout
        place = Placement((1.0, -2.0, 0.0), 30.0)
        facts = PhantomFacts(at=place)
        values = 10 * layout(*place.to_phantom(at[2], at[1], at[0]), min(grid.voxel_mm))
    values = np.broadcast_to(values, grid.shape).astype(np.float32)
    return Volume(values, grid, "Bq/mL"), facts


def noisy(clean: Volume, rng: np.random.Generator, n: int = N, sd: float = 0.5) -> Volume:
    draws = [
        clean.values + rng.normal(0, sd, clean.values.shape).astype(np.float32) for _ in range(n)
    ]
    return Volume(
        clean.values, clean.grid, clean.unit, error=ErrorMap.of(clean.values, draws, seed=3)
    )


PET = ("nema-nu2", "nema-nu4", "nema-points", "pet-cylinder")


@pytest.mark.parametrize("kind", PET)
def test_noise_equals_the_spread_over_replicates(kind: str, rng: np.random.Generator) -> None:
    clean, facts = clean_of(kind)
    volume = noisy(clean, rng)
    assert volume.error is not None

    report = KINDS[kind].measure(volume, facts)

    measure = KINDS[kind].located(clean, facts)
    single = [
        [each.value for each in measure(Volume(values, clean.grid, "Bq/mL")).figures]
        for values in volume.error.replicates()
    ]
    assert [each.value for each in report.figures] == [
        each.value for each in measure(clean).figures
    ]
    for figure, values in zip(report.figures, np.transpose(single), strict=True):
        assert figure.noise == pytest.approx(np.std(values, ddof=1)), figure
        quantile = stats.t.ppf(0.975, N - 1)
        assert figure.noise_half_width == pytest.approx(quantile * np.std(values, ddof=1))
    assert any(figure.noise > 0 for figure in report.figures if figure.noise is not None)


def test_noise_of_a_mean_equals_that_of_independent_voxels(rng: np.random.Generator) -> None:
    """For white noise the error is σ / √N over the N voxels of the interior."""
    clean, facts = clean_of("pet-cylinder")

    report = KINDS["pet-cylinder"].measure(noisy(clean, rng, n=200), facts)

    x, y, z = (CYLINDER.centres_mm(axis) for axis in range(3))
    # `find_cylinder` measures an interior that omits a quarter of radius and half length.
    inside = (np.hypot(x[None, :], y[:, None]) < 18 * 0.75).sum() * (abs(z) < 24 * 0.75).sum()
    figure = report.figure("Level")
    # 200 replicates give a standard deviation to 5 %; the border of the interior adds the rest.
    assert figure.noise == pytest.approx(0.5 / np.sqrt(inside), rel=0.2)


def test_report_without_an_error_map_has_no_noise() -> None:
    clean, facts = clean_of("pet-cylinder")

    report = KINDS["pet-cylinder"].measure(clean, facts)

    assert not report.has_noise
    record = report.as_dict()
    assert "replicates" not in record
    assert set(record["figures"][0]) == {"name", "value", "error", "unit", "group"}
    assert to_csv(report).splitlines()[0] == ",".join(HEAD)


def test_figure_missing_in_a_replicate_has_no_noise(rng: np.random.Generator) -> None:
    volume = noisy(clean_of("pet-cylinder")[0], rng)

    def figures(image: Volume) -> list[float]:
        if image.values[0, 0, 0] > 0.5:
            raise DataError("the corner is too bright.")
        return [float(image.values.mean()), np.nan]

    always = errors_of_figures(volume, [1.0, 2.0], lambda image: [float(image.values.max()), 1.0])
    assert all(each is not None for each in always)
    assert errors_of_figures(volume, [1.0, 2.0], figures)[1] is None
    bright = Volume(volume.values + 1, volume.grid, "")
    bright = noisy(bright, rng, sd=0.01)
    assert errors_of_figures(bright, [1.0, 2.0], figures) == (None, None)


def test_text_is_rounded_to_two_digits_of_the_noise() -> None:
    figure = QualityFigure("17 mm", 41.268, 2.13, "%", "Contrast recovery", 1.934, 4.048)

    assert figure.text() == "41.3 ± 2.1 %"
    assert figure.noise_text() == "± 1.9, 95 %: 37.2 to 45.3 %"
    assert QualityFigure("17 mm", 41.268, 2.13, "%").noise_text() == ""


@pytest.mark.parametrize("noise", 10.0 ** np.arange(-12, 3))
@pytest.mark.parametrize("value", [0.0, 2.3456789e-6, 0.023456789, 41.3456789, 234567.89])
def test_noise_of_any_size_is_written_with_few_digits(value, noise) -> None:
    """Formerly, tiny noise was written with eight decimals."""
    text = QualityFigure("a", value, None, "", noise=noise, noise_half_width=2 * noise).noise_text()
    numbers = re.findall(r"\d[\d.]*", text.partition("×")[0].replace("95 %", ""))
    assert len(numbers) == 3
    for each in numbers:
        assert len(each.replace(".", "").lstrip("0")) <= 6, text
        assert len(each.partition(".")[2]) <= 7, text
    assert len({len(each.partition(".")[2]) for each in numbers}) == 1, (
        "all numbers must have the same decimals"
    )


def test_command_prints_and_writes_the_noise(
    rng: np.random.Generator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    volume = noisy(clean_of("pet-cylinder")[0], rng)
    save(volume, tmp_path / "image.h5")
    command = ["quality", str(tmp_path / "image.h5"), "--phantom", "pet-cylinder", "-o"]

    for name in ("figures.json", "figures.csv", "pages.pdf"):
        assert main([*command, str(tmp_path / name)]) == DONE

    printed = capsys.readouterr().out
    assert "note: Noise is the standard deviation over 8 bootstrap replicates (seed 3)." in printed
    record = json.loads((tmp_path / "figures.json").read_text())
    assert record["replicates"] == {
        "method": "bootstrap",
        "replicates": 8,
        "seed": 3,
        "confidence": 0.95,
    }
    (head, *rows) = csv.reader(StringIO((tmp_path / "figures.csv").read_text()))
    assert head == [*HEAD, *NOISE_HEAD]
    for row, figure in zip(rows, record["figures"], strict=True):
        assert row[1] == figure["name"]
        assert float(row[5]) == pytest.approx(figure["noise"])
        assert float(row[6]) == pytest.approx(figure["noise_half_width"])
        assert row[7] == "8"
        assert QualityFigure(**figure).noise_text() in printed
    # The JSON next to the pages has the same figures.
    assert json.loads((tmp_path / "pages.json").read_text())["figures"] == record["figures"]


def test_pages_state_the_noise(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    texts: list[str] = []
    write = Figure.text

    def text(self: Figure, x: float, y: float, s: str, **more: object) -> object:
        texts.append(s)
        return write(self, x, y, s, **more)

    monkeypatch.setattr(Figure, "text", text)
    volume = noisy(clean_of("pet-cylinder")[0], rng)
    report = KINDS["pet-cylinder"].measure(volume, PhantomFacts())

    assert to_pdf(report, volume).startswith(b"%PDF")
    assert report.figure("Level").noise_text() in texts


SCAN = {"scanner_sha256": "a" * 64, "isotope": "F-18", "duration_s": 600.0}


def test_calibration_states_the_noise_of_its_mean(
    rng: np.random.Generator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    info = {"format": "isocenter-provenance-1", "scan": SCAN, "corrections": []}
    volume = replace(noisy(clean_of("pet-cylinder")[0], rng), unit="counts/mm", info=info)
    assert volume.error is not None
    inside = UprightCylinder((0.0, 0.0, 0.0), 12.0, 30.0)
    means = [each[inside.mask(CYLINDER)].mean(dtype=float) for each in volume.error.replicates()]
    expected = 100 * np.std(means, ddof=1) / 10

    _, measured = calibrate(volume, KnownActivity(1e6, 50.0), region=inside)
    _, without_error = calibrate(
        replace(volume, error=None), KnownActivity(1e6, 50.0), region=inside
    )

    assert measured["noise_percent"] == pytest.approx(expected)
    assert measured["replicates"] == "8 bootstrap replicates (seed 3)"
    assert without_error.keys() == measured.keys() - {
        "noise_percent",
        "noise_half_width_percent",
        "replicates",
    }
    save(volume, tmp_path / "image.h5")
    command = ["calibrate", str(tmp_path / "image.h5"), "-o", str(tmp_path / "c.json")]
    more = ["--activity-mbq", "1", "--volume-ml", "50", "--region", "0,0,0,12,30"]
    assert main([*command, *more]) == DONE
    assert f"noise of the mean: ± {expected:.2g} % (95 %: ± " in capsys.readouterr().out
