"""Lists of formats that import the module of a format only when a file needs it.

A list behaves like a tuple of classes. `accepting` and `ending` use only the facts in the list, so
they import the candidates alone. Importing all readers would delay every command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from engine.core.errors import EngineError
from engine.core.plugins import PlugInError, added, features, skip_class

if TYPE_CHECKING:
    from engine.io.base import Format
    from engine.io.safety.open_input import InputFile

R = TypeVar("R")

GROUP = "formats"
KINDS = (
    "ListModeReader",
    "HistogramReader",
    "SinogramReader",
    "ProjectionsReader",
    "VolumeReader",
    "VolumeWriter",
)
"""Classes of `engine.io.base`, one of which each format extends."""


def always(file: InputFile) -> bool:
    """Return True: only the reader itself can decide."""
    return True


@dataclass(frozen=True)
class Entry:
    """A format in a list.

    Attributes
    ----------
    place
        full name of its class, such as "engine.io.slab.SlabVolume"
    stated_name, stated_suffixes, stated_companions
        the attributes of the class, so that lists of formats need not load it; an entry without
        a name reads all three from the class
    could
        False for a file that the reader certainly refuses; it must not load the reader
    """

    place: str
    stated_name: str = ""
    stated_suffixes: tuple[str, ...] = ()
    could: Callable[[InputFile], bool] = always
    stated_companions: tuple[str, ...] = ()

    @cached_property
    def format(self) -> Any:
        """The class, loaded when it is first needed."""
        # A dotted name, not a class: a class in the table would import every reader at start.
        module, _, name = self.place.rpartition(".")
        return getattr(import_module(module), name)

    @property
    def name(self) -> str:
        """Display name of the format."""
        return self.stated_name or str(self.format.name)

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Suffixes of its files, the default first."""
        return self.stated_suffixes if self.stated_name else tuple(self.format.suffixes)

    @property
    def companions(self) -> tuple[str, ...]:
        """Suffixes of files that belong to it and can be opened instead."""
        return self.stated_companions if self.stated_name else tuple(self.format.companions)

    def ends(self, path: Path) -> bool:
        """Return True if a file name has a suffix of this format; case is ignored."""
        return path.name.lower().endswith(tuple(each.lower() for each in self.suffixes))


class FormatList(Sequence[type[R]]):
    """Classes of formats in their order of precedence.

    Parameters
    ----------
    parts
        entries, one for each format, and lists that are repeated here
    kind
        base class of the formats that plug-ins can add, such as "VolumeReader"; "" for none
    """

    def __init__(self, parts: Iterable[Entry | FormatList[Any]], kind: str = "") -> None:
        self._parts, self._kind = tuple(parts), kind

    # Found on first use: formats of plug-ins import the classes that they extend.
    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """One entry for each format, those of plug-ins last."""
        found: list[Entry] = []
        for each in self._parts:
            found += each.entries if isinstance(each, FormatList) else [each]
        return (*found, *_plugged(self._kind)) if self._kind else tuple(found)

    @overload
    def __getitem__(self, index: int) -> type[R]: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[type[R], ...]: ...
    def __getitem__(self, index: int | slice) -> type[R] | tuple[type[R], ...]:
        if isinstance(index, slice):
            return tuple(each.format for each in self.entries[index])
        found: type[R] = self.entries[index].format
        return found

    def __len__(self) -> int:
        return len(self.entries)

    def accepting(self, file: InputFile) -> type[R] | None:
        """Return the first reader that accepts a file.

        Parameters
        ----------
        file
            an open file

        Returns
        -------
        reader
            None if no reader accepts it
        """
        # Lazy on purpose: the second condition loads a module, so it must stop at the first match.
        candidates = (each.format for each in self.entries if each.could(file))
        return next((reader for reader in candidates if _accepts(reader, file)), None)

    def format_of(self, file: InputFile) -> str:
        """Return the exact format of a file; "" if no reader accepts it."""
        reader: Any = self.accepting(file)
        return "" if reader is None else str(reader.format_of(file))

    def ending(self, path: Path) -> type[R] | None:
        """Return the first format that has the suffix of a file name, None if there is none."""
        return next((each.format for each in self.entries if each.ends(path)), None)

    def all_accepting(self, file: InputFile) -> list[Entry]:
        """Return the entries of all readers that accept a file, in order.

        More than one entry means that `accepting` decides by precedence.
        """
        candidates = (each for each in self.entries if each.could(file))
        return [each for each in candidates if _accepts(each.format, file)]

    def without(self, others: FormatList[Any]) -> FormatList[R]:
        """Return the formats that another list does not contain.

        Parameters
        ----------
        others
            formats to leave out, compared by the names of their classes so that none is imported
        """
        places = {each.place for each in others.entries}
        return FormatList(each for each in self.entries if each.place not in places)


def _accepts(reader: Any, file: InputFile) -> bool:
    """Return True if a reader accepts a file; a plug-in that fails accepts none."""
    try:
        return bool(reader.accepts(file))
    except EngineError:
        raise
    except Exception as e:
        # Every file passes here, so one faulty plug-in would otherwise stop all of them.
        reason = f"{reader.__name__}.accepts fails ({type(e).__name__}: {e})"
        if not skip_class(reader, reason):
            raise
        return False


def _plugged(kind: str) -> tuple[Entry, ...]:
    """Return the entries that plug-ins add to the formats of a base class of `KINDS`."""
    if not any(each.group == GROUP for each in features()):
        return ()
    # By name, as the tables do: that module imports the tables.
    base = import_module("engine.io.base")
    kinds: dict[str, type[Format]] = {name: getattr(base, name) for name in KINDS}

    def fits(one: type[Format]) -> bool:
        if not issubclass(one, tuple(kinds.values())):
            raise PlugInError(f"{one.__name__} extends none of {', '.join(KINDS)}")
        for name in ("name", "suffixes"):
            if not getattr(one, name, None):
                raise PlugInError(f"{one.__name__} has no {name}")
        return issubclass(one, kinds[kind])

    found = added(GROUP, base.Format, fits=fits)
    return tuple(Entry(f"{one.__module__}.{one.__qualname__}") for one in found)
