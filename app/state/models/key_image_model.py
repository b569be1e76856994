"""The key images of the displayed result, with undo. They belong to this result alone."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from engine.results.reports import MAX_IMAGES, KeyImage

DEPTH = 100


class KeyImageModel(QObject):
    """Pictures for the report of the displayed result, in their order.

    Signals
    -------
    changed : the pictures changed, or another result is displayed
    edited : the user changed the pictures, which must be stored
    added : number of pictures after one was added

    Attributes
    ----------
    result_id : displayed result; empty if there is none
    is_ready : False until the stored pictures of the result were read
    """

    changed = Signal()
    edited = Signal()
    added = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.result_id, self.is_ready = "", False
        self._states: list[tuple[KeyImage, ...]] = [()]
        self._at = 0

    @property
    def images(self) -> tuple[KeyImage, ...]:
        """The pictures; none for the automatic ones of the report."""
        return self._states[self._at]

    @property
    def is_full(self) -> bool:
        """True if the report has as many pictures as it can hold."""
        return len(self.images) >= MAX_IMAGES

    def follow(self, result_id: str) -> None:
        """Forget the pictures and their history, because another result is displayed.

        Parameters
        ----------
        result_id
            the result; empty for none
        """
        self.result_id, self.is_ready = result_id, False
        self._states, self._at = [()], 0
        self.changed.emit()

    def take_stored(self, result_id: str, images: tuple[KeyImage, ...]) -> None:
        """Take the stored pictures of a result.

        Parameters
        ----------
        result_id
            their result; ignored if another one is displayed by now
        images
            its pictures
        """
        if result_id == self.result_id and not self.is_ready:
            self._states, self._at, self.is_ready = [images], 0, True
            self.changed.emit()

    def add(self, image: KeyImage) -> None:
        """Add a picture at the end; a full report is left as it is."""
        if self.is_ready and not self.is_full:
            self._push_state((*self.images, image))
            self.added.emit(len(self.images))

    def remove(self, index: int) -> None:
        """Remove a picture.

        Parameters
        ----------
        index
            its position; one outside the list is ignored
        """
        if 0 <= index < len(self.images):
            self._push_state((*self.images[:index], *self.images[index + 1 :]))

    def move(self, index: int, to: int) -> None:
        """Move a picture.

        Parameters
        ----------
        index, to
            old and new position; those outside the list are ignored
        """
        n = len(self.images)
        if index != to and 0 <= index < n and 0 <= to < n:
            others = [*self.images[:index], *self.images[index + 1 :]]
            others.insert(to, self.images[index])
            self._push_state(tuple(others))

    @property
    def can_undo(self) -> bool:
        """True if there is an earlier state."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """True if there is a later state."""
        return self._at < len(self._states) - 1

    def undo(self) -> None:
        """Go one step back."""
        self._move_in_history(-1 if self.can_undo else 0)

    def redo(self) -> None:
        """Go one step forward."""
        self._move_in_history(1 if self.can_redo else 0)

    def _push_state(self, images: tuple[KeyImage, ...]) -> None:
        self._states = [*self._states[: self._at + 1], images][-DEPTH:]
        self._at = len(self._states) - 1
        self._emit_edited()

    def _move_in_history(self, steps: int) -> None:
        if steps:
            self._at += steps
            self._emit_edited()

    def _emit_edited(self) -> None:
        self.changed.emit()
        self.edited.emit()
