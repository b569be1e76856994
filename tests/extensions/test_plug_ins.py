"""Tests of plug-ins: packages that add features without changes to the program."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.algorithms import ALGORITHMS
from engine.core.plugins import GROUPS, plug_ins_of
from engine.data.volume import Volume
from engine.filters import FILTERS
from engine.geometry.grid import ImageGrid
from engine.io import read_volume
from engine.recon.priors.scale import PriorScale
from tests.extensions.conftest import RING
from tests.extensions.installed import EXAMPLES, ROOT, declare, install, program, run_with_packages

MAX_LINES = 60
SMALL = (
    "camera-slabs",
    "decay",
    "log-cosh",
    "rooted-em",
    "sideways",
    "statistics-panel",
    "unsharp-mask",
)


@pytest.mark.parametrize("name", SMALL)
def test_small_plug_in_is_short(name: str) -> None:
    lines = [
        line
        for path in (EXAMPLES / name).iterdir()
        if path.is_file()
        for line in path.read_text("utf-8").splitlines()
        if line.strip()
    ]
    assert len(lines) <= MAX_LINES


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder of installed packages with all small examples."""
    folder = tmp_path / "site"
    folder.mkdir()
    for name in SMALL:
        install(EXAMPLES / name, folder)
    return folder


def _set(*settings: str) -> list[str]:
    return [part for each in settings for part in ("--set", each)]


@pytest.mark.essential
def test_plug_in_features_appear_in_forms_settings_runs_and_records(
    site: Path, tmp_path: Path, pet_scan: list[str], ct_scan: list[str]
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "ring.toml").write_text(RING, encoding="utf-8")
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    slab = Volume(values, ImageGrid(values.shape, (1, 2, 3)), "")
    header = b"ObjectType = Image\nDimSize = 4 3 2\nElementSpacing = 1 2 3\n"
    data = header + b"ElementDataFile = LOCAL\n" + slab.values.astype("<f4").tobytes()
    (work / "a.slab").write_bytes(data)
    rooted = ("algorithm.kind=rooted", "algorithm.iterations=2", "finishing=[]")
    decay = ("corrections.decay.use=on", "corrections.decay.delay_s=6586.2")
    log_cosh = ("algorithm.kind=map", "algorithm.iterations=1", "algorithm.prior.kind=log_cosh")
    sharp = 'finishing=[{kind="unsharp", amount=2.0}]'
    moved = ("steps.sideways.use=on", "steps.sideways.columns=3")

    answers, errors = run_with_packages(
        site,
        work,
        pet_scan,
        ["reconstruct", "scan.h5", "-o", "plain.h5", *_set(*rooted)],
        ["reconstruct", "scan.h5", "-o", "decayed.h5", *_set(*rooted, *decay)],
        ["reconstruct", "scan.h5", "-o", "prior.h5", *_set(*log_cosh)],
        [*(part.replace("scan.h5", "ct.h5") for part in ct_scan)],
        ["reconstruct", "ct.h5", "-o", "moved.h5", *_set(*moved, sharp)],
        ["export", "a.slab", "slab.nii.gz"],
        offered_texts={},
        settings_pages={},
        window={"paths": ["slab.nii.gz"], "tab": "Statistics"},
    )

    assert "is skipped" not in errors
    names = ("plain", "decayed", "prior", "moved")
    plain, decayed, map_image, ct = (read_volume(work / f"{name}.h5") for name in names)
    assert "prior: Log-cosh" in errors and map_image.values.max() > 0
    seen = plain.values > 0.01 * plain.values.max()
    np.testing.assert_allclose(decayed.values[seen] / plain.values[seen], 2, rtol=1e-3)
    np.testing.assert_array_equal(read_volume(work / "slab.nii.gz").values, slab.values)
    features = {
        "plain": ["algorithms: rooted"],
        "decayed": ["corrections: decay", "algorithms: rooted"],
        "prior": ["priors: log_cosh"],
        "moved": ["filters: unsharp", "steps: sideways"],
    }
    for volume, expected in zip((plain, decayed, map_image, ct), features.values(), strict=True):
        records = volume.info["plug_ins"]
        assert sorted(f for each in records for f in each["features"]) == sorted(expected)
        assert all(each["version"] == "1.0" and len(each["sha256"]) == 64 for each in records)
    assert "Statistics" in answers["window"][0]["tabs"]
    assert "Maximum 23" in str(answers["window"][-1]["words"])
    words = answers["offered_texts"]
    assert {"Rooted EM", "Decay", "Unsharp mask"} <= set(words["pet"])
    assert {"Detector sideways", "Unsharp mask"} <= set(words["ct"])
    assert all("Log-cosh" in words[each] for each in ("pet", "pet-sinogram", "dual-head"))
    assert {"Rooted EM"} <= set(words["dual-head"]) and "Rooted EM" not in words["ct"]
    assert all(
        f'kind "{kind}"' in answers["settings_pages"] for kind in ("rooted", "unsharp", "log_cosh")
    )


