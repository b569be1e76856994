"""An X-ray CT scan while it is measured: frames as they arrive, and slices of what is there."""
