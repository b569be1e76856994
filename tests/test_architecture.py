"""The source follows the architecture rules, and each rule finds a planted violation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture import (
    JUDGE_RULES,
    RULES,
    Rule,
    Source,
    absolute_imports,
    files_read_in_loader,
    judge_is_independent,
    layers_of_app,
    layers_of_engine,
    long_files,
    long_functions,
    no_assert,
    no_blind_except,
    no_print,
    no_tests,
    restricted_libraries,
    short_files,
    short_functions,
    sources,
)

ROOT = Path(__file__).resolve().parent.parent
LONG_FUNCTION = "def f():\n" + "    x = 1\n" * 81
TYPES = (
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
    "    from engine.recon.model import SystemModel"
)


@pytest.mark.essential
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_tree_follows_the_rule(rule: Rule) -> None:
    tree = sources(ROOT)
    assert len(tree) > 50, "the files were not found"
    found = [f"{s.path}:{line}: {text}" for s in tree for line, text in rule(s)]
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize("rule", JUDGE_RULES, ids=lambda rule: rule.__name__)
def test_judge_follows_the_rule(rule: Rule) -> None:
    judge = sources(ROOT, ("tests/judge",))
    assert len(judge) > 10, "the files were not found"
    found = [f"{s.path}:{line}: {text}" for s in judge for line, text in rule(s)]
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    ("rule", "path", "code", "line"),
    [
        (layers_of_engine, "engine/geometry/ring.py", "import engine.io", 1),
        (
            layers_of_engine,
            "engine/geometry/ring.py",
            "def f():\n    from engine.io import read",
            2,
        ),
        (
            layers_of_engine,
            "engine/data/runs/events.py",
            "from engine.jobs import reconstruction",
            1,
        ),
        (
            layers_of_engine,
            "engine/recon/algorithms/osem.py",
            "from engine.recon.model import A",
            1,
        ),
        (layers_of_engine, "engine/recon/postprocess/a.py", TYPES, 3),
        (
            layers_of_engine,
            "engine/kernels/rays/ray_tracing.py",
            "from engine.data.volume import Volume",
            1,
        ),
        (layers_of_engine, "engine/jobs/reconstruction.py", "from engine.cli import main", 1),
        (
            layers_of_engine,
            "engine/jobs/reconstruction.py",
            "from app.state.models.session import Session",
            1,
        ),
        (layers_of_engine, "engine/cli/main.py", "import app.shell.main_window", 1),
        (layers_of_engine, "engine/spare_parts.py", "x = 1", 1),
        (layers_of_app, "app/spare_room/a.py", "x = 1", 1),
        (
            layers_of_app,
            "app/workspace/steps/study_step.py",
            "from app.shell.main_window import MainWindow",
            1,
        ),
        (layers_of_app, "app/views/slice.py", "from app.shell.panels import PANELS", 1),
        (
            layers_of_app,
            "app/state/services/threads.py",
            "def f():\n    from engine.operators.rays import Rays",
            2,
        ),
        (
            layers_of_app,
            "app/workspace/steps/study_step.py",
            "from engine.modalities.studies import Study",
            1,
        ),
        (files_read_in_loader, "app/state/services/a.py", "from engine.io import read_volume", 1),
        (files_read_in_loader, "app/state/services/a.py", "x = role.read(path, None)", 1),
        (
            restricted_libraries,
            "engine/jobs/reconstruction.py",
            "from PySide6.QtCore import QObject",
            1,
        ),
        (restricted_libraries, "engine/operators/rays.py", "def f():\n    import numba", 2),
        (restricted_libraries, "app/views/maps.py", "from numba import njit", 1),
        (
            restricted_libraries,
            "app/state/services/threads.py",
            "def f():\n    import cupy as cp",
            2,
        ),
        (restricted_libraries, "engine/kernels/rays/ray_tracing.py", "import cupy", 1),
        (absolute_imports, "engine/io/safety/open_input.py", "from .base import Format", 1),
        (absolute_imports, "engine/io/safety/open_input.py", "from . import base", 1),
        (judge_is_independent, "tests/judge/pairs.py", "import numpy, numba\nimport engine", 2),
        (
            judge_is_independent,
            "tests/judge/a.py",
            "def f():\n    from app.ui.theme import icons",
            2,
        ),
        (
            judge_is_independent,
            "tests/judge/a.py",
            "from tests.emulator import compiled_cache as kept",
            1,
        ),
        (judge_is_independent, "tests/judge/a.py", "import scipy.stats", 1),
        (judge_is_independent, "tests/judge/test_a.py", "import pytest\nimport engine", 2),
        (no_tests, "engine/analysis/quality/nema.py", "from tests.judge import pairs", 1),
        (no_print, "engine/jobs/reconstruction.py", "x = 1\nprint(x)", 2),
        (no_assert, "app/state/models/session.py", "assert True", 1),
        (no_blind_except, "app/state/services/threads.py", "try:\n    pass\nexcept:\n    pass", 3),
        (short_files, "engine/jobs/reconstruction.py", "x = 1\n" * 401, 401),
        (short_functions, "engine/jobs/reconstruction.py", LONG_FUNCTION, 1),
        (
            short_functions,
            "engine/jobs/reconstruction.py",
            "class A:\n" + LONG_FUNCTION.replace("\n", "\n "),
            2,
        ),
    ],
)
def test_planted_violation_is_found(rule: Rule, path: str, code: str, line: int) -> None:
    modules = frozenset({"engine.jobs.reconstruction", "engine.io", "engine.cli"})
    code = code.replace("class A:\ndef", "class A:\n def")
    assert [at for at, _ in rule(Source(path, code, modules))] == [line]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("engine/recon/algorithms/osem.py", TYPES),
        ("engine/kernels/rays/ray_tracing.py", "from numba import njit"),
        ("engine/kernels/rays/ray_tracing.py", "def f():\n    import cupy"),
        ("engine/modalities/pet.py", "from engine.recon.model import ListModeModel"),
        ("engine/cli/main.py", "from engine.jobs.reconstruction import run"),
        (
            "app/workspace/steps/study_step.py",
            "from app.state.models.session import Session\nfrom engine.modalities import Study",
        ),
        ("app/state/services/threads.py", "from PySide6.QtCore import QThread"),
        (
            "engine/jobs/reconstruction.py",
            "def f():\n" + '    """' + "\n" * 81 + '"""\n' + "    # x\n" * 81,
        ),
    ],
)
def test_allowed_code_is_accepted(path: str, code: str) -> None:
    source = Source(path, code)
    assert [fault for rule in RULES for fault in rule(source)] == []


def test_advice_is_stricter_than_the_rule() -> None:
    source = Source("engine/a.py", "def f():\n" + "    x = 1\n" * 10)
    assert list(long_files(source, 10)) == [(11, "11 code lines, at most 10")]
    assert list(long_functions(source, 9)) == [(1, "f: 10 code lines, at most 9")]
    assert not list(long_functions(source, 10))
    explained = Source("engine/a.py", '"""Why."""\n' + "# why\n\n" * 10 + "x = 1\n" * 10)
    assert not list(long_files(explained, 10))


def test_settings_readers_and_commands_import_no_heavy_libraries() -> None:
    heavy = {"numba", "scipy", "h5py", "nibabel", "cupy", "PySide6"}
    code = (
        "import sys, engine.modalities.listmode_pet.protocol, engine.modalities.studies\n"
        "import engine.io, engine.data.runs.events, engine.cli.main, engine.jobs.process.child\n"
        f"sys.stdout.write(' '.join(sorted({heavy} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
