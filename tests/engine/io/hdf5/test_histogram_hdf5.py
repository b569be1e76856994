"""Tests of our HDF5 histograms: round trips, and refusal of faulty files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from engine.core.errors import (
    DataError,
    EngineError,
    FileFormatError,
    GeometryError,
    UnknownFormatError,
)
from engine.core.settings import to_toml
from engine.data.histogram import Histogram, histogrammed
from engine.data.listmode import ListMode
from engine.io import (
    inspect,
    is_histogram,
    read_histogram,
    read_listmode,
    write_histogram,
    write_listmode,
)
from tests.engine.geometry.panels import panels
from tests.engine.io.hdf5.unsealed_files import unseal

COLUMNS = ("prompts", "delayeds", "additive", "normalisation", "efficiencies")


@pytest.fixture
def data(rng: np.random.Generator) -> Histogram:
    """Return a histogram with every column; counts are integers or floats."""
    scanner = panels()
    n = scanner.n_lors
    prompts, delayeds, additive = rng.poisson(3, n), rng.poisson(1, n), rng.random(n)
    return Histogram(
        scanner,
        prompts.astype(np.float32),
        delayeds.astype(np.float32),
        additive.astype(np.float32),
        rng.random(n).astype(np.float32),
        rng.random(scanner.n_crystals).astype(np.float32),
        duration_s=12.5,
        info={"isotope": "F-18"},
    )


@pytest.fixture
def path(data: Histogram, tmp_path: Path) -> Path:
    write_histogram(data, tmp_path / "scan.h5")
    return tmp_path / "scan.h5"


def test_histogram_is_restored(data: Histogram, path: Path) -> None:
    assert is_histogram(path)
    found = read_histogram(path)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(found, name), getattr(data, name))
        assert getattr(found, name).dtype == np.float32
    assert found.scanner.settings == data.scanner.settings
    assert (found.duration_s, found.info) == (12.5, {"isotope": "F-18"})


def test_prompts_alone_as_integers_are_sufficient(path: Path, data: Histogram) -> None:
    with h5py.File(path, "r+") as file:
        unseal(file)
        for name in ("delayeds", "additive", "normalisation", "prompts"):
            del file[f"histogram/{name}"]
        del file["efficiencies"]
        file["histogram/prompts"] = data.prompts.astype("<u2")
    found = read_histogram(path)
    np.testing.assert_array_equal(found.prompts, data.prompts)
    assert found.delayeds is None and found.efficiencies is None


def test_list_mode_scan_is_converted_to_counts(tmp_path: Path, rng: np.random.Generator) -> None:
    scanner = panels()
    crystals = rng.integers(scanner.n_crystals, size=(200, 2)).astype(np.int32)
    scan = ListMode(scanner, crystals[crystals[:, 0] != crystals[:, 1]])
    write_listmode(scan, tmp_path / "events.h5")
    found = read_histogram(tmp_path / "events.h5")
    np.testing.assert_array_equal(found.prompts, histogrammed(scan).prompts)
    assert not is_histogram(tmp_path / "events.h5")


def test_efficiencies_have_one_value_per_crystal_of_the_scan(
    path: Path, tmp_path: Path, rng: np.random.Generator
) -> None:
    """A list-mode scan has crystals in all layers, a histogram only in one."""
    two = panels(n_layers=2)
    write_listmode(ListMode(two, two.lors(np.arange(9))), tmp_path / "events.h5")
    for scan, n in ((tmp_path / "events.h5", two.n_crystals), (path, two.n_crystals // 2)):
        (tmp_path / "e.txt").write_text("\n".join(f"{v:.4f}" for v in np.full(n, 0.25)))
        found = read_histogram(scan, efficiencies=tmp_path / "e.txt").efficiencies
        np.testing.assert_allclose(found, 0.25)
        (tmp_path / "e.txt").write_text("\n".join("1" for _ in range(n + 1)))
        with pytest.raises(EngineError, match=r"e\.txt"):
            read_histogram(scan, efficiencies=tmp_path / "e.txt")


def test_named_scanner_can_have_another_grid(path: Path, tmp_path: Path) -> None:
    other = panels(n_planes=3, name="other image")
    (tmp_path / "other.toml").write_text(to_toml(other.settings))
    assert read_histogram(path, str(tmp_path / "other.toml")).scanner.grid == other.grid
    others = ({"separation_mm": 20}, {"pitch_mm": 2.1}, {"n_columns": 5}, {"n_layers": 2})
    for changes in others:
        (tmp_path / "other.toml").write_text(to_toml(panels(**changes).settings))
        with pytest.raises(
            GeometryError, match=r"histogram is from 'tiny panels', but .* or omit it"
        ):
            read_histogram(path, str(tmp_path / "other.toml"))


def _set(name: str, values: object) -> Callable[[h5py.File], None]:
    def act(file: h5py.File) -> None:
        del file[name]
        file[name] = values

    return act


def _negative(file: h5py.File) -> None:
    values = file["histogram/prompts"][()]
    values[41] = -2
    _set("histogram/prompts", values)(file)


def _no_number(file: h5py.File) -> None:
    values = file["histogram/additive"][()]
    values[7] = np.nan
    _set("histogram/additive", values)(file)


def _changed(file: h5py.File) -> None:
    file["histogram/delayeds"][3] += 1


def _other_attenuation(file: h5py.File) -> None:
    item = file["scanner/dual_head_toml"]
    item[()] = bytes(item[()]).replace(b"0.087", b"0.085")


@pytest.mark.parametrize(
    ("damage", "kind", "sentence"),
    [
        (
            _negative,
            DataError,
            "value 41 of the dataset 'histogram/prompts' is -2.0, expected at least 0",
        ),
        (_no_number, DataError, "value 7 of the dataset 'histogram/additive' is nan"),
        (_changed, FileFormatError, "delayeds' has changed since it was written"),
        (
            _set("histogram/prompts", np.zeros(99, np.float32)),
            FileFormatError,
            "prompts' has 99 values, but 'tiny panels' needs 225",
        ),
        (
            _set("histogram/prompts", np.zeros(225)),
            FileFormatError,
            "'histogram/prompts' has the type float64, expected float32 or integers",
        ),
        (
            _set("scanner/dual_head_toml", np.bytes_(to_toml(panels(n_layers=2).settings))),
            FileFormatError,
            "prompts' has 225 values, but 'tiny panels' needs 900.* in 2 layers",
        ),
        (
            lambda file: file.move("histogram/delayeds", "histogram/delays"),
            FileFormatError,
            "unknown histogram columns delays, expected prompts, delayeds",
        ),
        (_other_attenuation, FileFormatError, "'scanner/dual_head_toml' has changed since"),
        (lambda file: file.attrs.modify("duration_s", -1.0), FileFormatError, "duration_s is -1"),
        (
            lambda file: file.attrs.modify("version", 9),
            FileFormatError,
            "version 9 of the format .* expected",
        ),
        (
            lambda file: file.pop("histogram/prompts"),
            FileFormatError,
            "contains no dataset 'histogram/prompts'",
        ),
    ],
)
def test_damaged_file_gives_one_sentence(
    path: Path, damage: Callable[[h5py.File], None], kind: type[EngineError], sentence: str
) -> None:
    with h5py.File(path, "r+") as file:
        unseal(file)
        damage(file)
    with pytest.raises(kind, match=rf"^scan\.h5: .*{sentence}.*\.$"):
        read_histogram(path)


@pytest.mark.parametrize("part", [0.3, 0.7])
def test_truncated_file_is_refused(path: Path, part: float) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: int(part * len(whole))])
    with pytest.raises(EngineError):
        read_histogram(path)


def test_other_readers_name_the_file_type(path: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError, match="of type 'Isocenter histogram'"):
        read_listmode(path)
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(
        UnknownFormatError, match=r"unknown file type.*'histogram or list-mode scan'"
    ):
        read_histogram(tmp_path / "notes.txt")


def test_inspection_states_lines_and_counts(path: Path, data: Histogram) -> None:
    report = inspect(path)
    assert report.format == "Isocenter histogram" and report.usable
    facts = dict(report.facts)
    assert (facts["Lines"], facts["Prompts"]) == ("225", f"{data.n_prompts:,.0f}")
