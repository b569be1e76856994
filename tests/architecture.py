"""The rules of the house, read from the source with `ast`: who may import whom, and how long."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

LEAVES = ("arrays", "errors", "plain", "settings", "geometry", "data", "events", "faces")
PHYSICS = ("model", "operators", "backend", "profiling", *LEAVES)
CHOICES = ("algorithms", "corrections", "preprocess", "postprocess", *LEAVES)
SCANS = ("study", "io", "filtering", "kernels", "paths", "scatter", *CHOICES, *PHYSICS)
"""What a modality is built from."""

MAY_IMPORT: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(LEAVES, LEAVES),
    "paths": ("errors",),
    "backend": ("arrays", "plain", "errors", "faces", "paths"),
    "profiling": ("backend", "plain", "errors"),
    "kernels": ("backend", "profiling", "arrays", "plain", "errors", "paths"),
    "operators": (
        "kernels",
        "data",
        "geometry",
        "backend",
        "profiling",
        "arrays",
        "plain",
        "errors",
    ),
    "model": ("operators", "arrays", "plain"),
    "penalties": ("operators", "data", "settings", "arrays", "plain", "errors"),
    "filtering": ("operators", "backend", "geometry", "settings", "arrays", "plain", "errors"),
    "algorithms": ("filtering", "penalties", "settings", "arrays", "plain", "errors"),
    "postprocess": ("backend", "kernels", "operators", *LEAVES),
    "corrections": ("operators", "io", "backend", *LEAVES),
    "scatter": ("kernels", "backend", *LEAVES),
    "preprocess": ("corrections.base", "filtering", "backend", *LEAVES),
    "io": ("paths", *LEAVES),
    "study": ("io", *CHOICES),
    "importing": ("io", "preprocess", "filtering", "backend", *LEAVES),
    "privacy": ("io.input_files", "study", "paths", *LEAVES),
    "reporting": (
        "io.folder",
        "io.input_files",
        "io.open_input",
        "privacy",
        "study",
        "backend",
        "profiling",
        *LEAVES,
    ),
    "simulate": SCANS,
    "registration": LEAVES,
    "normalise": ("io", "jobs.process", "kernels", "backend", *LEAVES),
    "regions": ("io", *LEAVES),
    "quality": ("io", "regions", "simulate", *LEAVES),
    "selftest": SCANS,
    "modalities": ("penalties", "privacy", "reporting", "simulate", *SCANS),
    "results": ("modalities", "privacy", "reporting", *SCANS),
    "documents": (
        *("modalities", "privacy", "quality", "regions", "reporting", "results"),
        *SCANS,
    ),
    "jobs": (
        *("importing", "modalities", "privacy", "registration", "reporting", "results", "selftest"),
        *SCANS,
    ),
    "catalogue": ("documents", "io", "jobs", "results", "errors", "faces"),
    "live": ("jobs", "modalities", "privacy", "reporting", *SCANS),
    "support": (
        *("backend", "io.atomic_write", "reporting.environment", "paths"),
        *("plain", "errors", "faces"),
    ),
    "tuning": ("benchmark", "jobs", "modalities", "reporting", "selftest", "simulate", *SCANS),
    "benchmark": (
        *("jobs", "live", "modalities", "reporting", "simulate", "quality", "regions", *SCANS),
    ),
    "cli": (
        *(
            "benchmark",
            "catalogue",
            "documents",
            "jobs",
            "modalities",
            "normalise",
            "privacy",
            "reporting",
        ),
        "results",
        *("importing", "live", "selftest", "simulate", "tuning"),
        *("quality", "regions", "registration", "support"),
        *SCANS,
    ),
    "": (
        *("backend", "io", "jobs", "modalities", "model", "operators", "selftest", "simulate"),
        *LEAVES,
    ),
}
"""Part of `engine` to the other parts it may import; "" is the engine's own `__init__`."""

TYPES_ONLY = {
    "algorithms": ("model",),
    "model": ("filtering.settings",),
    "events": ("profiling",),
    "data": ("backend",),
}
"""Further parts that may be named in annotations, under TYPE_CHECKING."""

