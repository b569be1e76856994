"""Reports of results, and signing them off."""
