"""Volume formats, one per file."""
