"""Models of volumes on display."""
