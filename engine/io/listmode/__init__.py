"""List-mode files: SAFIR, ADAC, and reading in pieces."""
