"""Studies and protocols as values, privacy, and the context of a run."""
