"""What the user can do, and the threads that do it; no widgets."""
