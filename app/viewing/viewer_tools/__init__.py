"""Ways of looking at a volume: thick slabs, films, layouts, the magnifier, annotations."""
