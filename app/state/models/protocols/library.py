"""Saved protocols: supplied with the program, shared by the site, or the user's own with versions.

Each saved change of an own protocol increments its version. Earlier versions stay in a subfolder.
The folder of the site is only read.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from app.language.translation import tr
from engine.core.errors import ResourceError, SettingsError
from engine.core.settings import explain
from engine.modalities import (
    EARLIER,
    MODALITIES,
    AnyModality,
    Protocol,
    SavedProtocol,
    SavedProtocols,
    Source,
    modality_of,
    read_protocol,
    stamped,
    write_protocol,
)

OWNERS: dict[Source, str] = {
    "program": tr("supplied with Isocenter"),
    "site": tr("site protocol"),
    "own": tr("own protocol"),
}
LOCKED: dict[Source, str] = {
    "program": tr("supplied with Isocenter, locked"),
    "site": tr("site protocol, locked"),
    "own": tr("own protocol, locked"),
}


@dataclass(frozen=True)
class ListedProtocol(SavedProtocol):
    """A protocol of the list, with the reason why it cannot be changed."""

    @property
    def fixed(self) -> str:
        """Reason why it cannot be changed, as a sentence; empty if it can."""
        name = self.protocol.name
        if self.source == "program":
            return tr(
                "{name!r} is supplied with Isocenter and cannot be changed; save it under a new "
                "name.",
                name=name,
            )
        if self.source == "site":
            return tr(
                "{name!r} is in the read-only site folder; save your own copy.",
                name=name,
            )
        return tr("{name!r} is locked; unlock it first.", name=name) if self.is_locked else ""


class ProtocolLibrary(SavedProtocols):
    """All saved protocols: `folder` contains the settings, `site` the shared protocols."""

    def listed(self, modality: AnyModality) -> list[ListedProtocol]:
        """Return the valid protocols of a modality.

        Parameters
        ----------
        modality
            the kind of scan

        Returns
        -------
        those of the program, of the site and the user's own
        """
        return [ListedProtocol(**vars(each)) for each in self.saved(modality)]

    def approved(self, modality: AnyModality) -> list[ListedProtocol]:
        """Return the protocols that technician mode allows.

        Parameters
        ----------
        modality
            the kind of scan

        Returns
        -------
        site protocols and locked ones; those of the program if there are none
        """
        found = self.listed(modality)
        # A site that has approved protocols wants only these, so the supplied ones are hidden.
        own = [each for each in found if each.source == "site" or each.is_locked]
        return own or [each for each in found if each.source == "program"]

    def left_out(self) -> list[str]:
        """Return one sentence for each file that cannot be used."""
        faults = self.faults()
        if self._site is not None and not self._site.is_dir():
            faults.append(
                tr(
                    "{site}: the site's protocol folder does not exist; choose another folder in "
                    "the settings.",
                    site=self._site,
                )
            )
        return faults

    def find(self, protocol: Protocol) -> ListedProtocol | None:
        """Return the saved protocol with the same name and modality.

        Parameters
        ----------
        protocol
            any protocol

        Returns
        -------
        the user's own protocol before others; None if there is none
        """
        of_kind = self.saved(modality_of(protocol), demos=True)
        same = [each for each in of_kind if each.protocol.name == protocol.name]
        # The list has program, site and own protocols in this order, so the last one is the user's.
        return ListedProtocol(**vars(same[-1])) if same else None

    # Changes

    def save(self, protocol: Protocol, name: str) -> Protocol:
        """Save settings as a new protocol, or as the next version of an own one.

        Parameters
        ----------
        protocol
            the settings
        name
            name to save them under; spaces at its ends are removed

        Returns
        -------
        the protocol as saved, with its version

        Raises
        ------
        SettingsError
            the name is empty, or belongs to a protocol that cannot be changed
        """
        name = name.strip()
        listed = self.find(_with_name(protocol, name))
        if listed is not None:
            # Same name, so this is the next version and not a second protocol.
            return self._save_next_version(listed, _with_name(protocol, name))
        made = stamped(_with_name(protocol, name), 1)
        write_protocol(made, self.path_for(made))
        return made

    def rename(self, listed: ListedProtocol, name: str) -> Protocol:
        """Rename an own protocol, which creates its next version.

        Parameters
        ----------
        listed
            the protocol
        name
            the new name

        Raises
        ------
        SettingsError
            it cannot be changed, or the name is empty or in use
        """
        path = _changeable_path(listed)
        renamed = _with_name(listed.protocol, name)
        if renamed.name == listed.protocol.name:
            return listed.protocol
        self._refuse_used_name(renamed)
        # The old version is stored before the new file is written, and its file is removed last. An
        # interruption can leave both, but never neither.
        made = stamped(renamed, listed.revision + 1)
        self._keep_earlier(listed, path)
        write_protocol(made, self.path_for(made))
        _remove_file(path)
        return made

    def lock(self, listed: ListedProtocol, *, on: bool) -> Protocol:
        """Lock or unlock an own protocol. This does not create a version.

        Parameters
        ----------
        listed
            the protocol
        on
            True to lock

        Raises
        ------
        SettingsError
            the protocol is not the user's own
        """
        if listed.source != "own" or listed.path is None:
            raise SettingsError(listed.fixed)
        # Locking does not change settings, so version and digest stay comparable between sites.
        made = stamped(listed.protocol, _current_revision(listed.protocol), locked=on)
        write_protocol(made, listed.path)
        return made

    def delete(self, listed: ListedProtocol) -> None:
        """Delete an own protocol. Its last version stays among the earlier ones.

        Parameters
        ----------
        listed
            the protocol

        Raises
        ------
        SettingsError
            it cannot be changed
        ResourceError
            the file cannot be deleted
        """
        path = _changeable_path(listed)
        self._keep_earlier(listed, path)
        _remove_file(path)

    def import_protocol(self, path: Path) -> Protocol:
        """Add a protocol from a file, with its version.

        Parameters
        ----------
        path
            a TOML file that `export_protocol` wrote

        Raises
        ------
        SettingsError
            its name is in use, or it was edited outside Isocenter
        """
        found = read_protocol(path)
        self._refuse_used_name(found)
        # The stored digest does not match its settings, so version and approval would be wrong.
        if found.saved is not None and found.saved.changed:
            raise SettingsError(
                tr(
                    "{name}: the file was changed outside Isocenter (change: {change}); open it as "
                    "a file, check its settings and save them as a new protocol.",
                    name=path.name,
                    change=found.saved.changed[0],
                )
            )
        made = stamped(found, _current_revision(found))
        write_protocol(made, self.path_for(made))
        return made

    @staticmethod
    def export_protocol(listed: ListedProtocol, path: Path) -> None:
        """Write a protocol to a file that can be shared.

        Parameters
        ----------
        listed
            the protocol
        path
            the new file
        """
        write_protocol(listed.protocol, path)

    def path_for(self, protocol: Protocol) -> Path:
        """Return an unused file name for a new own protocol.

        Parameters
        ----------
        protocol
            its name and modality give the file name
        """
        modality = modality_of(protocol)
        # Only word characters: the name must be valid on Windows, network shares and USB sticks.
        stem = re.sub(r"[^\w-]+", "-", protocol.name).strip("-").lower() or "protocol"

        # The first modality is the default, so its file names need no prefix.
        kind = "" if modality is MODALITIES[0] else f"{modality.key}-"
        tries = (f"{kind}{stem}{n}.toml" for n in ("", *(f"-{k}" for k in range(2, 1000))))
        return next(p for each in tries if not (p := self._own / each).exists())

    def _save_next_version(self, listed: ListedProtocol, protocol: Protocol) -> Protocol:
        path = _changeable_path(listed)
        before, made = listed.protocol.saved, stamped(protocol, listed.revision + 1)
        if before is not None and made.saved is not None and made.saved.sha256 == before.sha256:
            return listed.protocol  # nothing has changed
        self._keep_earlier(listed, path)
        write_protocol(made, path)
        return made

    def _keep_earlier(self, listed: ListedProtocol, path: Path) -> None:
        name = f"{path.stem}-version-{listed.revision}.toml"
        write_protocol(listed.protocol, self._own / EARLIER / name)

    def _refuse_used_name(self, protocol: Protocol) -> None:
        existing = self.find(protocol)
        if existing is not None:
            found = _name_in_use_text(
                existing.source, name=protocol.name, revision=existing.revision
            )
            remedy = tr("Choose another name, or rename or delete the existing protocol first.")
            raise SettingsError(f"{found} {remedy}")


def _changeable_path(listed: ListedProtocol) -> Path:
    """Return the file of an own protocol; raise `SettingsError` if it cannot be changed."""
    if listed.fixed or listed.path is None:
        raise SettingsError(listed.fixed)
    return listed.path


def _name_in_use_text(source: Source, **values: object) -> str:
    if source == "program":
        return tr(
            "Isocenter already supplies a protocol named {name!r} (version {revision}).", **values
        )
    if source == "site":
        return tr("The site already has a protocol named {name!r} (version {revision}).", **values)
    return tr("You already have a protocol named {name!r} (version {revision}).", **values)


def _current_revision(protocol: Protocol) -> int:
    """Return the version for unchanged settings. Settings edited by hand get a new one."""
    saved = protocol.saved
    if saved is None:
        return 1
    return saved.revision + 1 if saved.changed else max(1, saved.revision)


def _with_name(protocol: Protocol, name: str) -> Protocol:
    name = name.strip()
    if not name:
        raise SettingsError(tr("Enter a name for the protocol."))
    try:
        # "saved" describes the old name and digest. `stamped` writes it again.
        values = protocol.model_dump() | {"name": name, "saved": None}
        return type(protocol).model_validate(values)
    except ValidationError as e:
        raise SettingsError(tr("The protocol is invalid: {fault}.", fault=explain(e))) from e


def _remove_file(path: Path) -> None:
    try:
        with suppress(FileNotFoundError):
            path.unlink()
    except OSError as e:
        text = tr(
            "{name}: the file cannot be deleted ({why}); check its permissions.",
            name=path.name,
            why=e.strerror or e,
        )
        raise ResourceError(text) from e
