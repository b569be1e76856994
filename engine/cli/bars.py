"""Progress bar on a terminal, with messages printed above it."""

from __future__ import annotations

from rich.console import Console as RichConsole
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from engine.core.visible_text import visible_line


class ProgressBar:
    """Progress bar of one stage."""

    def __init__(self) -> None:
        # Soft wrap: a long path must stay one line, so that it can be copied
        out = RichConsole(stderr=True, highlight=False, soft_wrap=True, emoji=False)
        columns = (
            TextColumn("  {task.description}", markup=False),
            BarColumn(),
            TimeRemainingColumn(),
        )
        # Transient: the bar disappears at its end and leaves only the lines
        self._bars = Progress(*columns, console=out, transient=True)
        self._task = self._bars.add_task("", total=None)
        self._bars.start()

    def advance(self, done: int, total: int, text: str) -> None:
        """Set the progress.

        Parameters
        ----------
        done, total
            finished and total amount of work
        text
            description; empty to keep the previous one
        """
        self._bars.update(self._task, completed=done, total=total)
        if text:
            self._bars.update(self._task, description=visible_line(text))

    def print_line(self, text: str) -> None:
        """Print a line above the bar, without markup."""
        self._bars.console.print(visible_line(text), markup=False)

    def close(self) -> None:
        """Remove the bar."""
        self._bars.stop()
