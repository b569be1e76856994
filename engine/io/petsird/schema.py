"""Read values of a yardl stream by the schema at its beginning.

Records become dictionaries, enumerations the names of their values, and vectors of numbers arrays.
Vectors of records with only integers, or only numbers of one kind, become one array for each field,
read in one piece. Events and efficiencies are such vectors, so this decides the speed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.io.petsird.stream import YardlStream, signed

FLOATS = {"float32": "<f4", "float64": "<f8"}
UNSIGNED = ("uint16", "uint32", "uint64", "size")
SIGNED = ("int16", "int32", "int64", "date", "time", "datetime")
BYTES = {"int8": "<i1", "uint8": "<u1", "bool": "<u1"}
DEEPEST = 40
"""Maximum nesting of types in a schema; PETSIRD has 12 levels."""

Reader: TypeAlias = Callable[[YardlStream], object]
Types: TypeAlias = Mapping[str, "Type"]
"""Types that replace the parameters of a generic type."""


@dataclass(frozen=True)
class Flat:
    """Numbers that are stored contiguously.

    Attributes
    ----------
    kind : NumPy name of a fixed-size number; "" for unsigned integers, "~" for signed ones
    shape : shape of one value
    """

    kind: str
    shape: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of numbers in one value."""
        return prod(self.shape)

    @property
    def is_whole(self) -> bool:
        """True if the numbers have variable length."""
        return self.kind in ("", "~")

    def values(self, stream: YardlStream, n: int) -> Array:
        """Return n values.

        Parameters
        ----------
        stream
            positioned at the first value
        n
            number of values

        Returns
        -------
        values
            (n, *shape)
        """
        if self.is_whole:
            found: Array = stream.wholes(n * self.size)
            found = signed(found) if self.kind else found
        else:
            found = stream.floats(self.kind, n * self.size)
        return found.reshape(n, *self.shape)


@dataclass(frozen=True)
class Type:
    """Reader for values of one type.

    Attributes
    ----------
    read : returns one value
    flat : its numbers, if it consists only of numbers
    fields : fields of a record that consists of such types
    """

    read: Reader
    flat: Flat | None = None
    fields: tuple[tuple[str, Flat], ...] = ()


class Schema:
    """The types of a stream.

    Parameters
    ----------
    stream
        positioned at its schema, which is read

    Attributes
    ----------
    protocol : name of the protocol
    """

    def __init__(self, stream: YardlStream) -> None:
        self._name = stream.name
        try:
            found = json.loads(stream.text())
            self.protocol = str(found["protocol"]["name"])
            self._steps = {step["name"]: step["type"] for step in found["protocol"]["sequence"]}
            self._named = {each["name"]: each for each in found["types"] or ()}
        except (ValueError, KeyError, TypeError, RecursionError) as e:
            raise self._unknown(e) from e

    def _unknown(self, e: Exception) -> FileFormatError:
        return FileFormatError(
            f"{self._name}: unreadable schema; the file is damaged or has a newer version. Reason: "
            f"{e}."
        )

    def step(self, name: str) -> Reader:
        """Return the reader for a part of the protocol; for streams, the reader for one item.

        Parameters
        ----------
        name
            name of the part, such as "header"

        Raises
        ------
        FileFormatError
            if the schema has no such part, or cannot be read
        """
        try:
            declared = self._steps[name]
            if isinstance(declared, dict) and "stream" in declared:
                # Streams are read item by item, because their length is not known in advance.
                declared = declared["stream"]["items"]
            return self._type(declared, {}, 0).read
        except (KeyError, TypeError, ValueError, AttributeError) as e:
            raise self._unknown(e) from e

    def _type(self, declared: object, given: Types, depth: int) -> Type:
        # A forged schema can define a type in terms of itself.
        if depth > DEEPEST:
            raise ValueError("the types are nested too deeply")
        if isinstance(declared, str):
            return self._by_name(declared, (), given, depth)
        if isinstance(declared, list):
            return self._union(declared, given, depth)
        if not isinstance(declared, dict):
            raise TypeError(f"{declared!r} is not a type")
        if "vector" in declared:
            body = declared["vector"]
            return _vector(self._type(body["items"], given, depth + 1), body.get("length"))
        if "array" in declared:
            body = declared["array"]
            items = self._type(body["items"], given, depth + 1)
            return _array(items, body.get("dimensions"))
        more = [self._type(each, given, depth + 1) for each in declared["typeArguments"]]
        return self._by_name(declared["name"], more, given, depth)

    def _by_name(self, name: str, more: Sequence[Type], given: Types, depth: int) -> Type:
        if name in given:
            return given[name]
        simple = _simple(name)
        if simple is not None:
            return simple
        # Names have the namespace of the model, such as "PETSIRD.Header".
        found = self._named[name.rpartition(".")[2]]
        # Generic types are expanded here, so readers know only concrete types.
        given = dict(zip(found.get("typeParameters", ()), more, strict=True))
        if "fields" in found:
            parts = [
                (field["name"], self._type(field["type"], given, depth + 1))
                for field in found["fields"]
            ]
            return _record(parts)
        if "values" in found:
            return _choice({each["value"]: each["symbol"] for each in found["values"]})
        return self._type(found["type"], given, depth + 1)

    def _union(self, cases: list[object], given: Types, depth: int) -> Type:
        names, readers = [], []
        for case in cases:
            tagged = isinstance(case, dict) and "tag" in case
            names.append(case["tag"] if tagged else None)  # type: ignore[index]
            inner = case["type"] if tagged else case  # type: ignore[index]
            one = None if inner is None else self._type(inner, given, depth + 1).read
            readers.append(one)

        def read(stream: YardlStream) -> object:
            # A union is its index in the schema, then the value. An optional type is a union with
            # null.
            k = stream.byte()
            if k >= len(readers):
                raise stream.damaged()
            reader = readers[k]
            value = None if reader is None else reader(stream)
            return value if names[k] is None else (names[k], value)

        return Type(read)