ENGINE_OF_APP = (
    *(
        "engine.backend",
        "engine.catalogue",
        "engine.data",
        "engine.documents",
        "engine.errors",
        "engine.events",
        "engine.geometry",
    ),
    *(
        "engine.importing",
        "engine.io",
        "engine.jobs",
        "engine.live",
        "engine.modalities",
        "engine.normalise",
        "engine.profiling",
        "engine.quality",
    ),
    *("engine.privacy", "engine.regions", "engine.results", "engine.settings", "engine.support"),
    "engine.tuning",
)
"""Modules of the engine that the window knows: faces, whose parts it does not reach into."""

APP_MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "language": (),
    "views": (),
    "look": ("views",),
    "forms": ("look", "views"),
    "models": ("look", "views"),
    "control": ("look", "models", "views"),
    "run": ("control", "look", "models", "views"),
    "inspect": ("control", "forms", "look", "models", "views"),
    "measure": ("control", "forms", "look", "models", "run", "views"),
    "study": ("control", "forms", "inspect", "look", "models", "views"),
    "results": ("control", "look", "models", "views"),
    "queue": ("control", "look", "models", "views"),
    "studies": ("control", "forms", "look", "models", "views"),
    "regions": ("control", "forms", "look", "models", "run", "views"),
    "calibrate": ("control", "forms", "look", "models", "views"),
    "export": ("control", "forms", "look", "models", "views"),
    "fusion": ("control", "look", "models", "views"),
    "looking": ("control", "forms", "look", "models", "views"),
    "report": ("control", "forms", "look", "models", "views"),
    "live": ("control", "export", "forms", "look", "models", "views"),
    "tune": ("control", "forms", "look", "models", "views"),
    "shell": (
        *("calibrate", "control", "export", "forms", "fusion", "inspect", "live", "look"),
        *("looking", "measure"),
        *("models", "queue", "regions", "report", "results", "run", "studies", "study", "tune"),
    ),
    "__main__": ("shell",),
    "": (),
}
"""Room of `app` to the other rooms it may import."""
APP_MAY_IMPORT["shell"] += ("views",)
APP_MAY_IMPORT = {
    room: others if room == "language" else (*others, "language")
    for room, others in APP_MAY_IMPORT.items()
}
ENGINE_COMMAND = {"__main__": "engine.cli.main"}
"""The one way from the window's start to the command line."""

READERS = frozenset(
    (
        *("read", "read_volume", "read_scanner", "read_listmode", "read_histogram"),
        *("read_projections", "read_mu_map", "read_efficiencies", "read_study", "inspect"),
        *("purpose_of", "summarise", "scan_at", "auxiliary_at", "volume_at"),
        *("draft_of", "look_at", "may_import"),
    )
)
"""Functions of the engine that open files of others."""
KERNEL_FOLDERS = ("engine.kernels",)
GPU_FOLDERS = ("engine.backend", "engine.profiling", "engine.kernels")
FOREIGN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("PySide6", "shiboken6", "pyqtgraph", "qtawesome", "qtpy"), ("app",)),
    "numba": KERNEL_FOLDERS,
    "cupy": GPU_FOLDERS,
    "cupyx": GPU_FOLDERS,
}
"""Library to the only modules that may import it."""
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
"""Calls that take a path to a file."""
NO_PATHS = ("Job", "archive", "gpu", "h5py.h5a", "parts", "results", "json", "tomllib")
"""What has methods of these names and opens nothing."""
MAY_OPEN = (
    *("engine.io.open_input", "engine.io.folder", "engine.io.hdf5"),  # the one way in
    *("engine.io.atomic_write", "engine.io.outputs", "engine.io.locks", "engine.io.dead_parts"),
    *("engine.io.hdf5_writer", "engine.io.read_back", "engine.io.piece_write"),
    *("engine.io.audit_log", "engine.cli.streams", "engine.cli.event_log"),
    *("engine.jobs", "engine.kernels", "engine.privacy.key", "engine.support"),  # files of our own
    "engine.data.volume_file",
    *("engine.modalities.demo", "engine.modalities.studies", "engine.modalities.xray_ct"),
    *("engine.modalities.dual_head_pet.response.parts", "engine.benchmark.report"),
    *("engine.modalities.dual_head_pet.response_cache", "engine.reporting.environment"),
    *("engine.modalities.listmode_pet.sensitivity_cache", "engine.io.scanner_toml"),
    *("engine.io.png", "engine.results", "engine.tuning", "engine.backend.processor"),
    "engine.documents.illustrations",
    "engine.benchmark.counted",  # what is shipped with us
    *("engine.backend.verdicts", "engine.backend.cupy_compiling"),
    *("engine.benchmark.gpu_file", "engine.cli.gpu_check"),
)
"""Modules that open paths: the one way in, what writes, and what reads files that we made."""

