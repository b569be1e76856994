"""Wrong user kernels: the two examples, each with one fault that the tests must find.

`text` faults change only the CUDA text; its NumPy twin stays correct. `both` faults change text and
twin in the same way, so only the adjoint test can find them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
WEIGHTS, SLICES = "17_own_weights", "18_three_slices"


@dataclass(frozen=True)
class WrongKernel:
    """A fault in an example.

    Attributes
    ----------
    name : the fault in a few words
    stem : name of the example, without its ending
    text : old and new part of the CUDA text
    twin : old and new part of the Python twin; none if only the CUDA text is wrong
    """

    name: str
    stem: str
    text: tuple[str, str]
    twin: tuple[str, str] | None = None

    def sources(self) -> tuple[str, str]:
        """Return the CUDA text and the Python file with the fault."""
        cuda = (EXAMPLES / f"{self.stem}.cu").read_text("utf-8")
        python = (EXAMPLES / f"{self.stem}.py").read_text("utf-8")
        cuda = _replaced(cuda, self.text)
        cuda = HELPERS + cuda
        return cuda, python if self.twin is None else _replaced(python, self.twin)


def _replaced(source: str, change: tuple[str, str]) -> str:
    old, new = change
    if source.count(old) != 1:
        raise ValueError(f"{old!r} occurs {source.count(old)} times")
    return source.replace(old, new)


_SQUARE = "(at.depth * at.depth)"
_VOXEL = "view, i, j, k)"
_VALUE = f"value_at(values, sizes, view, at) / {_SQUARE}"
_POINT = "seen(matrices, sizes, view, i, j, k);"
_RUN = "(blockIdx.z * BLOCK_Z + threadIdx.z) * PER_THREAD"
_ELEMENT = "on_detector(matrices, sizes, view, slice, p, q);\n    sum"
_COLUMN = "a + (view.shape[1] - 1) / 2"
_HATS = 'weights = hats(matrices, sizes)\n    out += np.einsum("vre,vce,vrc->e"'
_ASIDE = "np.array([[0, 0, 0], [0, 0, 1], [0, 0, 0]]) * 0.01"

_WEIGHTS = (
    ("weight 1 / tau", f"per_cos / {_SQUARE}", "per_cos / at.depth"),
    ("slant left out", "slant[0] * per_cos", "slant[0]"),
    ("slant of another view", "slants + 3 * view", "slants + view"),
    ("slant from the first column", " - 0.5f * (sizes[N_COLUMNS] - 1)", ""),
    ("slant of rows by columns", "slant[1] * a", "slant[1] * b"),
    ("first view left out", "int view = 0", "int view = 1"),
    ("last slice left out", "sizes[N_Z]); ++k", "sizes[N_Z] - 1); ++k"),
    ("x and y exchanged", _VOXEL, "view, j, i, k)"),
    ("z upside down", _VOXEL, "view, i, j, sizes[N_Z] - 1 - k)"),
    ("corners of voxels", _VOXEL, "view, i - 0.5f, j, k)"),
    ("no test of the edge along x", "i >= sizes[N_X] || ", ""),
    ("lines of a fixed length", "* sizes[N_X] + i", "* 24 + i"),
    ("fixed number of views", "view < sizes[N_VIEWS]", "view < 36"),
    ("threads share slices", _RUN, "blockIdx.z * BLOCK_Z + threadIdx.z"),
)
_SLICES = (
    ("back: weight 1 / tau", _VALUE, "value_at(values, sizes, view, at) / at.depth"),
    ("forward: no weight", f"value / {_SQUARE}", "value"),
    ("third slice like the second", "if (slice == 1)", "if (slice >= 1)"),
    ("slices next to the middle", "0.5f * (sizes[N_X] - 1)", "0.5f * sizes[N_X]"),
    ("all views in the first", "add_at(out, sizes, view,", "add_at(out, sizes, 0,"),
    (
        "one slice left out",
        "const float value = values",
        "if (!slice) return;\n  float value = values",
    ),
)
TEXT_FAULTS = (
    *(WrongKernel(name, WEIGHTS, (old, new)) for name, old, new in _WEIGHTS),
    *(WrongKernel(name, SLICES, (old, new)) for name, old, new in _SLICES),
)
"""Faults of the CUDA text, which differ from the twin."""

BOTH_FAULTS = (
    WrongKernel(
        "both: weight 1 / tau",
        WEIGHTS,
        (f"per_cos / {_SQUARE}", "per_cos / at.depth"),
        ("/ tau**2 * seen", "/ tau * seen"),
    ),
    WrongKernel(
        "both: volume of a voxel left out",
        WEIGHTS,
        ("slant[0] * per_cos", "slant[0] / 8.0f * per_cos"),
        ("out += scale", "out += scale / 8"),
    ),
    WrongKernel(
        "both: columns from the other side",
        WEIGHTS,
        (_POINT, "mirrored(seen(matrices, sizes, view, i, j, k), sizes);"),
        (_COLUMN, "(view.shape[1] - 1) / 2 - a"),
    ),
    WrongKernel(
        "both: half a column aside",
        WEIGHTS,
        (_POINT, "aside(seen(matrices, sizes, view, i, j, k));"),
        (_COLUMN, "a + view.shape[1] / 2"),
    ),
    WrongKernel(
        "both: z upside down",
        WEIGHTS,
        (_VOXEL, "view, i, j, sizes[N_Z] - 1 - k)"),
        ("row[2] * z", "row[2] * -z"),
    ),
    WrongKernel(
        "both: every second view left out",
        WEIGHTS,
        ("++view", "view += 2"),
        ("zip(values, matrices, slants, strict=True)", "list(zip(values, matrices, slants))[::2]"),
    ),
    WrongKernel(
        "both: back reads 0.01 rows aside",
        SLICES,
        (_ELEMENT, f"below({_ELEMENT[:-9]});\n    sum"),
        (_HATS, f"matrices = matrices + {_ASIDE} @ matrices\n    {_HATS}"),
    ),
    WrongKernel(
        "both: forward times 1.0001",
        SLICES,
        (f"value / {_SQUARE}", f"1.0001f * value / {_SQUARE}"),
        ("values.ravel()", "1.0001 * values.ravel()"),
    ),
)
"""Faults of text and twin. Their projections differ from the correct one."""

HELPERS = """
__device__ Seen mirrored(Seen at, const int* sizes) {
  return {sizes[N_COLUMNS] - 1 - at.column, at.row, at.depth};
}
__device__ Seen aside(Seen at) { return {at.column + 0.5f, at.row, at.depth}; }
__device__ Seen below(Seen at) { return {at.column, at.row + 0.01f, at.depth}; }
"""
"""Functions that the faulty texts need."""
WRONG_KERNELS = (*TEXT_FAULTS, *BOTH_FAULTS)
