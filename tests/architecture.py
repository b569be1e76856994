"""Architecture rules, checked in the source with `ast`: allowed imports and limits of length."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

LEAVES = (
    "core.arrays",
    "core.checked",
    "core.errors",
    "core.garbage",
    "core.interactive",
    "core.json_types",
    "core.plugins",
    "core.private_files",
    "core.printing",
    "core.settings",
    "core.visible_text",
    "geometry",
    "data",
    "data.runs.events",
    "core.lazy_exports",
)
PHYSICS = ("recon.model", "operators", "core.backend", "core.profiling", *LEAVES)
CHOICES = (
    "recon.algorithms",
    "corrections",
    "corrections.preprocess",
    "recon.postprocess",
    *LEAVES,
)
SCANS = (
    "protocols.study",
    "io",
    "recon.filtering",
    "kernels",
    "core.paths",
    "corrections.scatter_estimation",
    *CHOICES,
    *PHYSICS,
)
"""Parts of the engine that a modality may import."""

MAY_IMPORT: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(LEAVES, LEAVES),
    "core.paths": ("core.errors", "core.private_files"),
    "core.backend": (
        "core.arrays",
        "core.checked",
        "core.json_types",
        "core.errors",
        "core.lazy_exports",
        "core.paths",
    ),
    "core.profiling": ("core.backend", "core.json_types", "core.errors", "core.lazy_exports"),
    "kernels": (
        "core.backend",
        "core.profiling",
        "core.arrays",
        "core.json_types",
        "core.errors",
        "core.paths",
        "core.private_files",
    ),
    "operators": (
        "kernels",
        "data",
        "geometry",
        "core.backend",
        "core.profiling",
        "core.arrays",
        "core.json_types",
        "core.checked",
        "core.errors",
        "core.interactive",
    ),
    "recon.model": (
        "operators",
        "core.arrays",
        "core.checked",
        "core.errors",
        "core.json_types",
        "core.lazy_exports",
    ),
    "recon.priors": (
        "operators",
        "data",
        "core.settings",
        "core.arrays",
        "core.checked",
        "core.json_types",
        "core.errors",
    ),
    "recon.filtering": (
        "operators",
        "core.backend",
        "geometry",
        "core.settings",
        "core.arrays",
        "core.json_types",
        "core.errors",
    ),
    "recon.algorithms": (
        "recon.filtering",
        "recon.priors",
        "core.lazy_exports",
        "core.plugins",
        "core.settings",
        "core.arrays",
        "core.checked",
        "core.json_types",
        "core.errors",
    ),
    "recon.postprocess": ("core.backend", "kernels", "operators", *LEAVES),
    "corrections": ("operators", "io", "core.backend", *LEAVES),
    "corrections.scatter_estimation": ("kernels", "core.backend", *LEAVES),
    "corrections.preprocess": (
        "corrections.base",
        "recon.filtering",
        "kernels",
        "core.backend",
        *LEAVES,
    ),
    "io": ("core.paths", *LEAVES),
    "protocols.study": ("io", *CHOICES),
    "raw_import": ("io", "corrections.preprocess", "recon.filtering", "core.backend", *LEAVES),
    "protocols.privacy": ("io.input_files", "protocols.study", "core.paths", *LEAVES),
    "protocols.run_context": (
        "io.folder",
        "io.input_files",
        "io.safety.open_input",
        "protocols.privacy",
        "protocols.study",
        "core.backend",
        "core.profiling",
        *LEAVES,
    ),
    "simulate": SCANS,
    "analysis.registration": LEAVES,
    "tools.normalisation_scan": ("io", "jobs.process", "kernels", "core.backend", *LEAVES),
    "tools.resolution": ("io", "jobs.process", "core.backend", "operators", *LEAVES),
    "analysis.regions": ("io", *LEAVES),
    "analysis.quality": ("io", "analysis.regions", "simulate", *LEAVES),
    "selftest": SCANS,
    "modalities": (
        "recon.priors",
        "protocols.privacy",
        "protocols.run_context",
        "simulate",
        *SCANS,
    ),
    "results": ("modalities", "protocols.privacy", "protocols.run_context", *SCANS),
    "results.reports": (
        *(
            "modalities",
            "protocols.privacy",
            "analysis.quality",
            "analysis.regions",
            "protocols.run_context",
            "results",
        ),
        *SCANS,
    ),
    "jobs": (
        *(
            "raw_import",
            "modalities",
            "protocols.privacy",
            "analysis.registration",
            "protocols.run_context",
            "results",
            "selftest",
        ),
        *SCANS,
    ),
    "jobs.study_index": (
        "results.reports",
        "io",
        "jobs",
        "results",
        "core.errors",
        "core.lazy_exports",
    ),
    "live": ("jobs", "modalities", "protocols.privacy", "protocols.run_context", *SCANS),
    "tools.diagnostics": (
        *(
            "core.backend",
            "io.safety.atomic_write",
            "protocols.run_context.environment",
            "core.paths",
            "core.private_files",
        ),
        *("core.json_types", "core.errors", "core.lazy_exports"),
    ),
    "tools.tuning": (
        "tools.benchmark",
        "jobs",
        "modalities",
        "protocols.run_context",
        "selftest",
        "simulate",
        *SCANS,
    ),
    "tools.benchmark": (
        *(
            "jobs",
            "live",
            "modalities",
            "protocols.run_context",
            "simulate",
            "analysis.quality",
            "analysis.regions",
            *SCANS,
        ),
    ),
    "cli": (
        *(
            "tools.benchmark",
            "jobs.study_index",
            "results.reports",
            "jobs",
            "modalities",
            "tools.normalisation_scan",
            "tools.resolution",
            "protocols.privacy",
            "protocols.run_context",
        ),
        "results",
        *("raw_import", "live", "selftest", "simulate", "tools.tuning"),
        *("analysis.quality", "analysis.regions", "analysis.registration", "tools.diagnostics"),
        *SCANS,
    ),
    # public names of parts inside
    "algorithms": ("recon.algorithms",),
    "filters": ("recon.postprocess",),
    "phantoms": ("simulate",),
    "preprocessing": ("corrections.preprocess",),
    "priors": ("recon.priors",),
    **dict.fromkeys(("core", "core.old_names", "recon", "protocols", "analysis", "tools"), ()),
    "": (
        *("algorithms", "corrections", "filters", "phantoms", "preprocessing", "priors"),
        *(
            "core.old_names",
            "core.backend",
            "io",
            "jobs",
            "modalities",
            "recon.filtering",
            "recon.model",
            "operators",
            "selftest",
            "simulate",
            "tools.tuning",
        ),
        *LEAVES,
    ),
}
"""Part of `engine`: the other parts that it may import. "" is `engine/__init__.py`."""

TYPES_ONLY = {
    "recon.algorithms": ("recon.model",),
    "recon.model": ("recon.filtering.settings",),
    "data.runs.events": ("core.profiling",),
    "data": ("core.backend",),
}
"""Further parts that may be imported for annotations, under TYPE_CHECKING."""

ENGINE_OF_APP = (
    *(
        "engine.core.plugins",
        "engine.core.backend",
        "engine.jobs.study_index",
        "engine.data",
        "engine.results.reports",
        "engine.core.errors",
        "engine.core.garbage",
        "engine.core.printing",
        "engine.core.visible_text",
        "engine.data.runs.events",
        "engine.geometry",
    ),
    *(
        "engine.raw_import",
        "engine.io",
        "engine.jobs",
        "engine.live",
        "engine.modalities",
        "engine.tools.normalisation_scan",
        "engine.tools.resolution",
        "engine.core.profiling",
        "engine.analysis.quality",
    ),
    *(
        "engine.protocols.privacy",
        "engine.analysis.regions",
        "engine.results",
        "engine.core.settings",
        "engine.tools.diagnostics",
    ),
    "engine.tools.tuning",
)
"""Engine modules that the window may import: public faces, not their parts."""

APP_MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "language": (),
    "views": (),
    "ui.theme": ("views",),
    "ui.forms": ("ui.theme", "views"),
    "state.models": ("ui.theme", "views"),
    "state.services": ("ui.theme", "state.models", "views"),
    "run": ("state.services", "ui.theme", "state.models", "views"),
    "workspace.ct_inspection": ("state.services", "ui.forms", "ui.theme", "state.models", "views"),
    "analysis.measure": ("state.services", "ui.forms", "ui.theme", "state.models", "run", "views"),
    "workspace.steps": (
        "state.services",
        "ui.forms",
        "workspace.ct_inspection",
        "ui.theme",
        "state.models",
        "views",
    ),
    "output.results": ("state.services", "ui.theme", "state.models", "views"),
    "workspace.queue": ("state.services", "ui.forms", "ui.theme", "state.models", "views"),
    "workspace.study_list": ("state.services", "ui.forms", "ui.theme", "state.models", "views"),
    "analysis.regions": ("state.services", "ui.forms", "ui.theme", "state.models", "run", "views"),
    "analysis.calibrate": ("state.services", "ui.forms", "ui.theme", "state.models", "views"),
    "output.export": ("state.services", "ui.forms", "ui.theme", "state.models", "views"),
    "viewing.fusion": ("state.services", "ui.theme", "state.models", "views"),
    "viewing.viewer_tools": ("state.services", "ui.forms", "ui.theme", "state.models", "views"),
    "output.report": ("state.services", "ui.forms", "ui.theme", "state.models", "views"),
    "live": ("state.services", "output.export", "ui.forms", "ui.theme", "state.models", "views"),
    "run.tuning": ("state.services", "ui.forms", "ui.theme", "state.models", "views"),
    "shell": (
        *(
            "analysis.calibrate",
            "state.services",
            "output.export",
            "ui.forms",
            "viewing.fusion",
            "workspace.ct_inspection",
            "live",
            "ui.theme",
        ),
        *("viewing.viewer_tools", "analysis.measure"),
        *(
            "state.models",
            "workspace.queue",
            "analysis.regions",
            "output.report",
            "output.results",
            "run",
            "workspace.study_list",
            "workspace.steps",
            "run.tuning",
        ),
    ),
    **dict.fromkeys(("ui", "state", "output", "viewing", "workspace", "analysis"), ()),
    "__main__": ("shell",),
    "": (),
}
"""Part of `app`: the other parts that it may import."""
APP_MAY_IMPORT["shell"] += ("views",)
APP_MAY_IMPORT = {
    part: others if part == "language" else (*others, "language")
    for part, others in APP_MAY_IMPORT.items()
}
ENGINE_COMMAND = {"__main__": "engine.cli.main"}
"""The only import of the command line by the window's entry point."""