MOST_LINES = 400
MOST_CODE_LINES = 80
"""Hard limits of a file and a function, far above the advice."""
ADVISED_LINES = 300
ADVISED_CODE_LINES = 40
"""Sizes above which `python -m tests.advice` lists a file or a function."""


@dataclass(frozen=True)
class Import:
    """One imported module, and how."""

    module: str
    line: int
    in_function: bool
    for_types: bool


@dataclass(frozen=True)
class Source:
    """A file of ours: its path from the root, its text, and the modules the project has."""

    path: str
    text: str
    modules: frozenset[str] = frozenset()

    @property
    def module(self) -> str:
        """Dotted name."""
        return dotted(self.path)

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed text."""
        return ast.parse(self.text, self.path)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All of the parsed text, which every rule looks through."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def imports(self) -> list[Import]:
        """Every import, in order."""
        return list(self._imports_of(self.tree, in_function=False, for_types=False))

    def _imports_of(self, node: ast.AST, *, in_function: bool, for_types: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                continue  # no import is inside an expression
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
    """Whether a block runs for type checkers only."""
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def within(module: str, parts: tuple[str, ...]) -> bool:
    """Whether a module is one of `parts` or inside one."""
    return any(module == part or module.startswith(f"{part}.") for part in parts)


def part_of(module: str) -> str:
    """Return the part of the engine or the window a module belongs to: engine.io.nifti is of io."""
    return module.split(".")[1] if "." in module else ""


Fault = tuple[int, str]
Rule = Callable[[Source], Iterator[Fault]]


def layers_of_engine(source: Source) -> Iterator[Fault]:
    """Lower layers never import higher ones; the engine never imports the window."""
    if not within(source.module, ("engine",)):
        return
    part = part_of(source.module)
    if part not in MAY_IMPORT:
        yield 1, f"engine.{part} has no place in the table of layers (tests/architecture.py)"
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
    return within(inner, (part, *MAY_IMPORT[part], *types))


def layers_of_app(source: Source) -> Iterator[Fault]:
    """The window adds no physics, and no room imports one that stands above it."""
    if not within(source.module, ("app",)):
        return
    room = part_of(source.module)
    if room not in APP_MAY_IMPORT:
        yield 1, f"app.{room} has no place in the table of rooms (tests/architecture.py)"
        return
    for imported in source.imports:
        name, other = imported.module, part_of(imported.module)
        if within(name, ("app",)) and other not in (room, *APP_MAY_IMPORT[room]):
            yield imported.line, f"app.{room} imports {name}"
        is_hidden = within(name, ("engine",)) and name not in ENGINE_OF_APP
        if is_hidden and ENGINE_COMMAND.get(room) != name:
            yield imported.line, f"app.{room} imports {name}"


def files_read_apart(source: Source) -> Iterator[Fault]:
    """The window asks the loader's process about files, and calls no reader itself."""
    if not within(source.module, ("app",)):
        return
    for node in source.nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("engine"):
            for alias in node.names:
                if alias.name in READERS:
                    yield node.lineno, f"{source.module} imports {alias.name}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("role.read", "reader.read"):
            yield node.lineno, f"{source.module} reads by {ast.unparse(node.func)}"


