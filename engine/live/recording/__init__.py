"""Recordings of live scans: data reach the disk as they arrive, and survive the program."""
