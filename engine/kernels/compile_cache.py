"""Compiled CPU kernels, stored between starts in a folder for each state of their sources.

Numba has an index file next to each source, and reads it before it checks whether it is still
valid. An index that names a removed class ends every start with an AttributeError. Numba also
ignores changes of functions or constants in other files. Compiled code is therefore stored in a
folder for each module, named by a digest of its source and of all sources that it imports here. It
is never used with another state of them. A changed line compiles only the kernels that use it.
These folders are in one for the class of processors and the versions of Python and of the
libraries. Kernels that came with a wheel are copied into it (`engine.kernels.shipped`).

Numba's files are pickles, so whoever can write them runs code as their reader. They are read only
from private paths (`engine.core.private_files`). If a folder is not private, kernels are compiled
into the next one, and the folder is reported.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE
from typing import Any

import numba
import numpy as np
from llvmlite import __version__ as llvmlite_version
from numba.core import entrypoints
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
)
from numba.core.compiler_lock import global_compiler_lock

from engine.core.errors import ResourceError
from engine.core.paths import cache_dir, is_removed_by_pip, user_cache_dir
from engine.core.private_files import is_own, privacy_fault, report_refused
from engine.kernels.host_target import can_load_quickly, make_ready
from engine.kernels.processor import TARGET
from engine.kernels.stored_code import rebuilt

SOURCES = Path(__file__).parent
PREFIX = "kernels-"
N_OLD_STATES = 3
"""Number of recent but unused states of the libraries and of a module that stay on disk."""
PACKAGE = "engine.kernels."

LONGEST_WAIT_S = 120.0
"""Maximum wait for another process that compiles the same kernel."""

_IMPORTED = re.compile(
    rb"^from engine\.kernels(?:\.([\w.]+))? import (\([^)]*\)|[^\n]*)", re.MULTILINE
)
"""Imports at the start of a line: compiled code can use no others."""


def cached_njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator: numba.njit without Python's lock, with its result cached on disk.

    Parameters
    ----------
    options
        options of numba.njit: fastmath, error_model, ...
    """

    def decorate(function: Callable[..., Any]) -> Any:
        folder = folder_of(function.__module__)
        dispatcher = numba.njit(nogil=True, **options)(function)
        if folder is not None:
            dispatcher._cache = _ForgivingCache(function)
        lock = folder and folder / f"{function.__module__}.{function.__qualname__}.lock"
        dispatcher._compile_for_args = _one_at_a_time(dispatcher._compile_for_args, lock)
        return dispatcher

    return decorate


@cache
def cache_folder() -> Path | None:
    """Return the folder of code compiled with these libraries; None if there is none to use.

    In this order: the variable NUMBA_CACHE_DIR; next to the sources of a clone; the cache in
    ISOCENTER_HOME. An installer removes only its own files, so nothing is stored among them. A
    folder must be writable, and private. If others can change these folders, the user's own cache
    follows.
    """
    refused: dict[Path, str] = {}
    chosen = next((folder for base in _bases() if (folder := _usable(base, refused))), None)
    # ISOCENTER_HOME can be shared, and code of other users is never run
    if chosen is None and refused:
        chosen = _usable(user_cache_dir(), refused)
    instead = "Kernels are compiled again."
    if chosen is not None:
        instead = f"Kernels are compiled again into {chosen.parent}."
    for base, reason in refused.items():
        report_refused(base, reason, instead)
    return chosen


@cache
def folder_of(module: str) -> Path | None:
    """Return the folder of code compiled from the present state of a module; None without one.

    Parameters
    ----------
    module
        name of the module
    """
    parent = cache_folder()
    if parent is None:
        return None
    name = module.removeprefix(PACKAGE)
    folder = parent / f"{name}-{module_digest(module)}"
    if folder.is_dir():
        return folder
    from engine.kernels.shipped import copy_shipped

    if not copy_shipped(parent.name, folder.name, folder):
        try:
            folder.mkdir(0o755, exist_ok=True)
        except OSError:  # another process may have removed the parent
            return None
    others = [path for path in parent.glob(f"{name}-*") if _is_state(path.name, name)]
    _forget_old_states(others, folder)
    return folder


def has_compiled(module: str) -> bool:
    """Return True if compiled code of the present state of a module is stored.

    Parameters
    ----------
    module
        name of the module
    """
    folder = folder_of(module)
    return folder is not None and any(folder.rglob("*.nbi"))


