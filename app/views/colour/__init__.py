"""Colour maps, display windows and raster images."""
