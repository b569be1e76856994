"""Arrays in files, with arithmetic on a few rows in memory at a time.

An expression such as x + α p is evaluated lazily. A sum reads its rows one after the other and
writes nothing; an operator evaluates the whole expression into one file. Shape and dtype of an
array cost nothing. An expression of more than `MAX_READ` files is partly evaluated into a file, so
that no more files are open than needed.

Algorithms use these arrays through a module of their own, as they use CuPy; see `OutOfCore`.
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
"""Size of the rows that one step processes, unless a single row is larger."""
MAX_READ = 4
"""Maximum number of files that an expression reads."""
DType = np.dtype[np.generic]
Operand: TypeAlias = "OutOfCoreArray | Array | float"


class OutOfCoreArray(NDArrayOperatorsMixin):
    """An array in a file, or an expression of such arrays. It is read-only.

    Parameters
    ----------
    storage : storage of new files
    source : mapped NumPy array, or an expression that computes its rows
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
        """Number of files that it reads."""
        return self._source.n_read if isinstance(self._source, Expression) else 1

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        """Yield the rows along the first axis as NumPy arrays."""
        for k in range(len(self)):
            # a copy, because the pages of the mapped file are released next
            yield np.array(self.part(slice(k, k + 1))[0])
            self.storage.release_pages()

    def __getitem__(self, rows: slice) -> OutOfCoreArray:
        """Return rows along the first axis, as a view of the same file."""
        return OutOfCoreArray(self.storage, self.in_memory()[rows])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        """Return the mapped array; its values are read on access.

        Parameters
        ----------
        dtype
            dtype of the result; None: unchanged
        copy
            True returns a copy in memory
        """
        in_memory = self.in_memory()
        if copy or (dtype is not None and in_memory.dtype != dtype):
            return in_memory.astype(dtype or in_memory.dtype)
        return in_memory

    def __array_namespace__(self, api_version: str | None = None) -> OutOfCore:
        return OutOfCore(self.storage)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Operand, **options: object
    ) -> OutOfCoreArray:
        # Reductions and in-place operations have their own methods, which read piece by piece.
        if method != "__call__" or "out" in options:
            return NotImplemented
        return elementwise(ufunc, inputs, **options)

    def part(self, rows: slice) -> Array:
        """Evaluate neighbouring rows; the result must not be written to.

        Parameters
        ----------
        rows
            slice along the first axis
        """
        return self._source.part(rows) if isinstance(self._source, Expression) else self._read(rows)

    def parts(self) -> Iterator[tuple[slice, Array]]:
        """Yield all rows piece by piece, each with its slice."""
        for rows in blocks(self.shape, self.dtype):
            yield rows, self.part(rows)
            self.storage.release_pages()

    def in_memory(self) -> Array:
        """Return the mapped file of the array; an expression is evaluated into a new file first."""
        if isinstance(self._source, Expression):
            # The file replaces the expression, which then releases the files that it reads.
            self._source = self._put(self.storage.empty(self.shape, self.dtype))
        return self._source

    def get(self) -> Array:
        """Return the array as mapped from a named file, if the storage has such files."""
        if isinstance(self._source, Expression) or place_of(self._source) is None:
            self._source = self._put(self.storage.shown(self.shape, self.dtype))
        return self._source

    def astype(self, dtype: DTypeLike, copy: bool = True) -> OutOfCoreArray:
        """Return the array with another dtype.

        Parameters
        ----------
        dtype
            type of the result
        copy
            False returns the array itself if it has this dtype
        """
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
        """Return the sum of all elements, accumulated in double precision.

        Parameters
        ----------
        dtype
            type of the result; None: as NumPy chooses for this dtype
        """
        # Accumulated in double precision whatever the dtype, as on the CPU.
        total = sum(float(np.sum(part, dtype=np.float64)) for _, part in self.parts())
        return _number(total, np.empty(0, self.dtype).sum(dtype=dtype).dtype)

    def _reduced(self, reduce: Callable[..., np.generic]) -> np.generic:
        # reduced twice: each piece to a number, then the numbers
        return reduce([reduce(part) for _, part in self.parts()])

    def _read(self, rows: slice) -> Array:
        values: Array = self._source[rows]  # type: ignore[index]
        return values

    def _put(self, out: Array) -> Array:
        for rows, part in self.parts():
            out[rows] = part
        self.storage.release_pages()
        return out


