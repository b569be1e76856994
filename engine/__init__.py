"""Isocenter's reconstruction engine: no window, scriptable, testable alone."""