BROKEN: dict[str, tuple[str, str, str]] = {
    # name: group, value, source of the module
    "no-module": ("filters", "nowhere:Thing", ""),
    "no-attribute": ("filters", "{m}:Thing", "x = 1"),
    "syntax": ("filters", "{m}:Thing", "class Thing("),
    "raises": ("filters", "{m}:Thing", "raise RuntimeError('no licence')"),
    "exits": ("filters", "{m}:Thing", "import sys; sys.exit(3)"),
    "wrong-library": ("filters", "{m}:Thing", "import a_library_that_is_not_there"),
    "a-number": ("filters", "{m}:Thing", "Thing = 3"),
    "a-function": ("filters", "{m}:Thing", "def Thing(): pass"),
    "another-class": ("filters", "{m}:Thing", "class Thing: pass"),
    "no-group": ("filter", "{m}:Thing", "Thing = 3"),
    "no-colon": ("filters", "{m} Thing", "Thing = 3"),
    "no-apply": (
        "filters",
        "{m}:Thing",
        "from typing import ClassVar, Literal\n"
        "from engine.recon.postprocess.base import Filter\n"
        "class Thing(Filter):\n"
        "    title: ClassVar[str] = 'T'\n    kind: Literal['t'] = 't'\n",
    ),
    "our-name": (
        "filters",
        "{m}:Thing",
        "from typing import Literal\n"
        "from engine.recon.postprocess.gaussian import Gaussian\n"
        "class Thing(Gaussian):\n    pass\n",
    ),
    "no-default": (
        "filters",
        "{m}:Thing",
        "from typing import Literal\n"
        "from engine.recon.postprocess.gaussian import Gaussian\n"
        "class Thing(Gaussian):\n    kind: Literal['n'] = 'n'\n    amount: float\n",
    ),
    "no-title": (
        "filters",
        "{m}:Thing",
        "from typing import ClassVar, Literal\n"
        "from engine.recon.postprocess.gaussian import Gaussian\n"
        "class Thing(Gaussian):\n    title: ClassVar[str] = ''\n    kind: Literal['e'] = 'e'\n",
    ),
    "no-data": (
        "algorithms",
        "{m}:Thing",
        "from typing import Literal\n"
        "from engine.recon.algorithms.osem import Osem\n"
        "class Thing(Osem):\n    kind: Literal['mine'] = 'mine'\n",
    ),
    "of-projections": (
        "corrections",
        "{m}:Thing",
        "from typing import ClassVar\n"
        "from engine.corrections.preprocess.rings import Rings\n"
        "class Thing(Rings):\n    kind: ClassVar[str] = 'mine'\n",
    ),
    "a-step-of-counts": (
        "steps",
        "{m}:Thing",
        "from engine.corrections.attenuation import Attenuation as Thing\n",
    ),
    "kind-of-any-text": (
        "filters",
        "{m}:Thing",
        "from engine.recon.postprocess.gaussian import Gaussian\n"
        "class Thing(Gaussian):\n    title = 'T'\n    kind: str = 'any'\n",
    ),
    "a-bare-prior": ("priors", "{m}:Thing", "from engine.priors import Quadratic as Thing"),
    "no-prior": (
        "priors",
        "{m}:Thing",
        "from typing import ClassVar, Literal\n"
        "from engine.recon.algorithms.prior_choices import PriorChoice\n"
        "class Thing(PriorChoice):\n"
        "    title: ClassVar[str] = 'T'\n    kind: Literal['t'] = 't'\n",
    ),
    "our-prior": (
        "priors",
        "{m}:Thing",
        "from engine.recon.algorithms.prior_choices import HuberChoice\n"
        "class Thing(HuberChoice):\n    pass\n",
    ),
    "no-suffix": (
        "formats",
        "{m}:Thing",
        "from engine.io.base import VolumeReader\n"
        "class Thing(VolumeReader):\n    name = 'Mine'\n"
        "    @classmethod\n    def read(cls, file): ...\n",
    ),
    "no-panel": ("panels", "{m}:Thing", "class Thing: title = 'T'"),
    "panel-that-fails": (
        "panels",
        "{m}:Thing",
        "from PySide6.QtWidgets import QWidget\n"
        "class Thing(QWidget):\n    title = 'Failing'\n"
        "    def __init__(self, context): raise KeyError('no colour')\n",
    ),
    "no-entry": ("modalities", "{m}:Thing", "Thing = 'SPECT'"),
    "modality-in-pieces": (
        "modalities",
        "{m}:Thing",
        "from engine.modalities.modality_list import ModalityEntry, never\n"
        "Thing = ModalityEntry(key='m', place='nowhere.Modality', accepts=never)\n",
    ),
}


