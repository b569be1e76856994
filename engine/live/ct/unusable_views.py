"""Views that cannot be used, remembered so that they are not tried again."""

from __future__ import annotations


class UnusableViews:
    """Counts unusable views, and reports them once.

    Parameters
    ----------
    n_window : most views; older ones are forgotten

    Attributes
    ----------
    numbers : numbers of the unusable views
    """

    def __init__(self, n_window: int) -> None:
        self.numbers: set[int] = set()
        self._n_window = n_window
        self._in_a_row = 0

    def clear(self) -> None:
        """Allow all views again: new darks or flats arrived, or another scan starts."""
        self.numbers.clear()

    def add(self, number: int, fault: str) -> list[str]:
        """Record an unusable view.

        Parameters
        ----------
        number
            number of the view
        fault
            reason, one sentence

        Returns
        -------
        said
            a sentence for the first one in a row; empty for the following ones
        """
        self.numbers.add(number)
        self.numbers -= {k for k in self.numbers if k <= number - self._n_window}
        self._in_a_row += 1
        return [f"{fault.rstrip('.')}; projection {number} is not used."] * (self._in_a_row == 1)

    def was_usable(self, number: int) -> list[str]:
        """Record a usable view; return a sentence if several before it were unusable."""
        self.numbers.discard(number)
        n, self._in_a_row = self._in_a_row, 0
        return [f"{n:,} projections were not used. Projections are valid again."] * (n > 1)
