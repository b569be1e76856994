"""Live CT: slices that follow a running scan."""
