"""Ask DICOM nodes in a child process, so that no answer can block or fill the window."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from engine.core.errors import EngineError, ReadingStoppedError, ResourceError
from engine.jobs.loader.limits import limited_memory
from engine.jobs.loader.loader import EndWords, Loader

T = TypeVar("T")
OF_NODES = EndWords(
    "{name}: processing the answer took more than {seconds:g} s of CPU time and was stopped; check "
    "this node.",
    "{name}: the process that asked this node was killed, perhaps because memory ran out; close "
    "other programs, and try again.",
    "{name}: the process that asked this node crashed ({cause}); try again, and report this error "
    "if it occurs again.",
    ResourceError,
)
MAX_BYTES = 512 * 2**20
"""Memory that one request may use, in addition to that of the idle process."""


def call_node(function: Callable[..., T], *arguments: object, name: str, seconds: float) -> T:
    """Return the result of a request to a node, made in a process of its own.

    Parameters
    ----------
    function
        function at the top level of a module, with limits of its own
    arguments
        values that can be pickled
    name
        name of the node, for messages
    seconds
        time after which the process is ended; longer than the limits of the function

    Raises
    ------
    EngineError
        the function's own error, or that the process took too long or needed too much memory
    """
    loader, last = Loader(words=OF_NODES), monotonic() + seconds
    try:
        return loader.call(
            _limited, function, arguments, name, about=name, stopped=lambda: monotonic() > last
        )
    except ReadingStoppedError as e:
        raise ResourceError(
            f"{name}: no complete response after {seconds:,.0f} s; check the load of this node."
        ) from e
    finally:
        loader.close()


def _limited(function: Callable[..., T], arguments: tuple[object, ...], name: str) -> T:
    try:
        with limited_memory(MAX_BYTES):
            return function(*arguments)
    except MemoryError as e:
        raise ResourceError(
            f"{name}: the request needs more than {MAX_BYTES >> 20:,} MiB of memory; narrow the "
            "query, or check this node."
        ) from e
    except EngineError:
        raise
    except Exception as e:
        # The loader would state that a file is damaged.
        raise ResourceError(
            f"{name}: the response cannot be processed ({type(e).__name__}: {e}); check this "
            "node, and report this error if it occurs again."
        ) from e
