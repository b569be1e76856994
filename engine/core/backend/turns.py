"""Calls of several threads on objects that share memory of a GPU: one call at a time.

Kernels of a GPU run one after another, so waiting threads lose no time.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class HasLock(Protocol):
    """Object with a lock, which it can share with others."""

    @property
    def turn(self) -> AbstractContextManager[Any]:
        """Reentrant lock of all objects that share the memory."""


S = TypeVar("S", bound=HasLock)


def in_turn(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Return the method, which then holds the lock of its object during a call.

    Parameters
    ----------
    method
        method of a class with a `turn`
    """

    @wraps(method)
    def alone(self: S, /, *args: P.args, **options: P.kwargs) -> R:
        with self.turn:
            return method(self, *args, **options)

    return alone
