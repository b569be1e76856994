"""User programs pass a strict type check: paths as text, protocols by name, tables."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import isocenter as iso
from tests.architecture import Source
from tests.packaging.doc_code import type_faults
from tests.programs import programs

PROTOCOLS = (
    iso.CtProtocol,
    iso.DualHeadProtocol,
    iso.ListModeProtocol,
    iso.RingSinogramProtocol,
)
PROGRAM = '''"""A program of a user."""

import numpy as np

import isocenter as iso

study = iso.Study(data="scan.h5", attenuation="mu.nii.gz", protocol="brain-fdg")
own = iso.ListModeProtocol(
    grid={"voxel_mm": (2, 2, 2)},
    algorithm={"kind": "osem", "iterations": 4, "subsets": 21},
    finishing=[{"kind": "gaussian", "fwhm_mm": 4}],
)
same: iso.Study = iso.read_study("study.toml")
volume: iso.Volume = iso.reconstruct(study)
other = iso.reconstruct(iso.read("scan.h5"), own, inputs={"attenuation": "mu.nii.gz"})
orbit = iso.parallel(np.linspace(0, 3, 9), shape=(1, 16), pixel_mm=1.0)
image = iso.reconstruct(iso.Projections(np.zeros((9, 16)), orbit), iso.CtProtocol(name="Mine"))
record = image.record
print(image.unit, record.algorithm if record is not None else "", same.title)
'''


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_typed_constructors_name_every_field(protocol: type) -> None:
    source = inspect.getsource(protocol)
    names = [
        [each.arg for each in node.args.kwonlyargs]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name == "__init__"
    ]
    assert [set(each) for each in names] == [set(protocol.model_fields)]


def test_typed_constructor_of_a_study_names_every_field() -> None:
    (values,) = (
        node
        for node in ast.walk(ast.parse(inspect.getsource(iso.Study)))
        if isinstance(node, ast.FunctionDef) and node.name == "__init__"
    )
    assert {each.arg for each in values.args.kwonlyargs} == set(iso.Study.model_fields)


@pytest.mark.slow
def test_programs_pass_the_type_check() -> None:
    text = inspect.getsource(programs)
    assert type_faults([Source("examples/programs.py", text)]) == []


@pytest.mark.slow
def test_correct_program_passes_and_mistakes_are_found() -> None:
    assert type_faults([Source("examples/program.py", PROGRAM)]) == []
    wrong = PROGRAM.replace('name="Mine"', "heading=1").replace(
        'protocol="brain-fdg"', "protocol=3"
    )
    faults = type_faults([Source("examples/program.py", wrong)])
    assert any('Unexpected keyword argument "heading"' in each for each in faults)
    assert any(
        'Argument "protocol" to "Study" has incompatible type "int"' in each for each in faults
    )


def test_accepted_argument_types_work_at_run_time(tmp_path: Path) -> None:
    study = iso.Study(data="scan.h5", protocol="brain-fdg")
    assert study.protocol == iso.find_protocol("brain-fdg")
    assert study.data == Path("scan.h5")
    table = iso.Study(data="scan.h5", protocol={"modality": "ct", "name": "Mine"})
    assert isinstance(table.protocol, iso.CtProtocol)
    path = tmp_path / "study.toml"
    path.write_text('data = "scan.h5"\nprotocol = {modality = "ct", name = "Mine"}\n')
    assert iso.read_study(str(path)).protocol == table.protocol


def test_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        iso.EngineError, match="'brain' is not a known protocol; choose from brain-fdg"
    ):
        iso.Study(data="scan.h5", protocol="brain")


@pytest.mark.slow
def test_examples_and_notebooks_pass_a_strict_type_check() -> None:
    folder = Path(__file__).resolve().parents[2] / "examples"
    paths = [*sorted(folder.glob("*.py")), *sorted(folder.glob("notebooks/*.py"))]
    assert len(paths) >= 26
    # Without PyTorch, its classes have no type, and the classes of the examples extend them.
    options = ("--strict", "--allow-subclassing-any")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *map(str, paths)],
        cwd=paths[0].parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
