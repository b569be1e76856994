"""Count lines of code, as Tables 4 and 5 of Van Gendt et al. do for Julia, C++ and CUDA.

    python -m tests.programs.lines_of_code

writes the tables into docs/benchmarks/lines-of-code.md. Blank lines, comments, docstrings and lines
with only brackets are not lines of code. In CUDA texts, blank lines and comments do not count.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks" / "lines-of-code.md"
MARKS = ("<!-- counted: {} -->", "<!-- end of {} -->")
_LAYOUT = frozenset(
    (
        *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT),
        *(tokenize.DEDENT, tokenize.ENDMARKER),
    )
)
_CUDA_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

FORMULAS = "examples/13_algorithms_as_formulas.py"
RAYS = "engine/kernels/rays"


@dataclass(frozen=True)
class Part:
    """Some code: a file, or some of its functions and classes.

    Attributes
    ----------
    path : file
    names : functions, classes or methods ("Class.method"); empty for the entire file
    """

    path: str
    names: tuple[str, ...] = ()

    def count(self) -> int:
        """Return the number of lines of code."""
        text = (ROOT / self.path).read_text("utf-8")
        if not self.path.endswith(".py"):
            return len(cuda_lines(text))
        lines = python_lines(text)
        if not self.names:
            return len(lines)
        found = spans(text)
        return len({line for name in self.names for line in found[name] if line in lines})


TABLE_4: dict[str, dict[str, tuple[Part, ...]]] = {
    "Formula, from public operators": {
        "MLEM": (Part(FORMULAS, ("start", "mlem")),),
    },
    "Numba for CPU, exact": {
        "MLEM": (
            Part("engine/recon/algorithms/osem.py", ("ExpectationMaximisation", "EmIterate")),
        ),
        "Ray tracing": (
            Part(
                f"{RAYS}/slice_tracing.py",
                ("_shorten", "_snapped_to_face", "_cross", "_trace", "_place", "trace_exact"),
            ),
            Part(f"{RAYS}/ray_tracing.py", ("_gather_exact", "update_exact")),
        ),
        "Utility functions": (Part(f"{RAYS}/taps.py", ("taps", "keep")),),
        "Definition of structures": (
            Part(f"{RAYS}/slice_tracing.py", ("EventRows",)),
            Part(f"{RAYS}/taps.py", ("Taps",)),
        ),
    },
    "Numba for CPU, optimised": {
        "MLEM": (
            Part("engine/recon/algorithms/osem.py", ("ExpectationMaximisation", "EmIterate")),
        ),
        "Ray tracing": (
            Part(
                f"{RAYS}/slice_tracing.py",
                (
                    *("_shorten", "_snapped_to_face", "_cross", "_trace", "_place", "_below"),
                    *("_trace_row", "_trace_in_lanes", "trace_nonzero"),
                ),
            ),
            Part(
                f"{RAYS}/ray_tracing.py",
                ("_gather_some", "_gather", "_scatter", "_scatter_all", "update"),
            ),
        ),
        "Utility functions": (
            Part(f"{RAYS}/taps.py", ("taps", "keep", "repeat", "repeat_nonzero")),
            Part(
                "engine/kernels/rows_ahead.py",
                ("tap_buffers", "no_traced_rows", "trace_next", "index_from", "fetch_some"),
            ),
            Part(f"{RAYS}/bricks.py"),
        ),
        "Definition of structures": (
            Part(f"{RAYS}/slice_tracing.py", ("EventRows",)),
            Part(f"{RAYS}/taps.py", ("Taps",)),
            Part("engine/kernels/rows_ahead.py", ("TapBuffers", "TracedRow")),
        ),
    },
    "CUDA for GPU, all variants": {
        "MLEM": (
            Part("engine/recon/algorithms/osem.py", ("ExpectationMaximisation", "EmIterate")),
            Part("engine/kernels/em.cu"),
            Part(f"{RAYS}/device_em.py"),
        ),
        "Ray tracing": (Part("engine/kernels/rays.cu"),),
        "Utility functions": (Part(f"{RAYS}/device_rays.py"),),
        "Definition of structures": (Part("engine/kernels/variants.py"),),
    },
}
"""Baseline MLEM of list mode: implementation, part, and the code of the part."""

EXTENSIONS: dict[str, tuple[tuple[Part, ...], tuple[Part, ...]]] = {
    "sensitivity": (
        (Part(FORMULAS, ("model_of",)),),
        (Part("engine/modalities/listmode_pet/sensitivity.py"),),
    ),
    "ordered subsets": (
        (Part(FORMULAS, ("osem", "scaled")),),
        (Part("engine/recon/algorithms/osem.py", ("Osem",)),),
    ),
    "attenuation": (
        (Part(FORMULAS, ("attenuated",)),),
        (Part("engine/corrections/attenuation.py"),),
    ),
    "time of flight": (
        (),
        (Part(f"{RAYS}/tof.py"), Part(f"{RAYS}/time_weights.py"), Part("engine/geometry/tof.py")),
    ),
    "filters": (
        (Part(FORMULAS, ("mlem_with_filter",)),),
        (
            *(Part(f"engine/recon/postprocess/{name}.py") for name in ("gaussian", "median")),
            *(Part(f"engine/kernels/smoothing/{name}.py") for name in ("gaussian", "median")),
        ),
    ),
    "resolution": (
        (Part(FORMULAS, ("mlem_with_resolution",)),),
        (Part("engine/operators/point_spread.py"),),
    ),
}
"""Extension to its code as a formula of a user, and in the engine."""
OF_THE_PAPER = ("sensitivity", "ordered subsets", "attenuation", "time of flight", "filters")
"""Extensions of the paper, which Table 5 adds up."""
ALL_TOGETHER = Part(FORMULAS, ("start", "scaled", "model_of", "attenuated", "all_extensions"))
OWN_KERNELS = {
    "weights of the cone-beam back projection": "examples/17_own_weights",
    "three slices and their projection": "examples/18_three_slices",
}
"""Kernels of users: CUDA text and Python file."""
PAPER = (("QETIR C++ on CPU", 394, 636), ("Julia on GPU", 228, 416))
"""Table 5 of the paper: lines without and with extensions."""


def python_lines(text: str) -> set[int]:
    """Return the numbers of lines with code: no comments, docstrings or blank lines."""
    lines: set[int] = set()
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _LAYOUT and not (begins and token.type == tokenize.STRING):
            lines.update(range(token.start[0], token.end[0] + 1))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return lines


def cuda_lines(text: str) -> list[str]:
    """Return the lines with code of a CUDA text or template."""
    plain = _CUDA_COMMENT.sub(" ", text)
    return [line for line in plain.splitlines() if line.strip()]


def spans(text: str) -> dict[str, range]:
    """Return the lines of each function and class, decorators included."""
    found: dict[str, range] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found.setdefault(node.name, range(first, (node.end_lineno or first) + 1))
    return found


def total(parts: tuple[Part, ...]) -> int:
    """Return the lines of code of some parts."""
    return sum(part.count() for part in parts)


def table_4() -> str:
    """Return the lines of baseline MLEM by implementation and part."""
    rows = ["| | lines of code |", "|---|---|"]
    for name, parts in TABLE_4.items():
        counts = {part: total(code) for part, code in parts.items()}
        rows.append(f"| **{name}** | **{sum(counts.values())}** |")
        rows += [f"| {part} | {count} |" for part, count in counts.items()]
    return "\n".join(rows)


def table_5() -> str:
    """Return the lines of MLEM without and with extensions."""
    formula = total(TABLE_4["Formula, from public operators"]["MLEM"])
    exact = sum(total(code) for code in TABLE_4["Numba for CPU, exact"].values())
    added = sum(total(EXTENSIONS[name][1]) for name in OF_THE_PAPER)
    rows = ["| | without extensions | with extensions |", "|---|---|---|"]
    rows += [f"| {name} (the paper) | {one} | {other} |" for name, one, other in PAPER]
    rows.append(f"| Formula, from public operators | {formula} | {ALL_TOGETHER.count()} |")
    rows.append(f"| Engine, Numba for CPU, exact | {exact} | {exact + added} |")
    return "\n".join(rows)


def extensions() -> str:
    """Return the lines of each extension."""
    rows = ["| extension | as a formula | in the engine |", "|---|---|---|"]
    rows += [
        f"| {name} | {total(formula)} | {total(engine)} |"
        for name, (formula, engine) in EXTENSIONS.items()
    ]
    return "\n".join(rows)


def own_kernels() -> str:
    """Return the lines of kernels of users."""
    rows = ["| kernel | Python, twin and scan included | CUDA text |", "|---|---|---|"]
    rows += [
        f"| {name} | {Part(f'{stem}.py').count()} | {Part(f'{stem}.cu').count()} |"
        for name, stem in OWN_KERNELS.items()
    ]
    return "\n".join(rows)


TABLES = {
    "table 4": table_4,
    "table 5": table_5,
    "extensions": extensions,
    "own kernels": own_kernels,
}


def with_tables(page: str) -> str:
    """Return a page with new tables between their marks."""
    for name, table in TABLES.items():
        begin, end = (mark.format(name) for mark in MARKS)
        before, rest = page.split(begin)
        _, after = rest.split(end)
        page = f"{before}{begin}\n\n{table()}\n\n{end}{after}"
    return page


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
