"""Images of earlier runs: their list, and the provenance of the displayed image."""
