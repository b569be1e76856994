"""Common parts of all panels: theme and forms."""
