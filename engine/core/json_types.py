"""Type of values as JSON and TOML store them: scan facts, table rows, provenance."""

from __future__ import annotations

from typing import Any

Plain = dict[str, Any]
"""Strings, numbers, booleans and None; lists and tables of them, by key."""