def _simple(name: str) -> Type | None:
    """Return a type that needs no declaration, None for other names."""
    if name == "string":
        return Type(YardlStream.text)
    if name in UNSIGNED:
        return Type(YardlStream.whole, Flat(""))
    if name in SIGNED:
        return Type(lambda stream: _signed(stream.whole()), Flat("~"))
    kind = FLOATS.get(name) or BYTES.get(name)
    if kind is None:
        return None
    return Type(lambda stream: stream.floats(kind, 1)[0].item(), Flat(kind))


def _signed(value: int) -> int:
    # Zigzag encoding: 0, −1, 1, −2 are stored as 0, 1, 2, 3.
    return ~(value >> 1) if value & 1 else value >> 1


def _choice(names: Mapping[int, str]) -> Type:
    return Type(lambda stream: names.get(_signed(stream.whole()), ""))


def _record(parts: Sequence[tuple[str, Type]]) -> Type:
    readers = [(name, part.read) for name, part in parts]
    flats = [(name, part.flat) for name, part in parts if part.flat is not None]
    kinds = {flat.kind for _, flat in flats}
    # Only then can a vector of records be read as one table and be split into columns.
    alike = len(flats) == len(parts) and len(kinds) == 1
    return Type(
        lambda stream: {name: read(stream) for name, read in readers},
        fields=tuple(flats) if alike else (),
    )


def _vector(items: Type, length: int | None) -> Type:
    flat = items.flat
    if flat is not None:
        if length is not None:
            whole = Flat(flat.kind, (length, *flat.shape))
            return Type(lambda stream: flat.values(stream, length), whole)
        return Type(lambda stream: flat.values(stream, stream.count()))
    if items.fields and length is None:
        return Type(lambda stream: _columns(items.fields, stream, stream.count()))

    def read(stream: YardlStream) -> list[object]:
        n = stream.count() if length is None else length
        return _rows(items.read, stream, n)

    return Type(read)


def _columns(fields: Sequence[tuple[str, Flat]], stream: YardlStream, n: int) -> dict[str, Array]:
    """Return the fields of n records, each (n, *shape)."""
    width = sum(flat.size for _, flat in fields)
    table = Flat(fields[0][1].kind, (width,)).values(stream, n)
    found, at = {}, 0
    for name, flat in fields:
        found[name] = table[:, at : at + flat.size].reshape(n, *flat.shape)
        at += flat.size
    return found


def _rows(read: Reader, stream: YardlStream, n: int) -> list[object]:
    return [read(stream) for _ in range(n)]


def _array(items: Type, dimensions: object) -> Type:
    if isinstance(dimensions, list) and all("length" in each for each in dimensions):
        shape = tuple(int(each["length"]) for each in dimensions)
        if items.flat is not None:
            whole = Flat(items.flat.kind, (*shape, *items.flat.shape))
            return Type(lambda stream: whole.values(stream, 1)[0], whole)
        return Type(lambda stream: _rows(items.read, stream, prod(shape)))
    n_axes = len(dimensions) if isinstance(dimensions, list) else dimensions

    def read(stream: YardlStream) -> object:
        # Even the number of axes can be stored in the data, before the sizes.
        n = stream.count() if n_axes is None else int(n_axes)  # type: ignore[call-overload]
        sizes = tuple(stream.count() for _ in range(n))
        # Each value needs at least one byte, so more values than bytes are impossible.
        if prod(sizes) > stream.max_bytes:
            raise stream.damaged()
        if items.flat is None:
            return _rows(items.read, stream, prod(sizes))
        return items.flat.values(stream, prod(sizes)).reshape(*sizes, *items.flat.shape)

    return Type(read)
