"""Output of the command line: progress bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import logging
import sys
import warnings
from time import monotonic
from typing import TYPE_CHECKING

from engine.cli.streams import output
from engine.core.json_types import Plain
from engine.core.printing import print_line
from engine.core.visible_text import visible_line

if TYPE_CHECKING:  # most verbs show no bar, and no events of a run
    from engine.cli.bars import ProgressBar
    from engine.data.runs.events import Corrected, Event, Preview, Warned

PLAIN_SECONDS = 5.0
"""Minimum time between two progress lines of a stage, in seconds."""


class Console:
    """Prints lines and events on standard output, errors on standard error."""

    def __init__(self) -> None:
        self._bar: ProgressBar | None = None
        self._said = 0.0

    def line(self, text: str = "") -> None:
        """Print one line, without markup; a line break in it becomes a visible mark."""
        self._say(text)

    def page(self, text: str) -> None:
        """Print several lines of the program's own text, such as a table."""
        for line in text.split("\n"):
            self._say(line)

    def fault(self, text: str) -> None:
        """Print one sentence on standard error.

        Parameters
        ----------
        text
            sentence; the name of the program precedes it
        """
        # A progress bar would overwrite the line
        self.close()
        print_line(f"isocenter: {text}", sys.stderr)

    def note(self, text: str) -> None:
        """Print one note on standard error, so that standard output can be parsed.

        Parameters
        ----------
        text
            the sentence
        """
        self.close()
        print_line(f"note: {text}", sys.stderr)

    def show(self, event: Event) -> None:
        """Print an event of a run; events without a meaning on a terminal are skipped.

        Parameters
        ----------
        event
            event of a run
        """
        # A reconstruction has these modules; other verbs would import them for nothing.
        from engine.data.runs.events import (
            Checkpointed,
            Corrected,
            EarlyPreview,
            Finished,
            Loaded,
            Measured,
            Noted,
            Planned,
            Preview,
            Profiled,
            Progressed,
            ResultSaved,
            StageStarted,
            Warned,
        )

        match event:
            case StageStarted(text=text):
                self._begin(text)
            case Progressed(done=done, total=total, text=text):
                self._advance(done, total, text)
            case Preview():
                self._iterated(event)
            case Measured(stage=stage, seconds=seconds, figures=figures):
                self._end()
                self.line(f"  {seconds:6.1f} s  {_figures(stage, figures)}".rstrip())
            case Planned(text=text) | Loaded(text=text):
                self._say(f"  {text}")
            case Corrected(kind=kind, state=state, text=text):
                self._say(f"  {_mark(event)}{kind}: {state} ({text})")
            case Warned(text=text):
                self._say(f"  {_mark(event)}{text}")
            case Noted(text=text):
                self._say(f"  note: {text}")
            case ResultSaved(text=text):
                self._say(f"  {text}")
            # The volume, checkpoints and profiles are reported by the command itself
            case EarlyPreview() | Profiled() | Checkpointed() | Finished():
                pass

    def close(self) -> None:
        """Remove the progress bar."""
        self._end()

    def _begin(self, text: str) -> None:
        self._end()
        self.line(text)
        self._said = monotonic()
        # A bar rewrites its line with control characters, which would fill a log file
        if sys.stdout.isatty():
            from engine.cli.bars import ProgressBar

            self._bar = ProgressBar()

    def _advance(self, done: int, total: int, text: str = "") -> None:
        if self._bar is not None:
            self._bar.advance(done, total, text)
        # Without a bar: a line every 5 s shows that the program works, and keeps logs short
        elif monotonic() - self._said >= PLAIN_SECONDS:
            self._said = monotonic()
            self.line(f"  {100 * done // max(total, 1):3d} %  {text}".rstrip())

    def _iterated(self, event: Preview) -> None:
        total = event.iterations * event.subsets
        step, part = ("iteration", "subset") if event.frame is None else ("frame", "update")
        # A number that the run may not reach is no promise
        of = " of at most " if event.may_end_early else "/"
        in_frame = of if event.frame is not None else "/"
        text = f"{step} {event.iteration}{'/' if event.frame is not None else of}{event.iterations}"
        if event.subsets > 1:
            text += f", {part} {event.subset}{in_frame}{event.subsets}"
        if event.slices is not None:
            text = f"slab {event.subset}/{event.subsets}, slices up to {event.slices:,}"
        self._advance(event.update, total, text)
        if event.frame is not None:
            if event.ends_iteration:
                where = event.frame.describe()
                self._say(f"  frame {event.iteration}/{event.iterations}  {where}")
            return
        # PET maximises a likelihood, CT minimises a residual; direct methods have neither
        if event.history.penalised:
            last = event.history.penalised[-1]
            message = (
                f"objective {last.objective:,.0f}, regions change by {100 * last.change:.2g} % "
                f"(limit {100 * last.limit:g} %)"
            )
        elif event.log_likelihood is not None:
            message = f"log-likelihood {event.log_likelihood:,.0f}"
        elif event.residual is not None:
            message = f"residual {100 * event.residual:.3g} %"
        else:
            return
        if event.ends_iteration:
            self._say(f"  iteration {event.iteration}{of}{event.iterations}  {message}")

    def _say(self, text: str) -> None:
        # A full disk or a closed pipe shows up here, as an error with a remedy
        with output():
            if self._bar is not None:
                self._bar.say(text)
            else:
                print_line(text)

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None


def _mark(event: Corrected | Warned) -> str:
    from engine.data.runs.events import Level

    return "warning: " if event.level is Level.WARNING else ""


def _figures(stage: str, figures: Plain) -> str:
    if stage == "reconstruct" and "events_per_second" in figures:
        return f"{figures['events_per_second'] / 1e6:.2f} M events/s"
    if stage == "scatter":
        return f"{figures.get('fraction_percent', 0):.0f} % of trues and scatter"
    if stage == "sensitivity":
        kept = "from the cache, " if figures.get("from_cache") else ""
        error = figures.get("error_percent", 0)
        how = f"standard error {error:.1f} %" if error else "exact"
        return f"{kept}{int(figures.get('lines', 0)):,} lines of response, {how}"
    return ""


def clean_library_messages() -> None:
    """Show control characters in warnings and log lines of libraries as visible marks.

    Libraries quote names and values of files, and print their messages on standard error.
    """
    warnings.formatwarning = _warning
    # Python uses this handler for libraries without a log of their own
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_CleanLines())


class _CleanLines(logging.Formatter):
    """A log record as one line."""

    def format(self, record: logging.LogRecord) -> str:
        return visible_line(super().format(record))


def _warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """Return a warning as one line, without the line of the source."""
    return visible_line(f"{filename}:{lineno}: {category.__name__}: {message}") + "\n"
