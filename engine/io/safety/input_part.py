"""Present a part of an open file as a file, for formats that wrap other formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.errors import FileFormatError
from engine.io.safety.open_input import HEAD_BYTES, InputFile

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class InputPart(InputFile):
    """Bytes of an open file from `start` on; closed by who opened the file.

    Attributes
    ----------
    whole : the file
    start : first byte of the part
    """

    def __init__(self, whole: InputFile, start: int, n_bytes: int) -> None:
        self.whole, self.start = whole, start
        self.path, self.may_be_cut = whole.path, whole.may_be_cut
        self.identity, self.modified_ns = whole.identity, whole.modified_ns
        self.size = max(min(n_bytes, whole.size - start), 0)
        self.head = self._some(0, min(HEAD_BYTES, self.size))

    def close(self) -> None:
        """Leave the file open: it is not ours."""

    def fill(self, out: WriteableBuffer, start: int) -> int:
        """Read into a buffer from byte `start` of the part on; return how many bytes there were."""
        view = memoryview(out).cast("B")
        return self.whole.fill(view[: max(self.size - start, 0)], self.start + start)

    def refuse_changed(self) -> None:
        """Refuse a file that is no longer what was opened."""
        self.whole.refuse_changed()

    def refuse_replaced(self) -> None:
        """Refuse a path that leads to another file by now."""
        self.whole.refuse_replaced()

    def _changed(self) -> FileFormatError:
        return self.whole._changed()
