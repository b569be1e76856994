"""Screen images of volumes: PNG, films, contact sheets."""
