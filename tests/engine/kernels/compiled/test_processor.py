"""Kernels are compiled for a class of processors, and all models of a class share them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import llvmlite.binding as llvm
import pytest

from engine.kernels.processor import LEVELS, TARGET, features_of, level_of

KNOWN = dict(llvm.get_host_cpu_features())
LEVEL_4, LEVEL_3 = LEVELS
PROGRAM = """
import json, sys
import llvmlite.binding as llvm

absent = set(json.loads(sys.argv[1]))
known = llvm.get_host_cpu_features()
reduced = type(known)({name: on and name not in absent for name, on in known.items()})
llvm.get_host_cpu_features = lambda: reduced
llvm.get_host_cpu_name = lambda: "haswell" if absent else "skylake"
if sys.argv[2] == "used":
    import numba
    numba.njit(lambda x: x)(1.0)
from engine.kernels.processor import TARGET
from engine.kernels.compile_cache import _library_digest
print(json.dumps([*TARGET, _library_digest()]))
"""


def target(absent: set[str], when: str = "new", **variables: str) -> list[str]:
    """Return target and digest of a process on a processor without some features of this one."""
    stored = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_CPU")}
    command = [sys.executable, "-c", PROGRAM, json.dumps(sorted(absent)), when]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**stored, **variables}
    )
    return list(json.loads(done.stdout))


def has(level: Any) -> dict[str, bool]:
    """Return the features of a processor that has exactly those of a class."""
    return {name: name in level.features for name in KNOWN} | dict.fromkeys(level.features, True)


def test_processor_belongs_to_the_best_class_of_its_features() -> None:
    assert level_of(has(LEVEL_4)) is LEVEL_4
    assert level_of(has(LEVEL_4) | {"avx512vl": False}) is LEVEL_3
    assert level_of(has(LEVEL_3) | {"bmi2": False}) is None


@pytest.mark.skipif("avx2" not in KNOWN, reason="LLVM lists the features of another architecture")
@pytest.mark.parametrize("level", LEVELS)
def test_code_of_a_class_uses_no_other_feature(level: Any) -> None:
    names = {text[1:]: text[0] for text in features_of(level, KNOWN).split(",")}

    assert {name for name, sign in names.items() if sign == "+"} == level.features
    assert set(names) == set(KNOWN)


def test_two_models_of_a_class_share_compiled_kernels() -> None:
    level = level_of(KNOWN)
    if level is None:
        pytest.skip("this processor belongs to no class")
    spare = {name for name, is_there in KNOWN.items() if is_there} - level.features

    assert spare
    assert target(spare) == target(set())
    assert target(set())[:2] == [TARGET[0], level.model]


def test_process_that_compiled_before_has_its_own_kernels() -> None:
    before = target(set(), "used")

    assert before[1] == "skylake"
    assert before[3] != target(set())[3]


def test_numba_variables_select_the_processor() -> None:
    requested = target(set(), NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")

    assert requested[1:3] == ["generic", ""]