READERS = frozenset(
    (
        *("read", "read_volume", "read_scanner", "read_listmode", "read_histogram"),
        *("read_projections", "read_mu_map", "read_efficiencies", "read_study", "inspect"),
        *("purpose_of", "summarise", "scan_at", "auxiliary_at", "volume_at"),
        *("draft_of", "preview_of", "may_import"),
    )
)
"""Engine functions that open input files."""
KERNEL_FOLDERS = ("engine.kernels",)
GPU_FOLDERS = ("engine.core.backend", "engine.core.profiling", "engine.kernels")
RESTRICTED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("PySide6", "shiboken6", "pyqtgraph", "qtawesome", "qtpy"), ("app",)),
    "numba": KERNEL_FOLDERS,
    "cupy": GPU_FOLDERS,
    "cupyx": GPU_FOLDERS,
}
"""Library: the only modules that may import it."""
INSIDE_FUNCTIONS = ("cupy", "cupyx")

OPENING = (
    "open",
    "read_bytes",
    "read_text",
    "stat",
    "iterdir",
    "memmap",
    "fromfile",
    "File",
    "load",
)
"""Calls that accept a path."""
NO_PATHS = ("Job", "archive", "gpu", "h5py.h5a", "parts", "results", "json", "tomllib")
"""Objects that have methods with these names, but open no file."""
MAY_OPEN = (
    "engine.core.plugins",  # packages that are installed next to this one
    "engine.live.recording",  # our own files; they grow while they are read
    "engine.core.printing",  # the null device, after the terminal is closed
    *(
        "engine.io.safety.open_input",
        "engine.io.safety.stored_bytes",
        "engine.io.safety.budget",  # limits that the system publishes as files
        "engine.io.folder",
        "engine.io.hdf5.opening",
        "engine.core.private_files",
    ),  # the open functions for input files
    *(
        "engine.io.safety.atomic_write",
        "engine.io.safety.outputs",
        "engine.io.safety.locks",
    ),
    *("engine.io.hdf5.writer", "engine.io.safety.atomic_write", "engine.io.safety.atomic_write"),
    *("engine.io.safety.audit_log", "engine.cli.streams", "engine.cli.event_log"),
    *(
        "engine.jobs",
        "engine.kernels",
        "engine.protocols.privacy.key",
        "engine.tools.diagnostics",
    ),  # our own files
    *(
        "engine.io.safety.signing_key",
        "engine.live.core.stream_keys",
        "engine.io.safety.audit_lines",
        "engine.io.safety.audit_check",
    ),
    "engine.data.storage.volume_file",
    *("engine.modalities.demo", "engine.modalities.study_values", "engine.modalities.xray_ct"),
    *("engine.modalities.dual_head_pet.response.parts", "engine.tools.benchmark.report"),
    *("engine.modalities.dual_head_pet.response_cache", "engine.protocols.run_context.environment"),
    *("engine.modalities.listmode_pet.sensitivity_cache", "engine.io.scanners.toml_scanner"),
    *(
        "engine.io.raster.png",
        "engine.results",
        "engine.tools.tuning",
        "engine.core.backend.processor",
    ),
    "engine.results.reports.illustrations",
    "engine.tools.benchmark.counted",  # files of the wheel
    *("engine.core.backend.selftest_results", "engine.core.backend.cupy_compiling"),
    *("engine.tools.benchmark.gpu_file", "engine.cli.machine.gpu_check"),
)
"""Modules that may open paths: the open functions, writers, and readers of our own files."""

