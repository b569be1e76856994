"""List of modalities, whose modules are loaded when a scan or a protocol needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from engine.core.plugins import PlugInError, added_objects

if TYPE_CHECKING:
    from engine.data.input_role import InputRole
    from engine.io.safety.open_input import InputFile
    from engine.modalities.base import AnyModality
    from engine.modalities.scan_files import ScanFiles


def always(path: Path) -> bool:
    """Return True: only the modality itself can decide.

    Parameters
    ----------
    path
        any path
    """
    return True


def never(path: Path) -> bool:
    """Return False: each file of this modality is complete alone.

    Parameters
    ----------
    path
        any path
    """
    return False


@dataclass(frozen=True)
class ModalityEntry:
    """A modality in a list.

    Attributes
    ----------
    key
        its name in protocols
    place
        full name of its class, such as "engine.modalities.xray_ct.modality.XrayCt"
    accepts
        decision of the class about a file, without loading it
    gathers
        False for a path that cannot belong to a scan of several files
    roles
        full names of its auxiliary files, of tuples of them, and of tuples of corrections that
        declare some
    suffixes
        of scans, if their format is in no table of `engine.io`; the file dialog offers them
    """

    key: str
    place: str
    accepts: Callable[[InputFile], bool]
    gathers: Callable[[Path], bool] = always
    roles: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()

    # Cached, because a modality has no state and its import takes time.
    @cached_property
    def modality(self) -> AnyModality:
        """The modality, loaded on first use."""
        made: AnyModality = _imported(self.place)()
        return made

    @property
    def inputs(self) -> tuple[InputRole, ...]:
        """Auxiliary files that a study may contain, without loading the modality."""
        found = [role for place in self.roles for role in _roles_of(_imported(place))]
        # Two corrections can share a role, such as the μ-map; it is listed once.
        return tuple({role.key: role for role in found}.values())

    def gathered(self, path: Path) -> ScanFiles | None:
        """Return the files of the scan that a path belongs to; None if it is a single file.

        Parameters
        ----------
        path
            file or folder
        """
        return self.modality.gathered(path) if self.gathers(path) else None


class ModalityList(Sequence["AnyModality"]):
    """Modalities in the order of dialogs and help.

    Parameters
    ----------
    members
        an entry for each modality, or the modality itself
    """

    def __init__(self, members: Iterable[ModalityEntry | AnyModality]) -> None:
        self.members = tuple(members)

    @overload
    def __getitem__(self, index: int) -> AnyModality: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[AnyModality, ...]: ...
    def __getitem__(self, index: int | slice) -> AnyModality | tuple[AnyModality, ...]:
        if isinstance(index, slice):
            return tuple(_loaded(each) for each in self.members[index])
        return _loaded(self.members[index])

    def __len__(self) -> int:
        return len(self.members)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys in order."""
        return tuple(each.key for each in self.members)

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Suffixes of scans that only their modality can read."""
        return tuple(suffix for each in self._with_own_format for suffix in each.suffixes)

    @property
    def _with_own_format(self) -> list[ModalityEntry]:
        return [each for each in self.members if isinstance(each, ModalityEntry) and each.suffixes]

    def with_own_format(self, file: InputFile) -> AnyModality | None:
        """Return the kind of scan that alone can read a file, or None."""
        return next((each.modality for each in self._with_own_format if each.accepts(file)), None)

    def of(self, key: str) -> AnyModality | None:
        """Return the modality with a key; None if there is none.

        Parameters
        ----------
        key
            name in protocols
        """
        return next((_loaded(each) for each in self.members if each.key == key), None)

    def accepting(self, file: InputFile) -> AnyModality | None:
        """Return the first modality that accepts a file; None if none does.

        Parameters
        ----------
        file
            opened file

        Returns
        -------
        accepting
            only the accepted modality is loaded
        """
        return next((_loaded(each) for each in self.members if each.accepts(file)), None)

    def gathered(self, path: Path) -> tuple[AnyModality, ScanFiles] | None:
        """Return the modality and files of the scan that a path belongs to.

        Parameters
        ----------
        path
            file or folder

        Returns
        -------
        gathered
            None if the path is a single file
        """
        for each in self.members:
            files = each.gathered(path)
            # The first modality with a match decides; folders do not mix modalities.
            if files is not None:
                return _loaded(each), files
        return None

    def inputs(self) -> tuple[InputRole, ...]:
        """Return the auxiliary files of all modalities, without duplicates."""
        found = (role for each in self.members for role in each.inputs)
        return tuple({role.key: role for role in found}.values())


def with_added(own: tuple[ModalityEntry, ...]) -> ModalityList:
    """Return our modalities and, after them, those of plug-ins.

    Parameters
    ----------
    own
        our modalities
    """
    own_keys = {each.key for each in own}

    def checked(entry: Any) -> ModalityEntry:
        if not isinstance(entry, ModalityEntry):
            raise PlugInError(f"it is a {type(entry).__name__}, but must be a ModalityEntry")
        if entry.key in own_keys:
            raise PlugInError(f"there is already a modality {entry.key!r}; rename it")
        try:
            entry.modality  # noqa: B018 - the list itself must not fail later
        except (Exception, SystemExit) as e:
            reason = " ".join(str(e).split())[:200]
            text = f"{entry.place} cannot be loaded ({type(e).__name__}: {reason})"
            raise PlugInError(text) from e
        own_keys.add(entry.key)
        return entry

    return ModalityList((*own, *added_objects("modalities", checked)))


def _loaded(member: ModalityEntry | AnyModality) -> AnyModality:
    return member.modality if isinstance(member, ModalityEntry) else member


def _imported(place: str) -> Any:
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)


def _roles_of(found: Any) -> Sequence[InputRole]:
    """Return a role, the roles of a tuple, or those that a tuple of corrections declares."""
    if not isinstance(found, tuple):
        return [found]
    return [role for each in found for role in getattr(each, "inputs", (each,))]
