"""Places of things in space: grids, scanners, orbits, time-of-flight bins."""