@pytest.mark.essential
def test_each_broken_plug_in_gives_one_sentence_without_a_crash(tmp_path: Path) -> None:
    site, work = tmp_path / "site", tmp_path / "work"
    work.mkdir()
    for name, (group, value, source) in BROKEN.items():
        module = f"broken_{name.replace('-', '_')}"
        declare(site, name, "0.1", {f"isocenter.{group}": {"thing": value.format(m=module)}})
        (site / f"{module}.py").write_text(source, encoding="utf-8")

    shown = {"paths": [], "tab": "Results"}
    answers, errors = run_with_packages(
        site, work, ["protocols"], offered_texts={}, window=shown, plug_in_problems={}
    )

    problems = answers["plug_in_problems"]
    for name in BROKEN:
        facts = [each for each in problems if f"the plug-in {name} 0.1 is skipped" in each]
        assert len(facts) == 1, (name, problems)
        assert facts[0].endswith(f"Update or uninstall {name}.") and "\n" not in facts[0]
        assert errors.count(facts[0]) == 1
    assert len(problems) == len(BROKEN) >= 20
    assert "Gaussian" in answers["offered_texts"]["pet"]
    assert "Failing" not in answers["window"][0]["tabs"]


def test_docs_list_all_entry_point_groups() -> None:
    page = (EXAMPLES.parents[1] / "docs" / "contributing" / "plug-ins.md").read_text("utf-8")
    assert all(f"isocenter.{group}" in page for group in GROUPS)


def test_prior_in_the_docs_equals_the_example() -> None:
    page = (EXAMPLES.parents[1] / "docs" / "contributing" / "plug-ins.md").read_text("utf-8")
    module = (EXAMPLES / "log-cosh" / "isocenter_log_cosh.py").read_text("utf-8")
    assert f"```python\n{module}```" in page


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_example_prior_satisfies_the_laws_of_priors(dtype: type[np.floating[Any]]) -> None:
    names = runpy.run_path(str(EXAMPLES / "log-cosh" / "isocenter_log_cosh.py"))
    rng = np.random.default_rng(1)
    x, v = rng.random((2, 4, 5, 6)).astype(dtype)
    kappa = rng.random(x.shape).astype(np.float32)
    prior = names["LogCoshPrior"](PriorScale((2.0, 3.0, 3.0), 1.0, 1.7, kappa), 0.2)
    gradient, bent, bound = prior.gradient(x), prior.hessian_times(x, v), prior.curvature(x)
    assert gradient.dtype == bent.dtype == bound.dtype == dtype
    assert np.vdot(v, bent) <= np.vdot(bound, v**2)
    # δ² (|d| / δ − log 2) of a large difference d, for which cosh overflows
    two = np.array([[[0, 1e4]]], dtype)
    alone = names["LogCoshPrior"](PriorScale((1.0, 1.0, 1.0), 1.0, 1.0, np.ones_like(two)), 0.2)
    assert alone.value(two) == pytest.approx(0.2 * 1e4 - 0.04 * np.log(2), rel=1e-6)
    if dtype == np.float64:
        h = 1e-6
        slope = (prior.value(x + h * v) - prior.value(x - h * v)) / (2 * h)
        np.testing.assert_allclose(np.vdot(gradient, v), slope, rtol=1e-7)
        bend = (prior.gradient(x + h * v) - prior.gradient(x - h * v)) / (2 * h)
        np.testing.assert_allclose(bent, bend, rtol=1e-6, atol=1e-6 * abs(bend).max())


