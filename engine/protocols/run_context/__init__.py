"""Context of a run: log, progress and provenance."""