def _is_state(folder: str, module: str) -> bool:
    """Return True if a folder belongs to a module, and not to one with a longer name."""
    return re.fullmatch("[0-9a-f]{16}", folder.removeprefix(f"{module}-")) is not None


def _usable(base: Path, refused: dict[Path, str]) -> Path | None:
    """Return the folder of these libraries in a base; None if it is not writable or not private."""
    folder = base / f"{PREFIX}{_library_digest()}"
    if not _is_writable(folder):
        return None
    if reason := privacy_fault(folder, code=True):
        refused[base] = reason
        return None
    _forget_old_states(list(base.glob(f"{PREFIX}*")), folder)
    return folder


@cache
def digest() -> str:
    """Return a digest of the sources that Numba compiles, of Python and of the libraries."""
    # Sources for GPUs are not among them, because they change often.
    kernels = (name for name, text in _texts().items() if b"njit" in text)
    return _digest_of(_with_imported(kernels), _library_digest())


@cache
def module_digest(module: str) -> str:
    """Return a digest of a module and of the modules here that it imports.

    Parameters
    ----------
    module
        name of the module; one that is not among these sources depends on all of them
    """
    name = module.removeprefix(PACKAGE)
    if not (module.startswith(PACKAGE) and name in _texts()):
        return digest()
    return _digest_of(_with_imported([name]))


@cache
def _library_digest() -> str:
    # Updates of Python and NumPy within a minor version change no compiled code.
    numpy_version = ".".join(np.__version__.split(".")[:2])
    versions = numba.__version__, llvmlite_version, numpy_version
    parts = sys.implementation.cache_tag or sys.version, *versions, *TARGET
    return sha256(" ".join(parts).encode()).hexdigest()[:16]


def _digest_of(names: set[str], start: str = "") -> str:
    content = sha256(start.encode())
    for name in sorted(names):
        content.update(f"{name} {_text_digest(name)}\n".encode())
    return content.hexdigest()[:16]


@cache
def _text_digest(name: str) -> str:
    return sha256(_texts()[name]).hexdigest()


@cache
def _texts() -> dict[str, bytes]:
    """Return all sources here by name."""
    return {_name(path): path.read_bytes() for path in SOURCES.rglob("*.py")}


def _with_imported(names: Iterable[str]) -> set[str]:
    """Return names of sources, and of all that they import here."""
    found: set[str] = set()
    left = set(names)
    while left:
        found |= left
        left = {each for name in left for each in _imported_by(name)} - found
    return found


@cache
def _imported_by(name: str) -> set[str]:
    """Return the names of the sources here that a source imports."""
    return _texts().keys() & set(_named_imports(_texts()[name]))


def _named_imports(text: bytes) -> Iterator[str]:
    """Yield the names that a source may import here; some are not modules."""
    for parent, names in _IMPORTED.findall(text):
        start = f"{parent.decode()}." if parent else ""
        yield parent.decode()
        yield f"{start}__init__"
        for name in re.findall(rb"\w+", re.sub(rb"#[^\n]*", b"", names)):
            yield f"{start}{name.decode()}"


def _name(path: Path) -> str:
    """Return the dotted name of a source below the folder of kernels."""
    return ".".join(path.relative_to(SOURCES).with_suffix("").parts)


def _one_at_a_time(compiled: Callable[..., Any], lock: Path | None) -> Callable[..., Any]:
    """Return a first call that holds Numba's lock and a lock between processes.

    Numba takes its own lock only when it compiles. Before that it registers its operators, and a
    kernel that another thread compiles at that time finds them replaced between its types and its
    code.
    """

    def locked(*args: Any, **kwargs: Any) -> Any:
        with global_compiler_lock, _without_extensions(), _first_of_processes(lock):
            return compiled(*args, **kwargs)

    return locked


@contextmanager
def _without_extensions() -> Iterator[None]:
    """Skip the extensions that other libraries register with Numba; no kernel uses them.

    Those of the readers for GATE take as long to load as the kernels of a run. Other functions
    still find them.
    """
    known = entrypoints._already_initialized
    entrypoints._already_initialized = True
    try:
        yield
    finally:
        entrypoints._already_initialized = known


