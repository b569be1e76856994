"""A bar that fills, on a terminal; what is said meanwhile stands above it."""

from __future__ import annotations

from rich.console import Console as RichConsole
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn


class ProgressBar:
    """A bar of one stage, until it is closed."""

    def __init__(self) -> None:
        out = RichConsole(highlight=False, soft_wrap=True, emoji=False)
        columns = (TextColumn("  {task.description}"), BarColumn(), TimeRemainingColumn())
        self._bars = Progress(*columns, console=out, transient=True)
        self._task = self._bars.add_task("", total=None)
        self._bars.start()

    def advance(self, done: int, total: int, text: str) -> None:
        """Fill it so far; a text stays until there is another one."""
        self._bars.update(self._task, completed=done, total=total)
        if text:
            self._bars.update(self._task, description=text)

    def say(self, text: str) -> None:
        """Print a line above it, literally."""
        self._bars.console.print(text, markup=False)

    def close(self) -> None:
        """Take it down."""
        self._bars.stop()
