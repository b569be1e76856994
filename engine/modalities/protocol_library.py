"""Saved protocols that can be read: the program's, the site's and the user's own.

The user's own are in `protocols` next to the settings, with earlier versions in a subfolder. The
folder of the site is only read. `app.state.models.protocols.library` writes the user's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from engine.core.errors import EngineError
from engine.core.paths import config_dir
from engine.io.text.toml_file import read_toml
from engine.modalities.base import AnyModality
from engine.modalities.studies import modality_of, read_protocol, shipped_protocols
from engine.protocols.study.protocol import Protocol
from engine.protocols.study.stored_protocol import digest_of

Source = Literal["program", "site", "own"]
Read = tuple[Path, Protocol | None, str]
"""File, its protocol, and the error if it is not used."""
OWN, EARLIER = "protocols", "earlier"
"""Folders of the user's own protocols, and of their earlier versions."""
DEMO = "demo"
"""Prefix of the keys of protocols for demos."""
SITE_FILE = "site.toml"
"""Settings of the site; its key `protocols` names their folder."""


@dataclass(frozen=True)
class SavedProtocol:
    """A protocol and the path of its file.

    Attributes
    ----------
    protocol : the saved protocol
    source : library that it comes from
    path : its file; None if it comes with the program
    is_earlier : True for an earlier version of a user's own protocol
    """

    protocol: Protocol
    source: Source
    path: Path | None = None
    is_earlier: bool = False

    @property
    def is_locked(self) -> bool:
        """Return True if the user locked it."""
        return self.protocol.saved is not None and self.protocol.saved.locked

    @property
    def revision(self) -> int:
        """Number of times it was saved; 0 if it comes with the program."""
        return self.protocol.saved.revision if self.protocol.saved is not None else 0


class SavedProtocols:
    """All saved protocols of a user.

    Parameters
    ----------
    folder
        folder of the settings
    site
        folder of the site's protocols; None if there is none
    """

    def __init__(self, folder: Path, site: Path | None = None) -> None:
        self._own, self._site = folder / OWN, site

    @classmethod
    def of_this_user(cls) -> Self:
        """Return the protocols of the user who runs the program."""
        return cls(config_dir(), _site_folder())

    def saved(self, modality: AnyModality, *, demos: bool = False) -> list[SavedProtocol]:
        """Return the protocols of a modality: the program's, the site's, then the user's own.

        Parameters
        ----------
        modality
            modality of the protocols
        demos
            True to include the protocols for demos
        """
        come = bundled_protocols(modality, demos=demos)
        found = [SavedProtocol(each, "program") for each in come]
        # Files are read again each time, because the site can change them while the program runs.
        return found + [e for e in self._readable() if modality_of(e.protocol) is modality]

    def reference(self, protocol: Protocol) -> SavedProtocol | None:
        """Return the saved protocol that settings belong to by name; None if there is none.

        A version that the settings name by its digest has priority over the newest one.

        Parameters
        ----------
        protocol
            settings of a study
        """
        modality = modality_of(protocol)
        same = [e for e in self.saved(modality, demos=True) if e.protocol.name == protocol.name]
        claimed = protocol.saved.sha256 if protocol.saved is not None else ""
        # Settings without a digest were made by hand and only have a name.
        if claimed:
            named = (e for e in (*same, *self._earlier(protocol)) if saved_digest(e) == claimed)
            if (found := next(named, None)) is not None:
                return found
        # The user's own is last, and replaces one of the site or program with the same name.
        return same[-1] if same else None

    def _readable(self) -> Iterator[SavedProtocol]:
        for source, path, protocol, _ in self._files():
            if protocol is not None:
                yield SavedProtocol(protocol, source, path)

    def _earlier(self, protocol: Protocol) -> Iterator[SavedProtocol]:
        # Sorted, because the order of a directory listing depends on the file system.
        for path in sorted((self._own / EARLIER).glob("*.toml")):
            try:
                found = read_protocol(path)
            except EngineError:  # a damaged old version is not a version to compare with
                continue
            if (found.modality, found.name) == (protocol.modality, protocol.name):
                yield SavedProtocol(found, "own", path, is_earlier=True)

    def faults(self) -> list[str]:
        """Return the errors of files that are not used: damaged, or two of one name."""
        return [fault for *_, fault in self._files() if fault]

    def _files(self) -> Iterator[tuple[Source, Path, Protocol | None, str]]:
        """Read each file: source, path, protocol, and the error of a damaged file."""
        # A run reads no library
        from engine.modalities.private_protocols import private_in

        folders: tuple[tuple[Source, Path | None], ...] = (("site", self._site), ("own", self._own))
        # The site first, so that a user's own protocol of the same name has priority.
        for source, folder in folders:
            pairs = [] if folder is None else private_in(folder)
            found = [(path, *_read(private)) for path, private in pairs]
            yield from ((source, *each) for each in _refuse_same_names(found))


def _read(path: Path) -> tuple[Protocol | None, str]:
    """Return a protocol, or the error of its file."""
    try:
        return read_protocol(path), ""
    except EngineError as e:
        return None, str(e)


def _refuse_same_names(found: list[Read]) -> Iterator[Read]:
    """Yield protocols; of several with one name in a folder none is used.

    An approval names its protocol, so two protocols of one name would be ambiguous.
    """
    files: dict[tuple[str, str], list[str]] = {}
    for path, protocol, _ in found:
        if protocol is not None:
            files.setdefault((protocol.modality, protocol.name), []).append(path.name)
    for path, protocol, fault in found:
        same = [] if protocol is None else files[protocol.modality, protocol.name]
        if protocol is None or len(same) == 1:
            yield path, protocol, fault
            continue
        others = ", ".join(name for name in same if name != path.name)
        fault = (
            f"{path.name} is not used, because {others} in {path.parent} has the same protocol "
            f"name, {protocol.name!r}; give each protocol its own name."
        )
        yield path, None, fault


def bundled_protocols(modality: AnyModality, *, demos: bool = False) -> list[Protocol]:
    """Return the protocols of a modality that come with the program, the default first.

    Those for demos fit one simulated scan each, so they are listed only on request.

    Parameters
    ----------
    modality
        modality of the protocols
    demos
        True to include the protocols for demos
    """
    # Shipped files can replace the built-in default by one with the same name.
    standard, shipped = modality.standard(), shipped_protocols(modality.key)
    found = [each for key, each in shipped.items() if demos or not key.startswith(DEMO)]
    # sorted() is stable: only the default moves, the others keep their order.
    if all(protocol.name != standard.name for protocol in found):
        found.insert(0, standard)
    return sorted(found, key=lambda protocol: protocol.name != standard.name)


def _site_folder() -> Path | None:
    # Without the file there is no site; a single computer needs no configuration.
    path = config_dir() / SITE_FILE
    try:
        folder = read_toml(path).get(OWN, "") if path.is_file() else ""
    except EngineError:  # the window reports damaged settings
        return None
    return Path(folder).expanduser() if isinstance(folder, str) and folder else None


def saved_digest(saved: SavedProtocol) -> str:
    """Return the digest of a protocol at the time when it was saved.

    Parameters
    ----------
    saved
        saved protocol
    """
    record = saved.protocol.saved
    # Files of early versions record no digest; their content has not changed since.
    return record.sha256 if record is not None and record.sha256 else digest_of(saved.protocol)
