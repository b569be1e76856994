"""Plain values by name, as JSON and TOML hold them: facts of scans, rows of tables, provenance."""

from __future__ import annotations

from typing import Any

Plain = dict[str, Any]
"""Texts, numbers, truths and nothing; lists of them, and further tables, by their names."""
