"""Every code block in README, guide and examples runs, or is listed here with a reason."""

from __future__ import annotations

import json
import os
import shlex
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from engine.cli.main import main, parser
from engine.core.plugins import GROUPS, PREFIX
from engine.core.settings import parse
from engine.geometry.dual_head import DualHeadSettings
from engine.geometry.ring import RingSettings
from engine.io.auxiliary.tracer_file import read_tracer
from engine.io.xray.sidecar.settings import Sidecar
from engine.modalities.studies import read_study
from tests.libraries.environment import NOT_INSTALLED
from tests.packaging.blocks import ROOT, Block, blocks, commands, fill

BLOCKS = blocks()
SMALLER = {
    "simulate listmode": "--scanner tiny.toml --phantom cylinder --prompts 2000 --force",
    "simulate projections": "--views 24 --detector 24 12 --pixel 12 --force",
    "simulate histogram": "--scanner test-panels --prompts 2000 --force",
    "response build": "--scanner test-panels --points 256 --force",
    "calibrate": "--region 0,0,0,15,12 --force",
    "reconstruct": "--device cpu --force",
}
"""Options that make a command fast and let it replace existing files. A later option wins."""
CLUSTER = "tcp://10.0.0.1:8786"
ONLY_PARSED = {
    "isocenter": "opens the window",
    "isocenter demo": "tests/engine/modalities/test_demos.py runs the demos",
    "isocenter quality": (
        "needs a phantom; tests/engine/analysis/quality/test_quality_phantoms.py has some"
    ),
    "isocenter bench": "takes minutes; tests/engine/tools/benchmark runs its parts",
    "isocenter export pet.nii.gz pet.bids": "as tests/engine/io/bids/test_bids.py does",
    "isocenter dicom": (
        "needs an image and a node; tests/engine/io/dicom/test_dicom_network.py has both"
    ),
    "isocenter live": "waits for a detector; tests/engine/cli/live/test_live.py plays scans",
    "isocenter tune": "takes a minute; tests/engine/tools/tuning runs it on little work",
    "isocenter gpu-check": (
        "needs a card; tests/engine/tools/benchmark/test_gpu_check.py has a stand-in"
    ),
    "isocenter doctor --gpu": "needs a GPU; tests/engine/selftest uses an emulated one",
    "isocenter import": "needs a scan without metadata; tests/engine/raw_import makes some",
    "isocenter sinogram": (
        "needs sinograms; tests/engine/io/interfile/test_sinogram_interfile.py has some"
    ),
    "isocenter reconstruct FOLDER -o image.h5": "as tests/engine/modalities/ring_sinogram_pet does",
    f"isocenter reconstruct study.toml -o image.nii.gz --scheduler {CLUSTER} --split 8": (
        "needs workers; tests/engine/jobs/test_shards.py has some"
    ),
    "isocenter inspect FOLDER": "as tests/engine/modalities/ring_sinogram_pet does",
    "isocenter curve": "needs frames; tests/app/analysis/measure/test_time_curve.py makes some",
    "isocenter regions": (
        "needs an image; tests/engine/analysis/regions/test_region_files.py makes some"
    ),
    "isocenter mu-map": "needs a CT; tests/engine/cli/test_mu_map_verb.py has some",
    "isocenter register": (
        "needs two images of a body; tests/engine/analysis/registration makes some"
    ),
    "isocenter normalise": "needs scans of a source; tests/engine/cli/test_normalise.py has one",
    "isocenter queue": "needs studies; tests/engine/cli/test_queue_verb.py has some",
    "isocenter report": "needs a result; tests/engine/results/reports/test_report.py has some",
    "isocenter verify": (
        "needs a report; tests/engine/results/reports/test_signed_reports.py has some"
    ),
    "isocenter resume": "needs an interrupted job; tests/engine/jobs/test_resume.py resumes one",
}
ONLY_NAMED = (
    "python3 packaging/bootstrap.py",
    ".venv/bin/python -m pytest",
    ".venv/bin/python -m tests.long_tier",
    ".venv/bin/python -m ruff",
    ".venv/bin/python -m mypy",
    ".ci/run",
    ".ci/newest",
    "python examples/",
    "python -m tests.emulator",
)
"""Commands that set up or test the project itself. The files that they name must exist."""


