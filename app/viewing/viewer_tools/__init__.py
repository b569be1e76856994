"""Viewer tools: slabs, films, layouts, magnifier, annotations."""
