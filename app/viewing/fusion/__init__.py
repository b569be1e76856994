"""Several volumes at once: which is on show, which lies over it, and how the two are mixed."""
