"""Times of a scan: frames, gates, decay, dead time, triggers."""
