"""The protocol in use: chosen for the open scan, edited by the user, compared with saved ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from app.state.models.messages import protocol_refused, protocol_replaced
from app.state.models.protocols.pins import ProtocolPins
from app.state.models.quality import Qualities, Quality
from app.state.models.undo_history import UndoHistory
from engine.core.errors import SettingsError
from engine.modalities import (
    MODALITIES,
    OF_QUALITY,
    AnyModality,
    OpenStudy,
    Protocol,
    SavedProtocol,
    SavedProtocols,
    SettingChange,
    compared,
    digest_of,
    label_of,
    misfit,
    modality_of,
    protocol_for,
    scanner_kind,
    setting_changes,
    suitable,
    version_text,
    with_measured,
)


class ProtocolState(QObject):
    """Protocol of the open scan. `engine.modalities.protocol_for` chooses it.

    Signals
    -------
    protocol_changed : another protocol or setting
    protocol_replaced : message that the scan starts with another protocol than the last one

    Parameters
    ----------
    known : returns the facts of the open scan and its files; no facts if no scan is open

    Attributes
    ----------
    base : the saved protocol that the settings started from
    note : reason for another protocol than for the last scan; empty if it is the same
    library : returns the saved protocols that settings are compared with
    offered : returns the protocols that a scan of a modality may start with; an empty result allows
        all
    pins : protocols that the user pinned for kinds of scanners
    """

    protocol_changed = Signal()
    protocol_replaced = Signal(str)

    def __init__(self, known: Callable[[], OpenStudy]) -> None:
        super().__init__()
        self._known = known
        self.library: Callable[[], SavedProtocols] = SavedProtocols.of_this_user
        self.offered: Callable[[AnyModality], Sequence[Protocol]] = lambda _: ()
        self.pins = ProtocolPins()
        self.base: Protocol = protocol_for(OpenStudy())
        self.history = UndoHistory(self.base)
        self.note = ""
        self._reference: SavedProtocol | None = None
        self._for_next: Protocol | None = None  # chosen while no scan was open

    # The open scan

    @property
    def known(self) -> OpenStudy:
        """Facts of the open scan and its files before it runs."""
        return self._known()

    @property
    def suitable(self) -> tuple[AnyModality, ...]:
        """Modalities that suit the open scan, the default first; empty if no scan is open."""
        return suitable(self.known)

    @property
    def scanner_kind(self) -> str:
        """Kind of scanner of the open scan; empty if no scan is open."""
        return scanner_kind(self.known)

    @property
    def misfit(self) -> str:
        """Reason why the protocol is not meant for the open scan, as a sentence; empty if it is."""
        return misfit(self.protocol, self.known)

    def _begin(self, wanted: Protocol | None, before: Protocol) -> None:
        """Start with the protocol of a study file, or with the scan's own.

        `before` is the protocol of the previous scan, as `identified` returned it.
        """
        kinds, self.note = self.suitable, ""
        # A study file may name a protocol of a modality that its scan does not have any more.
        if wanted is not None and (not kinds or modality_of(wanted) in kinds):
            self._restart(wanted)
        else:
            self._begin_with_own(wanted or before)
        self._for_next = None

    def start_again(self) -> None:
        """Start with the scan's own protocol and without pins, because the user has changed."""
        self.pins.clear()
        self._begin(None, self.identified())
        self._drop_foreign_inputs()
        self.protocol_changed.emit()

    def _follow(self, quality: Quality | None) -> None:
        """Adapt the protocol to the files of the open scan, at the same quality."""
        if self.suitable and self.modality not in self.suitable:
            self._begin_with_own(self.identified())
        elif quality is not None:
            self.history.push(self.qualities.at(quality))

    def _begin_with_own(self, before: Protocol) -> None:
        """Start with the open scan's own protocol in place of the previous one."""
        wanted = self.pins.of(self.scanner_kind) or self._for_next
        kinds = self.suitable or MODALITIES[:1]
        offered = [each for kind in kinds for each in self.offered(kind)]
        self._restart(protocol_for(self.known, offered, wanted))
        # Report a replacement only if the user had chosen or edited something before.
        known = map(digest_of, (self.protocol, protocol_for(OpenStudy())))
        if self.suitable and digest_of(before) not in known:
            self.note = protocol_replaced(self.base.name, label_of(before))
            self.protocol_replaced.emit(self.note)

    def _restart(self, protocol: Protocol) -> None:
        """Start with a protocol and an empty undo history."""
        self.base, now = self._compared_with_library(protocol)
        # The saved protocol is the first step, so that undo can go back to it.
        self.history = UndoHistory(self.base)
        self.history.push(now)

    def _compared_with_library(self, protocol: Protocol) -> tuple[Protocol, Protocol]:
        """Return the saved protocol with this name, and the settings as a change of it."""
        self._reference = found = self.library().reference(protocol)
        base = protocol if found is None else found.protocol
        return base, protocol.model_copy(update={"saved": base.saved})

    # The protocol in use

    @property
    def protocol(self) -> Protocol:
        """The protocol in use."""
        return self.history.current

    @property
    def modality(self) -> AnyModality:
        """The modality of the protocol."""
        return modality_of(self.protocol)

    def identified(self) -> Protocol:
        """Return the protocol in use with a record of its differences from the saved one."""
        found, base = self._reference, self.base
        return compared(self.protocol, found, base=base, quality=self.quality)

    @property
    def label(self) -> str:
        """Name of the protocol in use, with a mark if its content differs from the saved one."""
        return label_of(self.identified())

    @property
    def words(self) -> str:
        """Name, version and mark of the protocol in use, in one line."""
        return version_text(self.identified())

    def follow_library(self) -> None:
        """Compare with the saved protocols again after some were saved, renamed or deleted."""
        # The protocol may have been deleted. Then it counts as unsaved, but the settings stay.
        self._reference = self.library().reference(self.base)
        self.protocol_changed.emit()

    @property
    def quality(self) -> Quality | None:
        """Fast, standard or fine; None if the user edited the protocol."""
        return self.qualities.of(self.protocol)

    @property
    def qualities(self) -> Qualities:
        """The quality levels of the protocol for the open scan, including measured values."""
        return Qualities(with_measured(self.base, self.protocol, self.base), self.known)

    @property
    def changes(self) -> list[SettingChange]:
        """Differences from the saved protocol that do not come from a quality level."""
        found = setting_changes(self.base, self.protocol)
        return found if self.quality is None else [c for c in found if c.keys not in OF_QUALITY]

    def use_protocol(self, protocol: Protocol) -> None:
        """Use another protocol.

        Parameters
        ----------
        protocol
            the protocol; without an open scan it is used for the next one

        Raises
        ------
        SettingsError
            the open scan is of another modality
        """
        wanted, kinds = modality_of(protocol), self.suitable
        if kinds and wanted not in kinds:
            raise SettingsError(protocol_refused(protocol.name, wanted.title, kinds[0].title))
        self.note, before = "", self.modality
        self._for_next = None if kinds else protocol
        base, chosen = self._compared_with_library(protocol)
        if wanted is before:
            # Values measured in this scan, such as its rotation axis, belong to the scan and stay.
            chosen = with_measured(chosen, self.protocol, self.base)
        else:
            # Undo across modalities would bring back a protocol without its files.
            self.history = UndoHistory(base)
        self.base = base
        self.history.push(chosen)
        if wanted is not before:
            self._drop_foreign_inputs()
        self.protocol_changed.emit()

    def _drop_foreign_inputs(self) -> None:
        """Drop the files that belong to another kind of protocol."""

    def use_quality(self, quality: Quality) -> None:
        """Use the saved protocol at a quality level.

        Parameters
        ----------
        quality
            "fast", "standard" or "fine"
        """
        self.set_protocol(self.qualities.at(quality))

    def set_protocol(self, protocol: Protocol) -> None:
        """Change settings of the protocol. Undo reverts this.

        Parameters
        ----------
        protocol
            the protocol with the new settings
        """
        self.history.push(protocol)
        self.protocol_changed.emit()

    def undo(self) -> None:
        """Undo the last change of the protocol."""
        self.history.undo()
        self.protocol_changed.emit()

    def redo(self) -> None:
        """Redo the last undone change."""
        self.history.redo()
        self.protocol_changed.emit()

    # Pins

    def pin(self, *, on: bool) -> None:
        """Pin the saved protocol for this kind of scanner, or remove the pin.

        Parameters
        ----------
        on
            True to pin
        """
        self.pins.pin(self.scanner_kind, self.base if on else None)
        self.protocol_changed.emit()

    @property
    def is_pinned(self) -> bool:
        """True if scans of this kind of scanner start with the protocol in use."""
        pinned = self.pins.of(self.scanner_kind)
        return pinned is not None and digest_of(pinned) == digest_of(self.base)
