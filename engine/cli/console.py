"""Output of the command line: results on standard output, progress and errors on standard error.

A terminal shows progress as a bar, a file as plain lines.
"""

from __future__ import annotations

import logging
import sys
import warnings
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from engine.cli.streams import output
from engine.core.json_types import Plain
from engine.core.printing import print_line
from engine.core.visible_text import visible_line

if TYPE_CHECKING:  # most verbs show no bar, and no events of a run
    from engine.cli.bars import ProgressBar
    from engine.data.runs.events import Corrected, Event, Preview, Warned

COUNTED = {"lines": "lines of response", "bins": "bins"}
"""Names of the data that a sensitivity covers, by the key of their number."""
LINE_INTERVAL_S = 5.0
"""Minimum time between two progress lines of a stage, in seconds."""


class Console:
    """Prints results on standard output, and progress, notes and errors on standard error.

    Parameters
    ----------
    quiet
        print no progress and no notes
    only_json
        keep standard output free for JSON: results go to standard error too
    """

    def __init__(self, *, quiet: bool = False, only_json: bool = False) -> None:
        self._bar: ProgressBar | None = None
        self._shown_s = 0.0
        self._quiet, self._only_json = quiet, only_json

    def line(self, text: str = "") -> None:
        """Print one line of a result, without markup; a line break becomes a visible mark."""
        if self._only_json:
            self.log(text)
            return
        # A bar would stand in the middle of the line
        self.close()
        # A full disk or a closed pipe shows up here, as an error with a remedy
        with output():
            print_line(text)

    def page(self, text: str) -> None:
        """Print several lines of the program's own text, such as a table."""
        for line in text.split("\n"):
            self.line(line)

    def log(self, text: str) -> None:
        """Print one line about the progress of the work on standard error, unless quiet."""
        if not self._quiet:
            self._print(text)

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
        if not self._quiet:
            self._print(f"note: {text}")

    def warn(self, text: str) -> None:
        """Print one warning on standard error.

        Parameters
        ----------
        text
            the sentence
        """
        self._print(f"warning: {text}")

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
                self.log(f"  {seconds:6.1f} s  {_figures(stage, figures)}".rstrip())
            case Planned(text=text) | Loaded(text=text):
                self.log(f"  {text}")
            case Corrected(kind=kind, state=state, text=text):
                self._log_event(event, f"{kind}: {state} ({text})")
            case Warned(text=text):
                self._log_event(event, text)
            case Noted(text=text):
                self.log(f"  note: {text}")
            case ResultSaved(text=text):
                self.log(f"  {text}")
            # The volume, checkpoints and profiles are reported by the command itself
            case EarlyPreview() | Profiled() | Checkpointed() | Finished():
                pass

    def close(self) -> None:
        """Remove the progress bar."""
        self._end()

    def _begin(self, text: str) -> None:
        self._end()
        self.log(text)
        self._shown_s = monotonic()
        # A bar rewrites its line with control characters, which would fill a log file
        if sys.stderr.isatty() and not self._quiet:
            from engine.cli.bars import ProgressBar

            self._bar = ProgressBar()

    def _advance(self, done: int, total: int, text: str = "") -> None:
        if self._bar is not None:
            self._bar.advance(done, total, text)
        # Without a bar: a line every 5 s shows that the program works, and keeps logs short
        elif monotonic() - self._shown_s >= LINE_INTERVAL_S:
            self._shown_s = monotonic()
            self.log(f"  {100 * done // max(total, 1):3d} %  {text}".rstrip())

    def _iterated(self, event: Preview) -> None:
        total = event.iterations * event.subsets
        step, part = ("iteration", "subset") if event.frame is None else ("frame", "update")
        # A number that the run may not reach is not a promise
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
                self.log(f"  frame {event.iteration}/{event.iterations}  {where}")
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
            self.log(f"  iteration {event.iteration}{of}{event.iterations}  {message}")

    def _log_event(self, event: Corrected | Warned, text: str) -> None:
        """Print an event; a quiet console prints only warnings."""
        mark = _mark(event)
        if mark or not self._quiet:
            self._print(f"  {mark}{text}")

    def _print(self, text: str) -> None:
        """Print a line on standard error, above the bar if there is one."""
        if self._bar is not None:
            self._bar.print_line(text)
            return
        # Progress is not a result: a run continues if the output is closed
        with suppress(OSError):
            print_line(text, sys.stderr)

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
        error = figures.get("error_percent", 0)
        parts = (
            "from the cache" if figures.get("from_cache") else "",
            # Not every modality has lines of response.
            *(f"{int(figures[key]):,} {name}" for key, name in COUNTED.items() if key in figures),
            f"standard error {error:.1f} %" if error else "exact",
        )
        return ", ".join(filter(None, parts))
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