def blocks_in(*languages: str) -> list[Block]:
    """Return the blocks in given languages."""
    return [block for block in BLOCKS if block.language in languages]


def test_every_block_is_in_a_checked_language() -> None:
    assert len(BLOCKS) > 20
    assert {block.language for block in BLOCKS} <= {"python", "toml", "json", ""}


@pytest.mark.parametrize("block", blocks_in("python"), ids=lambda block: block.name)
def test_python_block_runs(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "import torch" in block.text:
        # tests/libraries runs these blocks if the library is installed
        pytest.importorskip("torch", reason=NOT_INSTALLED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    if '"scan.h5"' in block.text:
        fill(tmp_path)
    module = ModuleType("block")
    # Generic models of pydantic look up the module that defines them
    monkeypatch.setitem(sys.modules, "block", module)
    exec(compile(block.text, block.name, "exec"), vars(module))
    assert any(not name.startswith("__") for name in vars(module))


@pytest.mark.parametrize("block", blocks_in("toml"), ids=lambda block: block.name)
def test_toml_block_is_read(block: Block, tmp_path: Path) -> None:
    values = tomllib.loads(block.text)
    kinds = {"ring": RingSettings, "dual-head": DualHeadSettings}
    if "data" in values:
        (tmp_path / "study.toml").write_text(block.text, encoding="utf-8")
        assert read_study(tmp_path / "study.toml").data.parent == tmp_path
    elif "tracer" in values:
        (tmp_path / "tracer.toml").write_text(block.text, encoding="utf-8")
        assert read_tracer(tmp_path / "tracer.toml").facts()
    elif values.get("format") == "isocenter-projections":
        assert parse(Sidecar, values, where=block.name)
    elif "project" in values:
        groups = {group.removeprefix(PREFIX) for group in values["project"]["entry-points"]}
        assert groups and groups <= set(GROUPS)
    else:
        assert parse(kinds[values["kind"]], values, where=block.name).name


@pytest.mark.parametrize("block", blocks_in("json"), ids=lambda block: block.name)
def test_json_block_is_read(block: Block) -> None:
    assert json.loads(block.text)


@pytest.mark.parametrize("block", blocks_in(""), ids=lambda block: block.name)
def test_commands_of_a_block_run(
    block: Block,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    if any(is_run(command) for command in commands(block)):
        fill(tmp_path)
    for command in commands(block):
        check(command, capsys)


def check(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a command, or check it as far as the lists above allow."""
    words = shlex.split(command)
    if is_run(command):
        added = next((more for verb, more in SMALLER.items() if f" {verb} " in command), "")
        assert main([*words[1:], *added.split()]) == 0, capsys.readouterr().err
    elif words[0] == "isocenter":
        assert only_parsed(command)
        assert len(words) == 1 or parser().parse_args(words[1:]).act
    else:
        assert any(command.startswith(known) for known in ONLY_NAMED), command
        named = [word for word in words if "/" in word and not word.startswith(".venv")]
        assert all((ROOT / word).exists() for word in named), command


def is_run(command: str) -> bool:
    """Return whether a command of the program is run here."""
    return command.startswith("isocenter ") and not only_parsed(command)


def only_parsed(command: str) -> bool:
    """Return whether only the options of a command are checked."""
    words = command.split()
    return " ".join(words[:2]) in ONLY_PARSED or command in ONLY_PARSED


def test_examples_are_listed_by_file_name() -> None:
    listed = {path.name for path in (ROOT / "examples").glob("*.py")}
    text = (ROOT / "examples" / "README.md").read_text("utf-8")
    assert all(name in text for name in listed)
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
