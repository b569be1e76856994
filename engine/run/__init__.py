"""One reconstruction: from a study to its volume."""
