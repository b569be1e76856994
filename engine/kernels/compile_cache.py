"""Compiled CPU kernels, kept between starts in a folder for each state of their sources.

Numba keeps an index beside each file and reads it before it looks whether it still fits: one that
names a class which is gone ends every start with an AttributeError. It also takes no notice of a
function or a constant that changed in another file. So all that is compiled lies in a folder named
by a digest of every source here and of the libraries: another state of them never meets it.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import numba
import numpy as np
from llvmlite import __version__ as llvmlite_version
from numba.core import config as numba_config
from numba.core import entrypoints
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock

from engine.core.errors import ResourceError
from engine.core.paths import cache_dir

SOURCES = Path(__file__).parent
PREFIX = "kernels-"
KEPT_STATES = 3
"""Folders of other states that stay, the youngest: to go back to a version costs no minute."""

LONGEST_WAIT_S = 120.0
"""For another process that compiles the same kernel."""

_IMPORTED = re.compile(rb"^from engine\.kernels\.([\w.]+) import", re.MULTILINE)
_LOCK = Lock()
config: Any = numba_config


def cached_njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator: numba.njit without the lock of Python, its result kept on disk.

    Parameters
    ----------
    options
        of numba.njit: fastmath, error_model, ...
    """

    def decorate(function: Callable[..., Any]) -> Any:
        folder = cache_folder()
        dispatcher = numba.njit(nogil=True, **options)(function)
        if folder is not None:
            dispatcher._cache = _cache_of(function, folder)
        lock = folder and folder / f"{function.__module__}.{function.__qualname__}.lock"
        dispatcher._compile_for_args = _one_at_a_time(dispatcher._compile_for_args, lock)
        return dispatcher

    return decorate


@cache
def cache_folder() -> Path | None:
    """Folder of what is compiled from these sources; None where nothing can be written.

    In order: what the variable NUMBA_CACHE_DIR says; beside the sources, where an installation is
    shared; the user's own cache, where the installation is read-only.
    """
    for base in _bases():
        folder = base / f"{PREFIX}{digest()}"
        if _is_writable(folder):
            _forget_old_states(base, folder)
            return folder
    return None


@cache
def digest() -> str:
    """Fingerprint of the sources that Numba compiles, of Python and of the libraries."""
    libraries = platform.python_version(), numba.__version__, llvmlite_version, np.__version__
    content = sha256(" ".join(libraries).encode())
    for name, text in sorted(_compiled().items()):
        content.update(f"{name} {len(text)}\n".encode() + text)
    return content.hexdigest()[:16]


def _compiled() -> dict[str, bytes]:
    """Sources that Numba compiles, and those of what they take from others, by name.

    The rest, of cards, changes often, and a digest costs a minute.
    """
    texts = {_name(path): path.read_bytes() for path in SOURCES.rglob("*.py")}
    found: dict[str, bytes] = {}
    left = [name for name, text in texts.items() if b"njit" in text]
    while left:
        name = left.pop()
        if name not in found and name in texts:
            found[name] = texts[name]
            left += (each.decode() for each in _IMPORTED.findall(texts[name]))
    return found


def _name(path: Path) -> str:
    """Return the dotted name of a source below the folder of kernels."""
    return ".".join(path.relative_to(SOURCES).with_suffix("").parts)


def _one_at_a_time(compiled: Callable[..., Any], lock: Path | None) -> Callable[..., Any]:
    """Return a first call that holds Numba's lock throughout, and that of the kernel's processes.

    Numba takes its own only once it compiles: before, it registers its operators, and a kernel that
    another thread compiles meanwhile finds them replaced between its types and its code.
    """

    def locked(*args: Any, **kwargs: Any) -> Any:
        with global_compiler_lock, _without_extensions(), _first_of_processes(lock):
            return compiled(*args, **kwargs)

    return locked


@contextmanager
def _without_extensions() -> Iterator[None]:
    """Leave out what other libraries register with Numba, which no kernel uses.

    Those that read GATE's files take as long to load as the kernels of a run. A function that is
    not ours finds them as ever.
    """
    known = entrypoints._already_initialized
    entrypoints._already_initialized = True
    try:
        yield
    finally:
        entrypoints._already_initialized = known


@contextmanager
def _first_of_processes(lock: Path | None) -> Iterator[None]:
    """Let one process compile a kernel; others wait, and load what it has kept.

    Each would take the same seconds, and who writes Numba's index last would leave out the others.
    """
    from filelock import FileLock, Timeout

    with ExitStack() as held:
        # some file systems know no locks, and a process that hangs must not stop all others
        with suppress(OSError, NotImplementedError, Timeout):
            if lock is not None:
                held.enter_context(FileLock(lock).acquire(timeout=LONGEST_WAIT_S))
        yield


class _ForgivingCache(FunctionCache):
    """Numba's cache of one function; what cannot be read is dropped and compiled again."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001  a torn pickle may raise anything at all
            self.flush()
            return None


def _cache_of(function: Callable[..., Any], folder: Path) -> FunctionCache:
    """Return the cache of a function, in our folder instead of Numba's usual one.

    Numba asks its configuration for the folder only while it makes the cache; other users of Numba
    in the process keep theirs.
    """
    with _LOCK:
        usual = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            return _ForgivingCache(function)
        finally:
            config.CACHE_DIR = usual


def _bases() -> list[Path]:
    """Folders to try, the best first."""
    asked = os.environ.get("NUMBA_CACHE_DIR")
    bases = [Path(asked)] if asked else [SOURCES / "__pycache__"]
    try:
        return [*bases, cache_dir()]
    except ResourceError:
        return bases


def _is_writable(folder: Path) -> bool:
    """Whether files can be written in a folder, made if absent."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # the mode says nothing of a full disk or a mount that is read-only
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _forget_old_states(base: Path, current: Path) -> None:
    """Remove what was compiled from other states of the sources, but for the youngest."""
    os.utime(current)  # the one in use is never among the oldest for another process
    others = [path for path in base.glob(f"{PREFIX}*") if path != current]
    others.sort(key=_age, reverse=True)
    for path in others[KEPT_STATES:]:
        shutil.rmtree(path, ignore_errors=True)  # another process may be at it, or use it


def _age(folder: Path) -> float:
    """Time of the last use; 0 of one that another process has just removed."""
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