MAX_LINES = 320
MAX_CODE_LINES = 80
"""Hard limits of a file and a function in code lines, far above the advised sizes."""
ADVISED_LINES = 240
ADVISED_CODE_LINES = 40
"""Sizes above which `python -m tests.advice` lists a file or a function."""


@dataclass(frozen=True)
class Import:
    """An imported module, its line and its context."""

    module: str
    line: int
    in_function: bool
    for_types: bool


@dataclass(frozen=True)
class Source:
    """A source file: its path from the root, its text, and all modules of the project."""

    path: str
    text: str
    modules: frozenset[str] = frozenset()

    @property
    def module(self) -> str:
        """Dotted name."""
        return dotted(self.path)

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed source."""
        return ast.parse(self.text, self.path)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the syntax tree."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def imports(self) -> list[Import]:
        """All imports, in order."""
        return list(self._imports_of(self.tree, in_function=False, for_types=False))

    def _imports_of(self, node: ast.AST, *, in_function: bool, for_types: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                continue  # expressions contain no imports
            for name in self._names(child):
                yield Import(name, child.lineno, in_function, for_types)
            yield from self._imports_of(
                child,
                in_function=in_function or isinstance(child, ast.FunctionDef),
                for_types=for_types or is_type_checking(child),
            )

    def _names(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in self.modules else base


def dotted(path: str) -> str:
    """Return the module of a file: engine/io/__init__.py is engine.io."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def is_type_checking(node: ast.AST) -> bool:
    """Return True if a block runs for type checkers only."""
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def within(module: str, parts: tuple[str, ...]) -> bool:
    """Return True if a module is one of `parts` or inside one."""
    return any(module == part or module.startswith(f"{part}.") for part in parts)


