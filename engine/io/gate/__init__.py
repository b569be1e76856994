"""Simulated scans of GATE 9 and 10 in ROOT files: events, what became of them, where they began."""
