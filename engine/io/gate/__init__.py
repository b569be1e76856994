"""Read simulated scans of GATE 9 and 10 (ROOT): events, their kinds and their origins."""