@dataclass(frozen=True)
class Expression:
    """Function of the rows of arrays.

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
        """Number of files that it reads."""
        return sum(each.n_read for each in self.inputs if isinstance(each, OutOfCoreArray))

    def part(self, rows: slice) -> Array:
        """Evaluate neighbouring rows."""
        return self.function(*(_rows_of(each, rows) for each in self.inputs))


class OutOfCore:
    """Array module for arrays in files, with the names of NumPy that algorithms use.

    Parameters
    ----------
    storage : storage of new files
    """

    def __init__(self, storage: IterateStorage) -> None:
        self.storage = storage

    def __getattr__(self, name: str) -> Callable[..., Array]:
        """Return a NumPy name; its elementwise functions accept these arrays."""
        return getattr(np, name)

    def asarray(self, values: Operand, dtype: DTypeLike | None = None) -> OutOfCoreArray:
        """Return values as an array of this module.

        Parameters
        ----------
        values
            NumPy arrays are used without a copy
        dtype
            type of the result; None: unchanged
        """
        if isinstance(values, OutOfCoreArray):
            return values if dtype is None else values.astype(dtype, copy=False)
        return self.asarray(OutOfCoreArray(self.storage, np.asarray(values)), dtype)

    def full(self, shape: Sequence[int], value: float, dtype: DTypeLike) -> OutOfCoreArray:
        """Return an array of one number, which needs no memory.

        Parameters
        ----------
        shape
            shape of the array
        value
            the number
        dtype
            type of the array
        """
        # A broadcast view has stride 0, so it costs one element whatever its shape.
        number = np.asarray(_number(value, dtype))
        return OutOfCoreArray(self.storage, np.broadcast_to(number, tuple(shape)))

    def ones(self, shape: Sequence[int], dtype: DTypeLike = float) -> OutOfCoreArray:
        """Return an array of ones, which needs no memory."""
        return self.full(shape, 1, dtype)

    def zeros(self, shape: Sequence[int], dtype: DTypeLike = float) -> OutOfCoreArray:
        """Return an array of zeros, which needs no memory."""
        return self.full(shape, 0, dtype)

    def ones_like(self, values: OutOfCoreArray) -> OutOfCoreArray:
        """Return ones of the same shape and dtype."""
        return self.full(values.shape, 1, values.dtype)

    def fromiter(
        self, rows: Iterable[Array], dtype: np.dtype[np.void], count: int
    ) -> OutOfCoreArray:
        """Write rows to a file as they are produced.

        Parameters
        ----------
        rows
            the rows
        dtype
            structured type with dtype and shape of a row
        count
            number of rows
        """
        out = self.storage.empty((count, *dtype.shape), dtype.base)
        # strict: an incomplete file must not look complete
        for k, row in zip(range(count), rows, strict=True):
            out[k] = row
            self.storage.release_pages()
        return OutOfCoreArray(self.storage, out)

    def where(self, condition: Operand, a: Operand, b: Operand) -> OutOfCoreArray:
        """Return a where the condition is true, b elsewhere."""
        return elementwise(np.where, (condition, a, b))

    def clip(self, values: Operand, minimum: float, maximum: float) -> OutOfCoreArray:
        """Return the values limited to the range."""
        return elementwise(np.clip, (values, minimum, maximum))

    def sum(self, values: OutOfCoreArray, dtype: DTypeLike | None = None) -> np.generic:
        """Return the sum of all elements."""
        return values.sum(dtype)

    def max(self, values: OutOfCoreArray) -> np.generic:
        """Return the largest element."""
        return values.max()


def elementwise(
    function: Callable[..., Array], inputs: Sequence[Operand], **options: object
) -> OutOfCoreArray:
    """Return an unevaluated function of the elements of arrays.

    Parameters
    ----------
    function
        NumPy function of elements
    inputs
        arrays of one shape, and numbers; at least one is an array of this module
    options
        keyword arguments of the function

    Raises
    ------
    GeometryError
        if the shapes of the arrays differ
    """
    files = [each for each in inputs if isinstance(each, OutOfCoreArray)]
    storage, shape = files[0].storage, files[0].shape
    others = {_shape_of(each) for each in inputs} - {(), shape}
    if others:
        raise GeometryError(
            f"arrays of the shapes {shape} and {others.pop()} cannot be combined; use data, "
            "scanner and image grid that belong together."
        )
    # dtype of an empty result; Python numbers stay weak, as in NumPy's promotion (NEP 50)
    empty = (each if isinstance(each, float | int) else _none_of(each) for each in inputs)
    work = partial(function, **options)
    made = Expression(work, _few(inputs), shape, work(*empty).dtype)
    return OutOfCoreArray(storage, made)


def _few(inputs: Sequence[Operand]) -> tuple[Operand, ...]:
    """Return the inputs, with expressions evaluated into files if there are too many files."""
    files = [each for each in inputs if isinstance(each, OutOfCoreArray)]
    if sum(each.n_read for each in files) > MAX_READ:
        # Only expressions are evaluated; plain files are already as cheap as possible.
        for each in files:
            if each.n_read > 1:
                each.in_memory()
    return tuple(inputs)


def blocks(shape: tuple[int, ...], dtype: DType) -> Iterator[slice]:
    """Yield slices of the rows of an array, about `BLOCK_BYTES` each.

    Parameters
    ----------
    shape
        shape of the array
    dtype
        type of its elements
    """
    per_row = int(np.prod(shape[1:], dtype=np.int64)) * dtype.itemsize
    # At least one row, even if a single row exceeds the block.
    n = max(1, BLOCK_BYTES // max(per_row, 1))
    return (slice(start, min(start + n, shape[0])) for start in range(0, shape[0], n))


def _shape_of(values: Operand) -> tuple[int, ...]:
    return () if isinstance(values, float | int) else values.shape


def _none_of(values: OutOfCoreArray | Array) -> Array:
    """Return an empty array of the same dtype; a scalar is returned itself."""
    return np.empty(0, values.dtype) if values.shape else np.asarray(values)[()]


def _rows_of(values: Operand, rows: slice) -> Array | float:
    if isinstance(values, OutOfCoreArray):
        return values.part(rows)
    return values if isinstance(values, float | int) or not values.shape else values[rows]


def _number(value: float, dtype: DTypeLike) -> np.generic:
    number: np.generic = np.full(1, value, dtype)[0]
    return number
