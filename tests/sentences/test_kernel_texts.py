"""Comments and docstrings of the kernels are plain, and the check can fail."""

from __future__ import annotations

import pytest

from tests.sentences.kernel_texts import KERNELS, Text, faults, faults_of, files


@pytest.mark.essential
def test_kernel_texts_have_no_private_phrases() -> None:
    found = list(files(KERNELS))
    assert len(found) > 100, "the files were not found"
    private = [fault for path, source in found for fault in faults_of(path, source)]
    assert not private, "\n".join(["", *private])


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ('"""Sums.\n\nWhat a line sees of it."""', 3),
        ('LIMIT = 1\n"""Rows whose sum is kept."""', 2),
        ("x = 1  # it lies apart", 1),
        ("# beside the detector\n", 1),
        ('def f():\n    """Row, it is said, of which two remain."""', 2),
    ],
)
def test_planted_phrase_is_found(code: str, line: int) -> None:
    found = list(faults_of("a.py", code))
    assert found
    assert all(fault.startswith(f"a.py:{line}:") for fault in found)


def test_planted_phrase_in_cuda_is_found() -> None:
    code = "int what;\nint b;  // what the ray meets\n// kept in registers\n"
    assert [fault.split()[0] for fault in faults_of("a.cu", code)] == ["a.cu:2:", "a.cu:3:"]


@pytest.mark.parametrize(
    "text",
    [
        "Number of `kept` slabs.",
        "kept_voxel, kept : (n,) positions",
        "n : voxels; apart : stride",
        "kept\n    number of slabs",
        "What does a step cost?",
    ],
)
def test_names_and_questions_are_left_alone(text: str) -> None:
    assert not list(faults(Text("a.py", 1, text)))
