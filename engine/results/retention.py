"""Retention limits of results, the only place that defines them.

The user's limits and folder are stored in `results.toml` next to the other settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

from engine.core.paths import config_dir, results_dir
from engine.core.settings import Settings, parse, setting
from engine.io.text.toml_file import read_toml
from engine.results.result import Result

SETTINGS = "results.toml"
SAFE_DAYS = 7
"""A result that was not exported stays at least this long, whatever the limits."""
GIB = 2**30


class Retention(Settings):
    """Limits for results on disk, and their folder."""

    folder: str = setting("", "Folder of the results; empty: default folder", max_length=4000)
    most: int = setting(200, "Maximum number of results", ge=1, le=1_000_000)
    most_gib: float = setting(20.0, "Maximum disk space of all results", unit="GiB", gt=0, le=1e6)
    most_days: float = setting(180.0, "Maximum age of a result", unit="days", ge=SAFE_DAYS, le=1e5)

    @classmethod
    def read(cls) -> Self:
        """Return the user's limits; the defaults for those that are not set."""
        path = config_dir() / SETTINGS
        return parse(cls, read_toml(path), where=path.name) if path.exists() else cls()

    @property
    def place(self) -> Path:
        """Folder of the results."""
        return Path(self.folder).expanduser().absolute() if self.folder else results_dir()

    def describe(self) -> str:
        """Return the limits as a sentence."""
        return (
            f"Limits: {self.most:,} results, {self.most_gib:g} GiB, {self.most_days:g} days. "
            "Pinned results are always kept. Results that were not exported are kept at least "
            f"{SAFE_DAYS} days."
        )

    def outdated(self, results: Sequence[Result], now: datetime) -> list[tuple[Result, str]]:
        """Return the results to remove, each with the limit that it exceeds.

        Parameters
        ----------
        results
            all results, the newest first
        now
            current time, with time zone

        Returns
        -------
        list of tuple
            without pinned results, and without recent results that were not exported
        """
        found, total_bytes = [], 0
        for i, result in enumerate(results):
            # Pinned results count as well, because they use the same space.
            total_bytes += result.n_bytes
            age = now - result.record.created_utc
            limit = self.limit_exceeded(i + 1, total_bytes, age)
            if limit and is_removable(age, exported=result.exported, pinned=result.pinned):
                found.append((result, limit))
        return found

    def limit_exceeded(self, n: int, n_bytes: int, age: timedelta) -> str:
        """Return the first limit that a result exceeds; empty if none.

        Parameters
        ----------
        n
            number of results up to this one, from the newest
        n_bytes
            their size on disk
        age
            age of this result
        """
        if age > timedelta(days=self.most_days):
            return f"older than {self.most_days:g} days"
        if n > self.most:
            return f"more than {self.most:,}"
        return f"more than {self.most_gib:g} GiB" if n_bytes > self.most_gib * GIB else ""


def is_removable(age: timedelta, *, exported: bool, pinned: bool) -> bool:
    """Return True if a result that exceeds a limit may be removed.

    Parameters
    ----------
    age
        age of the result
    exported, pinned
        marks of the result
    """
    # A new result exists only here until it is exported. It must survive a long weekend.
    return not pinned and (exported or age > timedelta(days=SAFE_DAYS))
