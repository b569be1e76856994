"""User actions and the threads that run them; no widgets."""