@contextmanager
def _first_of_processes(lock: Path | None) -> Iterator[None]:
    """Let one process compile a kernel; others wait, and load its result.

    Otherwise each process would need the same seconds, and the last writer of Numba's index would
    drop the entries of the others.
    """
    from filelock import FileLock, Timeout

    with ExitStack() as locks:
        # Some file systems have no locks, and a process that hangs must not stop all others.
        with suppress(OSError, NotImplementedError, Timeout):
            if lock is not None:
                locks.enter_context(FileLock(lock).acquire(timeout=LONGEST_WAIT_S))
        yield


class _PrivateFiles(IndexDataCacheFile):
    """Numba's files of one function; those that others can change are never unpickled."""

    def _load_index(self) -> dict[Any, str]:
        if not is_own(Path(self._index_path), code=True):
            return {}
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))
        # The caller compiles again, as for a file that was removed
        if path.parent != Path(self._cache_path) or not is_own(path, code=True):
            raise FileNotFoundError(path)
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[Any]:
        with super()._open_for_write(filepath) as file:
            # Under a umask of 002 the group could write the file
            if os.name == "posix":
                os.fchmod(file.fileno(), S_IMODE(os.fstat(file.fileno()).st_mode) & ~0o022)
            yield file


class _Folder(_CacheLocator):
    """Folder of a function's module, independent of where the program is installed."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._folder, self._line = folder, function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Folder | None:
        folder = folder_of(py_func.__module__)
        return None if folder is None else cls(py_func, folder)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)


class _InFolder(CompileResultCacheImpl):
    """Names of Numba's files in that folder."""

    _locator_classes: list[type[object]] = [_Folder]  # noqa: RUF012

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        # With other versions of Numba its own way is the safe one.
        known = can_load_quickly()
        return (rebuilt if known else super().rebuild)(target_context, payload)


class _ForgivingCache(FunctionCache):
    """Numba's cache of one function; unreadable entries are removed and compiled again."""

    _impl_class = _InFolder

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        # Functions of plug-ins may call everything that Numba knows.
        self._is_ours = function.__module__.startswith(PACKAGE)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _PrivateFiles(self._cache_path, self._impl.filename_base, stamp)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        # An argument can have a class of a module that the kernel does not import
        modules = sorted({module for each in sig for module in _modules_of(each)})
        return (*super()._index_key(sig, codegen), *map(module_digest, modules))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            # Numba prepares to compile before it looks into the folder. Stored kernels do not need
            # this. If there is none, Numba looks again.
            found = self._load_quickly(sig, target_context) if self._is_ours else None
            return found or super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001  a damaged pickle can raise any exception
            self.flush()
            return None

    def _load_quickly(self, sig: Any, target_context: Any) -> Any:
        if not can_load_quickly():
            return None
        make_ready()
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def _modules_of(kind: Any) -> Iterator[str]:
    """Yield the modules here that define the classes and functions of an argument's type."""
    parts: Any = kind if isinstance(kind, numba.types.BaseTuple) else ()
    defined = getattr(kind, "instance_class", None) or getattr(kind, "dispatcher", None)
    defined = getattr(defined, "py_func", defined)
    if (module := getattr(defined, "__module__", "")).startswith(PACKAGE):
        yield module
    for part in parts:
        yield from _modules_of(part)


def _bases() -> list[Path]:
    """Return the folders to try, best first."""
    asked = os.environ.get("NUMBA_CACHE_DIR")
    if asked:
        bases = [Path(asked)]
    else:
        bases = [] if is_removed_by_pip(SOURCES.parents[1]) else [SOURCES / "__pycache__"]
    with suppress(ResourceError):
        bases.append(cache_dir())
    return bases


def _is_writable(folder: Path) -> bool:
    """Return True if files can be written in a folder, which is created if missing."""
    try:
        folder.parent.mkdir(0o755, parents=True, exist_ok=True)
        folder.mkdir(0o755, exist_ok=True)
        # permissions do not show a full disk or a read-only mount
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _forget_old_states(states: list[Path], current: Path) -> None:
    """Remove code compiled from other states, except the most recent ones."""
    os.utime(current)  # so that another process never sees the one in use as old
    others = sorted((path for path in states if path != current), key=_age, reverse=True)
    for path in others[N_OLD_STATES:]:
        shutil.rmtree(path, ignore_errors=True)  # another process can remove or use it


def _age(folder: Path) -> float:
    """Return the time of the last use; 0 if another process has just removed it."""
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