def test_own_classes_belong_to_no_plug_in() -> None:
    assert plug_ins_of([*ALGORITHMS, *FILTERS]) == []


IMPORTED_FIRST = """
import importlib, json, sys
module = importlib.import_module(sys.argv[1])
from engine.core.plugins import features, plug_ins_of, problems
from engine.modalities import used_plug_ins
used_plug_ins()
objects = [each.value.partition(":")[2] for each in features()]
classes = [getattr(module, name) for name in objects]
known = [each["features"] for each in plug_ins_of(classes)]
print(json.dumps([list(problems()), known, module is sys.modules[sys.argv[1]]]))
"""
"""Import the module of a plug-in before the program loads its tables."""


def _imported_first(site: Path, module: str) -> list[Any]:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED_FIRST, module],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(site)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", sorted(set(SMALL) - {"statistics-panel"}))
def test_script_can_import_a_plug_in_module_first(tmp_path: Path, name: str) -> None:
    install(EXAMPLES / name, tmp_path)
    module = f"isocenter_{name.replace('-', '_')}"
    skipped, known, same = _imported_first(tmp_path, module)
    assert skipped == [] and same
    assert [len(each) for each in known] == [1]


MIXED = """
from typing import ClassVar, Literal
from engine.core.settings import setting
from engine.io.base import ListModeReader
from engine.recon.algorithms.prior_choices import HuberChoice
from engine.recon.postprocess.gaussian import Gaussian
class Reader(ListModeReader):
    name, suffixes = "Mixed", (".mixed",)
    @classmethod
    def accepts(cls, file): return file.head.startswith(b"MIXED") or 1 / 0
    @classmethod
    def read(cls, file, *, scanner=None): raise KeyError("no events")
class Prior(HuberChoice):
    kind: Literal["mixed_prior"] = "mixed_prior"
    def prior_for(self, scale): raise ValueError("no prior")
class Filter(Gaussian):
    kind: Literal["mixed_filter"] = "mixed_filter"
"""


def _mixed(site: Path) -> None:
    """Install a package with three kinds of features in one nested module."""
    folder = site / "mixed"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("from mixed.parts import Filter, Prior, Reader\n")
    (folder / "parts.py").write_text(MIXED, encoding="utf-8")
    kinds = {"formats": "Reader", "priors": "Prior", "filters": "Filter"}
    points = {f"isocenter.{kind}": {"mixed": f"mixed:{one}"} for kind, one in kinds.items()}
    declare(site, "mixed", "0.3", points)


@pytest.mark.parametrize("module", ["mixed", "mixed.parts"])
def test_one_module_can_define_features_of_several_kinds(tmp_path: Path, module: str) -> None:
    _mixed(tmp_path)
    skipped, known, same = _imported_first(tmp_path, module)
    assert skipped == [] and same
    assert known == [["filters: mixed", "formats: mixed", "priors: mixed"]]


def test_error_names_the_plug_in(tmp_path: Path, pet_scan: list[str]) -> None:
    site, work = tmp_path / "site", tmp_path / "work"
    work.mkdir()
    (work / "ring.toml").write_text(RING, encoding="utf-8")
    _mixed(site)
    (work / "a.mixed").write_bytes(b"MIXED")
    assert program(site, work, *pet_scan).returncode == 0

    errors = program(site, work, "inspect", "a.mixed").stderr
    problem = "the plug-in mixed 0.3 cannot read this file (KeyError: 'no events')"
    assert f"a.mixed: {problem}. Please report this to the authors of the plug-in." in errors

    # Another file is still read: the reader that fails for it is skipped.
    done = program(site, work, "inspect", "ring.toml")
    reason = "Reader.accepts fails (ZeroDivisionError: division by zero)"
    assert done.returncode == 0 and "Tiny ring" in done.stdout
    assert f"'mixed' of the plug-in mixed 0.3 is skipped: {reason}." in done.stderr

    settings = ("algorithm.kind=map", "algorithm.prior.kind=mixed_prior")
    done = program(site, work, "reconstruct", "scan.h5", "-o", "a.h5", *_set(*settings))
    assert done.returncode == 1
    assert "error in the plug-in mixed 0.3: ValueError: no prior. Please report it" in done.stderr
