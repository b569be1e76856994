"""Present a part of an open file as a file, for formats that wrap other formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import HEAD_BYTES, InputFile

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class InputPart(InputFile):
    """Bytes of an open file from `start` on; the opener of the file closes it.

    Attributes
    ----------
    whole : the file
    start : first byte of the part
    """

    def __init__(self, whole: InputFile, start: int, n_bytes: int) -> None:
        # Does not call the base class, which would open the path a second time.
        self.whole, self.start = whole, start
        self.path, self.may_be_cut = whole.path, whole.may_be_cut
        self.identity, self.modified_ns = whole.identity, whole.modified_ns
        self.size = max(min(n_bytes, whole.size - start), 0)
        self.head = self._some(0, min(HEAD_BYTES, self.size))

    def close(self) -> None:
        """Do nothing: the opener closes the file."""

    def fill(self, out: WriteableBuffer, start: int) -> int:
        """Read into a buffer.

        Parameters
        ----------
        out
            writable buffer; at most its length is read
        start
            first byte, counted from the start of the part

        Returns
        -------
        n_bytes
            number of bytes read; fewer than the buffer at the end of the part
        """
        # Stop at the end of the part, because the file continues after it.
        view = memoryview(out).cast("B")
        return self.whole.fill(view[: max(self.size - start, 0)], self.start + start)

    def refuse_changed(self) -> None:
        """Refuse a file that has changed since it was opened."""
        self.whole.refuse_changed()

    def refuse_replaced(self) -> None:
        """Refuse a path that now leads to another file."""
        self.whole.refuse_replaced()

    def _changed(self) -> FileFormatError:
        return self.whole._changed()
