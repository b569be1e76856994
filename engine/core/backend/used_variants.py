"""Record of the tuned kernel variants that a run used."""

from __future__ import annotations


class UsedVariants:
    """Variants from `isocenter tune` that a run used, in words, by kernel name.

    Each run has its own record, so that its provenance lists exactly the variants that it used.
    """

    def __init__(self) -> None:
        self._words: dict[str, str] = {}

    def note(self, kernel: str, words: str) -> None:
        """Record that a kernel used a tuned variant; the same text counts once.

        Parameters
        ----------
        kernel
            name of the kernel
        words
            variant in words, for provenance
        """
        text = self._words.get(kernel, "")
        if words not in text.split("; "):
            self._words[kernel] = f"{text}; {words}" if text else words

    @property
    def words(self) -> dict[str, str]:
        """Variants by kernel name; empty if all kernels used their defaults."""
        return dict(self._words)
