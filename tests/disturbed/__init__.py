"""Disks and shares that fail under the whole program, the libraries it uses included."""
