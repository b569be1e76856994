"""Views that came and cannot be used: remembered, so that they are not tried again and again."""

from __future__ import annotations


class UnusableViews:
    """Keeps count of views that cannot be used, and says it once.

    Parameters
    ----------
    n_window : views at most; older ones are forgotten

    Attributes
    ----------
    numbers : of these views
    """

    def __init__(self, n_window: int) -> None:
        self.numbers: set[int] = set()
        self._n_window = n_window
        self._in_a_row = 0

    def clear(self) -> None:
        """Try all again: other darks and flats came, or another scan begins."""
        self.numbers.clear()

    def add(self, number: int, fault: str) -> list[str]:
        """Remember a view; returns what is to be said of it."""
        self.numbers.add(number)
        self.numbers -= {k for k in self.numbers if k <= number - self._n_window}
        self._in_a_row += 1
        return [f"{fault.rstrip('.')}; projection {number} is not used."] * (self._in_a_row == 1)

    def came(self, number: int) -> list[str]:
        """Take a view to be used; returns what is to be said of those before it."""
        self.numbers.discard(number)
        n, self._in_a_row = self._in_a_row, 0
        return [f"{n:,} projections were not used; they can be again."] * (n > 1)
