"""The kinds of scans: everything that knows what kind of scan it is, a folder for each."""
