"""The judgement that a reader is entering, before it is signed."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class JudgementDraft(QObject):
    """Judgement and remark of the displayed result, for the preview of its report.

    Signals
    -------
    changed : another judgement, remark or reader

    Attributes
    ----------
    words : reader and judgement; empty before a judgement is chosen
    remark : remark of the reader
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.words = self.remark = ""

    def replace(self, words: str, remark: str) -> None:
        """Replace the judgement.

        Parameters
        ----------
        words
            reader and judgement; empty for none
        remark
            remark of the reader
        """
        if (words, remark) != (self.words, self.remark):
            self.words, self.remark = words, remark
            self.changed.emit()