def foreign_libraries(source: Source) -> Iterator[Fault]:
    """Qt, Numba and CuPy stay where they belong, and CuPy inside functions."""
    for imported in source.imports:
        library = imported.module.split(".")[0]
        if library in FOREIGN and not within(source.module, FOREIGN[library]):
            yield imported.line, f"{source.module} imports {library}"
        elif library in INSIDE_FUNCTIONS and not (imported.in_function or imported.for_types):
            yield imported.line, f"{library} is imported outside a function"


def absolute_imports(source: Source) -> Iterator[Fault]:
    """Every import says where from."""
    for imported in source.imports:
        if imported.module.startswith("."):
            yield imported.line, f"relative import {imported.module}"


def one_way_in(source: Source) -> Iterator[Fault]:
    """Files of others come through `engine.io.open_input`: no pipe, no device, no map."""
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
    """The engine and the window report by events, not by printing."""
    for node in source.nodes:
        match node:
            case ast.Call(func=ast.Name(id="print")):
                yield node.lineno, "print()"


def no_assert(source: Source) -> Iterator[Fault]:
    """Input is checked by exceptions that a person can read."""
    for node in source.nodes:
        if isinstance(node, ast.Assert):
            yield node.lineno, "assert outside the tests"


def no_blind_except(source: Source) -> Iterator[Fault]:
    """What is caught is named."""
    for node in source.nodes:
        if isinstance(node, ast.ExceptHandler) and node.type is None:
            yield node.lineno, "bare except"


def short_files(source: Source) -> Iterator[Fault]:
    """One idea per file."""
    yield from long_files(source, MOST_LINES)


def long_files(source: Source, most: int) -> Iterator[Fault]:
    """Yield a file with more than `most` lines."""
    n_lines = len(source.text.splitlines())
    if n_lines > most:
        yield n_lines, f"{n_lines} lines, at most {most}"


def short_functions(source: Source) -> Iterator[Fault]:
    """A function fits on a screen."""
    yield from long_functions(source, MOST_CODE_LINES)


def long_functions(source: Source, most: int) -> Iterator[Fault]:
    """Yield each function with more than `most` lines of code."""
    lines = source.text.splitlines()
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            first = body[0].lineno if body else node.end_lineno or node.lineno
            code = [line.strip() for line in lines[first - 1 : node.end_lineno]]
            n_lines = sum(bool(line) and not line.startswith("#") for line in code)
            if n_lines > most:
                yield node.lineno, f"{node.name}: {n_lines} code lines, at most {most}"


def no_tests(source: Source) -> Iterator[Fault]:
    """What is tested knows no test, and least of all its judge."""
    for imported in source.imports:
        if within(imported.module, ("tests",)):
            yield imported.line, f"{source.module} imports {imported.module}"


RULES: tuple[Rule, ...] = (
    layers_of_engine,
    layers_of_app,
    files_read_apart,
    foreign_libraries,
    absolute_imports,
    one_way_in,
    no_print,
    no_assert,
    no_blind_except,
    short_files,
    short_functions,
    no_tests,
)

JUDGE = "tests.judge"
JUDGE_LIBRARIES = frozenset(("numpy", "numba", JUDGE)) | sys.stdlib_module_names
"""What the photon Monte Carlo may import; its own tests import pytest besides."""


def judge_apart(source: Source) -> Iterator[Fault]:
    """What judges the engine shares nothing with it."""
    is_test = source.path.rsplit("/", 1)[-1].startswith("test_")
    allowed = JUDGE_LIBRARIES | ({"pytest"} if is_test else set())
    for imported in source.imports:
        if not within(imported.module, tuple(allowed)):
            yield imported.line, f"{source.module} imports {imported.module}"


JUDGE_RULES: tuple[Rule, ...] = (judge_apart, absolute_imports, short_files, short_functions)


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