def part_of(module: str) -> str:
    """Return the key of a module in the tables: recon.model for engine.recon.model.base."""
    top, _, inner = module.partition(".")
    parts = [part for part in (APP_MAY_IMPORT if top == "app" else MAY_IMPORT) if part]
    return max((p for p in parts if within(inner, (p,))), key=len, default=inner.split(".")[0])


Fault = tuple[int, str]
Rule = Callable[[Source], Iterator[Fault]]


def layers_of_engine(source: Source) -> Iterator[Fault]:
    """Lower layers never import higher ones; the engine never imports the window."""
    if not within(source.module, ("engine",)):
        return
    part = part_of(source.module)
    if part not in MAY_IMPORT:
        yield 1, f"engine.{part} is missing in MAY_IMPORT (tests/architecture.py)"
        return
    for imported in source.imports:
        name = imported.module
        if within(name, ("app",)):
            yield imported.line, f"the engine imports {name}"
        elif within(name, ("engine",)) and not _allowed(part, imported):
            yield imported.line, f"{part or 'engine'} imports {name}"


def _allowed(part: str, imported: Import) -> bool:
    inner = imported.module.removeprefix("engine").removeprefix(".")
    types = TYPES_ONLY.get(part, ()) if imported.for_types else ()
    allowed = (*MAY_IMPORT[part], *types)
    # a part in the table needs its own entry; an entry of its folder does not count
    listed = tuple(name for name in allowed if name not in MAY_IMPORT)
    return part_of(imported.module) in (part, *allowed) or within(inner, listed)


