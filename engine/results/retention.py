"""How long results are kept: the one place that says it, to the program and to people.

The user's own limits and folder stand in `results.toml` beside the other settings.
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
"""For so long a result that was not exported stays, whatever the limits say."""
GIB = 2**30


class Retention(Settings):
    """Limits to the results on disk, and their folder."""

    folder: str = setting("", "Folder of the results; empty for the usual one", max_length=4000)
    most: int = setting(200, "Results that are kept", ge=1, le=1_000_000)
    most_gib: float = setting(20.0, "Room they may take", unit="GiB", gt=0, le=1e6)
    most_days: float = setting(180.0, "Age they may reach", unit="days", ge=SAFE_DAYS, le=1e5)

    @classmethod
    def read(cls) -> Self:
        """Return the user's own limits, the usual ones where none are set."""
        path = config_dir() / SETTINGS
        return parse(cls, read_toml(path), where=path.name) if path.exists() else cls()

    @property
    def place(self) -> Path:
        """Folder in which results are kept."""
        return Path(self.folder).expanduser().absolute() if self.folder else results_dir()

    def describe(self) -> str:
        """Return in words what stays, and for how long."""
        return (
            f"The newest {self.most:,} are kept, up to {self.most_gib:g} GiB and "
            f"{self.most_days:g} days. Always kept: pinned ones and, for {SAFE_DAYS} days, those "
            "not exported."
        )

    def outdated(self, results: Sequence[Result], now: datetime) -> list[tuple[Result, str]]:
        """Return what must go, each with the limit it exceeds; `results` are the newest first."""
        found, total_bytes = [], 0
        for i, result in enumerate(results):
            total_bytes += result.n_bytes
            age = now - result.record.created_utc
            limit = self._limit_exceeded(i + 1, total_bytes, age)
            is_safe = result.exported or age > timedelta(days=SAFE_DAYS)
            if limit and is_safe and not result.pinned:
                found.append((result, limit))
        return found

    def _limit_exceeded(self, n: int, n_bytes: int, age: timedelta) -> str:
        if age > timedelta(days=self.most_days):
            return f"older than {self.most_days:g} days"
        if n > self.most:
            return f"more than {self.most:,}"
        return f"more than {self.most_gib:g} GiB" if n_bytes > self.most_gib * GIB else ""
