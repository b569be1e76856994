"""Remedies named by readers work, and every named command and extra exists."""

from __future__ import annotations

import ast
import io
import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import h5py
import numpy as np
import pytest
import tifffile

from engine.cli.main import main
from engine.core.errors import EngineError
from engine.io import read_projections, read_volume
from tests.engine.io.hdf5.test_hdf5_filters import UNKNOWN, packed_by
from tests.engine.io.remedies import COMMAND, FEW, ROOT, import_as_suggested
from tests.engine.io.xray import xray_files


def test_mrc_map_with_a_voxel_size_opens_and_without_is_imported(tmp_path: Path) -> None:
    mrcfile = pytest.importorskip("mrcfile")
    path = tmp_path / "scan.mrc"
    with mrcfile.new(path) as file:
        file.set_data(FEW)
        file.voxel_size = 0
    with pytest.raises(EngineError, match="save it with a voxel size") as fault:
        read_volume(path)
    assert "`isocenter import`" in str(fault.value)
    import_as_suggested(str(fault.value), path)
    with mrcfile.open(path, mode="r+") as file:
        file.voxel_size = 1e7
    assert read_volume(path).grid.voxel_mm == pytest.approx((1.0, 1.0, 1.0))


def test_filtered_hdf5_opens_after_saving_with_gzip(tmp_path: Path) -> None:
    path = packed_by(tmp_path, UNKNOWN)
    with pytest.raises(EngineError, match="or save the file with gzip or uncompressed"):
        read_projections(path)
    with h5py.File(path, "r+") as file:
        del file["exchange/data"]
        file.create_dataset("exchange/data", data=xray_files.counts(), compression="gzip")
    assert np.array_equal(read_projections(path).values, xray_files.counts())


def test_folder_of_images_is_imported(tmp_path: Path) -> None:
    for k, view in enumerate(FEW):
        tifffile.imwrite(tmp_path / f"view_{k:04}.tif", view)
    with pytest.raises(EngineError, match="this folder contains no scan or image") as fault:
        read_volume(tmp_path)
    import_as_suggested(str(fault.value), tmp_path)


def texts_of_the_program() -> Iterator[tuple[str, str]]:
    """Yield each string of the program, with its file."""
    for folder in ("engine", "app"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "isocenter " not in text and "isocenter[" not in text:
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield path.name, node.value


def test_every_named_command_exists() -> None:
    """The verb, its sub-verb and its options of `isocenter ...` in any message."""
    named = {each for _, text in texts_of_the_program() for each in COMMAND.findall(text)}
    assert len(named) > 15
    for each in named:
        words = shlex.split(each.replace("SUITE", "listmode"))[1:]
        words = [word for word in words if word[0] != "["]
        verb = [word for word in words if re.fullmatch("[a-z][a-z-]*", word)]
        if not verb:  # only VERB or --help
            continue
        with redirect_stdout(io.StringIO()) as output, pytest.raises(SystemExit) as end:
            main([*verb[:2], "--help"])
        assert end.value.code == 0, each
        usage = output.getvalue()
        assert usage.startswith(f"usage: isocenter {verb[0]}"), each
        for option in (word for word in words if word[0] == "-"):
            assert option in usage, each


def test_every_named_extra_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {
        name
        for _, text in texts_of_the_program()
        for names in re.findall(r"isocenter\[([a-z0-9,]+)\]", text)
        for name in names.split(",")
    }
    assert {"dicom", "filters"} <= named <= set(extras["optional-dependencies"])
