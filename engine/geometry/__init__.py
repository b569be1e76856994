"""Where things are: grids, scanners, time-of-flight bins."""