def layers_of_app(source: Source) -> Iterator[Fault]:
    """The window contains no physics, and its parts import only lower parts."""
    if not within(source.module, ("app",)):
        return
    part = part_of(source.module)
    if part not in APP_MAY_IMPORT:
        yield 1, f"app.{part} is missing in APP_MAY_IMPORT (tests/architecture.py)"
        return
    for imported in source.imports:
        name, other = imported.module, part_of(imported.module)
        if within(name, ("app",)) and other not in (part, *APP_MAY_IMPORT[part]):
            yield imported.line, f"app.{part} imports {name}"
        is_hidden = within(name, ("engine",)) and name not in ENGINE_OF_APP
        if is_hidden and ENGINE_COMMAND.get(part) != name:
            yield imported.line, f"app.{part} imports {name}"


def files_read_in_loader(source: Source) -> Iterator[Fault]:
    """The window reads files in the loader process and calls no reader itself."""
    if not within(source.module, ("app",)):
        return
    for node in source.nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("engine"):
            for alias in node.names:
                if alias.name in READERS:
                    yield node.lineno, f"{source.module} imports {alias.name}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("role.read", "reader.read"):
            yield node.lineno, f"{source.module} reads by {ast.unparse(node.func)}"


def restricted_libraries(source: Source) -> Iterator[Fault]:
    """Only some folders import Qt, Numba and CuPy, and only functions import CuPy."""
    for imported in source.imports:
        library = imported.module.split(".")[0]
        if library in RESTRICTED and not within(source.module, RESTRICTED[library]):
            yield imported.line, f"{source.module} imports {library}"
        elif library in INSIDE_FUNCTIONS and not (imported.in_function or imported.for_types):
            yield imported.line, f"{library} is imported outside a function"


def absolute_imports(source: Source) -> Iterator[Fault]:
    """All imports are absolute."""
    for imported in source.imports:
        if imported.module.startswith("."):
            yield imported.line, f"relative import {imported.module}"


def guarded_inputs(source: Source) -> Iterator[Fault]:
    """Only `engine.io.safety.open_input` opens input files: it refuses pipes and devices."""
    if not within(source.module, ("engine",)) or within(source.module, MAY_OPEN):
        return
    for node in source.nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr=name, value=base)) if name in OPENING:
                if not within(ast.unparse(base), NO_PATHS):
                    yield node.lineno, f"{ast.unparse(node.func)}() opens a path"
            case ast.Call(func=ast.Name(id="open")):
                yield node.lineno, "open() opens a path"


