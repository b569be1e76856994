"""Work that a dialog starts and stops, outside the thread of the window."""
