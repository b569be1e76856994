"""Arrays in files, with arithmetic that holds only a few rows in memory.

An expression, such as x + α p, is not worked out before someone wants it: a sum then takes its rows
as they come and none of them is written, and an operator has the whole put into one file. What is
said of an array here, its shape, its type, costs nothing. Expressions of more than `MOST_READ`
files have some of it put into a file first, so that no more files are kept than are needed.

Algorithms meet them as arrays of a module of their own, as they meet CuPy's; see `OutOfCore`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import DTypeLike

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.data.storage.iterates import IterateStorage
from engine.data.storage.volume_file import place_of

BLOCK_BYTES = 8 * 2**20
"""Rows of an array that are worked on together, unless a row is more."""
MOST_READ = 4
"""Files that an expression is read from, at most."""
DType = np.dtype[np.generic]
Operand: TypeAlias = "OutOfCoreArray | Array | float"


class OutOfCoreArray(NDArrayOperatorsMixin):
    """An array in a file, or an expression of such arrays. It is never written to.

    Parameters
    ----------
    storage : where files are made
    source : an array of numpy, as mapped from a file; or what works out its rows
    """

    def __init__(self, storage: IterateStorage, source: Array | Expression) -> None:
        self.storage, self._source = storage, source
        self.shape: tuple[int, ...] = source.shape
        self.dtype: DType = source.dtype

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def n_read(self) -> int:
        """Files that it is read from."""
        return self._source.n_read if isinstance(self._source, Expression) else 1

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        """Yield its rows along the first axis, as arrays of numpy."""
        for k in range(len(self)):
            yield np.array(self.part(slice(k, k + 1))[0])
            self.storage.rest()

    def __getitem__(self, rows: slice) -> OutOfCoreArray:
        """Return rows along the first axis, of the same file."""
        return OutOfCoreArray(self.storage, self.in_memory()[rows])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        """Return the array as it is mapped: nothing is read before it is looked at."""
        in_memory = self.in_memory()
        if copy or (dtype is not None and in_memory.dtype != dtype):
            return in_memory.astype(dtype or in_memory.dtype)
        return in_memory

    def __array_namespace__(self, api_version: str | None = None) -> OutOfCore:
        return OutOfCore(self.storage)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Operand, **options: object
    ) -> OutOfCoreArray:
        if method != "__call__" or "out" in options:
            return NotImplemented
        return elementwise(ufunc, inputs, **options)

    def part(self, rows: slice) -> Array:
        """Work out neighbouring rows; they are not to be written to."""
        return self._source.part(rows) if isinstance(self._source, Expression) else self._read(rows)

    def parts(self) -> Iterator[tuple[slice, Array]]:
        """Yield all rows, some at a time, each with where they are."""
        for rows in blocks(self.shape, self.dtype):
            yield rows, self.part(rows)
            self.storage.rest()

    def in_memory(self) -> Array:
        """Return it as mapped from a file, into which it is put unless it is there."""
        if isinstance(self._source, Expression):
            self._source = self._put(self.storage.empty(self.shape, self.dtype))
        return self._source

    def get(self) -> Array:
        """Return it as mapped from a file that others can open, where the room has such."""
        if isinstance(self._source, Expression) or place_of(self._source) is None:
            self._source = self._put(self.storage.shown(self.shape, self.dtype))
        return self._source

    def astype(self, dtype: DTypeLike, copy: bool = True) -> OutOfCoreArray:
        """Return it with elements of another type."""
        if not copy and self.dtype == dtype:
            return self
        return elementwise(partial(np.ndarray.astype, dtype=dtype), (self,))

    def max(self) -> np.generic:
        """Return the largest element."""
        return self._reduced(np.max)

    def all(self) -> bool:
        """Return True if all elements are true."""
        return bool(self._reduced(np.all))

    def sum(self, dtype: DTypeLike | None = None) -> np.generic:
        """Return the sum of all elements, added up in double precision."""
        total = sum(float(np.sum(part, dtype=np.float64)) for _, part in self.parts())
        return _number(total, np.empty(0, self.dtype).sum(dtype=dtype).dtype)

    def _reduced(self, reduce: Callable[..., np.generic]) -> np.generic:
        return reduce([reduce(part) for _, part in self.parts()])

    def _read(self, rows: slice) -> Array:
        values: Array = self._source[rows]  # type: ignore[index]
        return values

    def _put(self, out: Array) -> Array:
        for rows, part in self.parts():
            out[rows] = part
        self.storage.rest()
        return out


@dataclass(frozen=True)
class Expression:
    """A function of rows of arrays.

    Attributes
    ----------
    function : function of rows of the inputs, and of numbers
    inputs : arrays of one shape, and numbers
    shape, dtype : shape and dtype of the result
    """

    function: Callable[..., Array]
    inputs: tuple[Operand, ...]
    shape: tuple[int, ...]
    dtype: DType

    @property
    def n_read(self) -> int:
        """Files that it is read from."""
        return sum(each.n_read for each in self.inputs if isinstance(each, OutOfCoreArray))

    def part(self, rows: slice) -> Array:
        """Work out neighbouring rows."""
        return self.function(*(_rows_of(each, rows) for each in self.inputs))


class OutOfCore:
    """Array module for arrays in files, with the names of NumPy that algorithms use.

    Parameters
    ----------
    storage : where files are made
    """

    def __init__(self, storage: IterateStorage) -> None:
        self.storage = storage

    def __getattr__(self, name: str) -> Callable[..., Array]:
        """Return what numpy has by that name: its functions of elements take these arrays."""
        return getattr(np, name)

    def asarray(self, values: Operand, dtype: DTypeLike | None = None) -> OutOfCoreArray:
        """Return values as an array of this module; those of numpy are not copied."""
        if isinstance(values, OutOfCoreArray):
            return values if dtype is None else values.astype(dtype, copy=False)
        return self.asarray(OutOfCoreArray(self.storage, np.asarray(values)), dtype)

    def full(self, shape: Sequence[int], value: float, dtype: DTypeLike) -> OutOfCoreArray:
        """Return an array of one number, which takes no room."""
        number = np.asarray(_number(value, dtype))
        return OutOfCoreArray(self.storage, np.broadcast_to(number, tuple(shape)))

    def ones(self, shape: Sequence[int], dtype: DTypeLike = float) -> OutOfCoreArray:
        """Return ones."""
        return self.full(shape, 1, dtype)

    def zeros(self, shape: Sequence[int], dtype: DTypeLike = float) -> OutOfCoreArray:
        """Return zeros."""
        return self.full(shape, 0, dtype)

    def ones_like(self, values: OutOfCoreArray) -> OutOfCoreArray:
        """Return ones, as many."""
        return self.full(values.shape, 1, values.dtype)

    def fromiter(
        self, rows: Iterable[Array], dtype: np.dtype[np.void], count: int
    ) -> OutOfCoreArray:
        """Return rows as they come, put into a file; `dtype` : of a row, with its shape."""
        out = self.storage.empty((count, *dtype.shape), dtype.base)
        for k, row in zip(range(count), rows, strict=True):
            out[k] = row
            self.storage.rest()
        return OutOfCoreArray(self.storage, out)

    def where(self, condition: Operand, a: Operand, b: Operand) -> OutOfCoreArray:
        """Return a where the condition holds, b elsewhere."""
        return elementwise(np.where, (condition, a, b))

    def clip(self, values: Operand, least: float, most: float) -> OutOfCoreArray:
        """Return the nearest values within the bounds."""
        return elementwise(np.clip, (values, least, most))

    def sum(self, values: OutOfCoreArray, dtype: DTypeLike | None = None) -> np.generic:
        """Return the sum of all elements."""
        return values.sum(dtype)

    def max(self, values: OutOfCoreArray) -> np.generic:
        """Return the largest element."""
        return values.max()


def elementwise(
    function: Callable[..., Array], inputs: Sequence[Operand], **options: object
) -> OutOfCoreArray:
    """Return a function of the elements of arrays of one shape, and of numbers, not worked out yet.

    Raises
    ------
    GeometryError
        if the arrays differ in shape
    """
    files = [each for each in inputs if isinstance(each, OutOfCoreArray)]
    storage, shape = files[0].storage, files[0].shape
    others = {_shape_of(each) for each in inputs} - {(), shape}
    if others:
        raise GeometryError(
            f"arrays in files have the shapes {shape} and {others.pop()}, expected one "
            "shape; data, scanner and image grid must belong together."
        )
    # the type is that of nothing: numbers count as weak ones, as numpy has it
    empty = (each if isinstance(each, float | int) else _none_of(each) for each in inputs)
    work = partial(function, **options)
    made = Expression(work, _few(inputs), shape, work(*empty).dtype)
    return OutOfCoreArray(storage, made)


def _few(inputs: Sequence[Operand]) -> tuple[Operand, ...]:
    """Return the inputs; those that are expressions put into files where they read too many."""
    files = [each for each in inputs if isinstance(each, OutOfCoreArray)]
    if sum(each.n_read for each in files) > MOST_READ:
        for each in files:
            if each.n_read > 1:
                each.in_memory()
    return tuple(inputs)


def blocks(shape: tuple[int, ...], dtype: DType) -> Iterator[slice]:
    """Yield the rows of an array, some at a time."""
    per_row = int(np.prod(shape[1:], dtype=np.int64)) * dtype.itemsize
    n = max(1, BLOCK_BYTES // max(per_row, 1))
    return (slice(start, min(start + n, shape[0])) for start in range(0, shape[0], n))


def _shape_of(values: Operand) -> tuple[int, ...]:
    return () if isinstance(values, float | int) else values.shape


def _none_of(values: OutOfCoreArray | Array) -> Array:
    """Return no elements of the type of some; of a single number that number itself."""
    return np.empty(0, values.dtype) if values.shape else np.asarray(values)[()]


def _rows_of(values: Operand, rows: slice) -> Array | float:
    if isinstance(values, OutOfCoreArray):
        return values.part(rows)
    return values if isinstance(values, float | int) or not values.shape else values[rows]


def _number(value: float, dtype: DTypeLike) -> np.generic:
    number: np.generic = np.full(1, value, dtype)[0]
    return number
