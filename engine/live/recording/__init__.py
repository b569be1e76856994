"""Record live scans to disk as the data arrive, so that a crash of the program loses nothing."""
