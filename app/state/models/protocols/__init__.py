"""Models of protocols: saved, pinned, in use."""