def no_print(source: Source) -> Iterator[Fault]:
    """The engine and the window report by events and do not print."""
    for node in source.nodes:
        match node:
            case ast.Call(func=ast.Name(id="print")):
                yield node.lineno, "print()"


def no_assert(source: Source) -> Iterator[Fault]:
    """Product code checks input with exceptions that explain the error."""
    for node in source.nodes:
        if isinstance(node, ast.Assert):
            yield node.lineno, "assert outside the tests"


def no_blind_except(source: Source) -> Iterator[Fault]:
    """Every `except` names the exceptions."""
    for node in source.nodes:
        if isinstance(node, ast.ExceptHandler) and node.type is None:
            yield node.lineno, "bare except"


def short_files(source: Source) -> Iterator[Fault]:
    """Files are short."""
    yield from long_files(source, MAX_LINES)


def long_files(source: Source, limit: int) -> Iterator[Fault]:
    """Yield a file with more than `limit` lines of code.

    Docstrings, comments and empty lines do not count, so explanations are free.
    """
    described = {
        line
        for node in source.nodes
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = (line.strip() for line in source.text.splitlines())
    n_lines = sum(
        bool(line) and not line.startswith("#") and number not in described
        for number, line in enumerate(lines, 1)
    )
    if n_lines > limit:
        yield n_lines, f"{n_lines} code lines, at most {limit}"


def short_functions(source: Source) -> Iterator[Fault]:
    """Functions are short."""
    yield from long_functions(source, MAX_CODE_LINES)


def long_functions(source: Source, limit: int) -> Iterator[Fault]:
    """Yield each function with more than `limit` lines of code."""
    lines = source.text.splitlines()
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            first = body[0].lineno if body else node.end_lineno or node.lineno
            code = [line.strip() for line in lines[first - 1 : node.end_lineno]]
            n_lines = sum(bool(line) and not line.startswith("#") for line in code)
            if n_lines > limit:
                yield node.lineno, f"{node.name}: {n_lines} code lines, at most {limit}"


def no_tests(source: Source) -> Iterator[Fault]:
    """Product code imports no tests."""
    for imported in source.imports:
        if within(imported.module, ("tests",)):
            yield imported.line, f"{source.module} imports {imported.module}"


RULES: tuple[Rule, ...] = (
    layers_of_engine,
    layers_of_app,
    files_read_in_loader,
    restricted_libraries,
    absolute_imports,
    guarded_inputs,
    no_print,
    no_assert,
    no_blind_except,
    short_files,
    short_functions,
    no_tests,
)

JUDGE = "tests.judge"
JUDGE_LIBRARIES = frozenset(("numpy", "numba", JUDGE)) | sys.stdlib_module_names
"""Imports that the photon simulation may use. Its tests also import pytest."""


def judge_is_independent(source: Source) -> Iterator[Fault]:
    """The independent photon simulation shares no code with the engine."""
    is_test = source.path.rsplit("/", 1)[-1].startswith("test_")
    allowed = JUDGE_LIBRARIES | ({"pytest"} if is_test else set())
    for imported in source.imports:
        if not within(imported.module, tuple(allowed)):
            yield imported.line, f"{source.module} imports {imported.module}"


JUDGE_RULES: tuple[Rule, ...] = (
    judge_is_independent,
    absolute_imports,
    short_files,
    short_functions,
)


@cache
def sources(
    root: Path, tops: tuple[str, ...] = ("engine", "app", "resources")
) -> tuple[Source, ...]:
    """Return every Python file of the engine, the window and their data, parsed once."""
    paths = sorted(p for top in tops for p in (root / top).rglob("*.py"))
    names = [path.relative_to(root).as_posix() for path in paths]
    modules = frozenset(dotted(name) for name in names)
    texts = (path.read_text(encoding="utf-8") for path in paths)
    return tuple(Source(name, text, modules) for name, text in zip(names, texts, strict=True))
