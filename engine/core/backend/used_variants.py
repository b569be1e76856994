"""Forms that kernels ran in which were tuned on this machine."""

from __future__ import annotations


class UsedForms:
    """What `isocenter tune` found and a run used, in words, by the kernel's name.

    One is made for each run, so that its provenance says what it used and nothing else.
    """

    def __init__(self) -> None:
        self._words: dict[str, str] = {}

    def note(self, kernel: str, words: str) -> None:
        """Keep that a kernel ran in a tuned form."""
        said = self._words.get(kernel, "")
        if words not in said.split("; "):
            self._words[kernel] = f"{said}; {words}" if said else words

    @property
    def words(self) -> dict[str, str]:
        """By the kernel's name; empty where all ran as shipped."""
        return dict(self._words)
