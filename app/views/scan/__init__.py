"""Views of projections, sinograms and detectors."""
