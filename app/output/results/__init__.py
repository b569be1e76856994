"""Images of earlier runs: a list of them, and what made the image on show."""
