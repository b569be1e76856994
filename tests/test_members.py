"""General code for scans, corrections and algorithms names no specific one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.corrections import CORRECTIONS
from engine.corrections.histogram import HISTOGRAM_CORRECTIONS
from engine.corrections.preprocess import STEPS
from engine.modalities import MODALITIES
from engine.recon.algorithms import ALGORITHMS, LINEAR_ALGORITHMS
from engine.recon.postprocess import FILTERS

ROOT = Path(__file__).resolve().parent.parent
GENERAL = (
    *(
        "app/**/*.py",
        "engine/cli/**/*.py",
        "engine/jobs/**/*.py",
        "engine/protocols/run_context/*.py",
    ),
    *(
        "engine/protocols/study/*.py",
        "engine/modalities/*.py",
        "engine/io/formats.py",
        "engine/io/base.py",
    ),
)
HOMONYMS = {
    ("app/run/profile_text.py", "response"): "key of a stage",
    ("app/run/profile_text.py", "scatter"): "key of a stage",
    ("engine/cli/machine/bench.py", "dual-head"): "a suite of benchmarks",
    ("engine/cli/candidates.py", "roll"): "argument of the command line for a trial value",
    ("engine/cli/console.py", "scatter"): "key of a stage",
    ("engine/cli/measure/register.py", "map"): "an image that is aligned",
    ("engine/cli/simulate/response.py", "response"): "a verb",
    ("engine/cli/simulate/response.py", "scatter"): "an option of photon tracking",
    ("engine/cli/simulate/histogram.py", "response"): "the system matrix of the simulation",
    ("engine/cli/verbs.py", "response"): "a verb",
    ("engine/cli/verbs.py", "resolution"): "a verb",
    ("engine/cli/measure/resolution.py", "resolution"): "a verb",
}
"""Equal words with another meaning, each with that meaning."""


def keys() -> set[str]:
    """Return the keys of all members of the tuples, and of the inputs of studies."""
    kinds = (*ALGORITHMS, *LINEAR_ALGORITHMS, *FILTERS)
    named = {str(kind.model_fields["kind"].default) for kind in kinds}
    named |= {kind.kind for kind in (*CORRECTIONS, *HISTOGRAM_CORRECTIONS, *STEPS)}
    named |= {modality.key for modality in MODALITIES}
    return named | {role.key for modality in MODALITIES for role in modality.inputs}


def literals(text: str) -> Iterator[str]:
    """Yield the string literals of a file, without its docstrings."""
    for node in ast.walk(ast.parse(text)):
        inner = ast.iter_child_nodes(node)
        for child in inner:
            is_text = isinstance(child, ast.Constant) and isinstance(child.value, str)
            if is_text and not isinstance(node, ast.Expr):
                yield str(child.value)


@pytest.mark.essential
def test_no_member_is_named_outside_its_folder_and_tuple() -> None:
    members = keys()
    assert {"osem", "fdk", "attenuation", "gaussian", "ct", "response"} <= members
    files = sorted({path for pattern in GENERAL for path in ROOT.glob(pattern)})
    assert len(files) > 100, "the files were not found"
    found = {
        (path.relative_to(ROOT).as_posix(), word)
        for path in files
        for word in literals(path.read_text(encoding="utf-8"))
        if word in members
    }
    assert found == set(HOMONYMS)


def test_planted_member_name_in_general_code_is_found() -> None:
    assert list(literals('"""osem"""\nif kind == "osem":\n    x = f"{a} fdk"\n')) == [
        "osem",
        " fdk",
    ]
