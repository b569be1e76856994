"""The state of the window: study, run and view; no widgets."""
