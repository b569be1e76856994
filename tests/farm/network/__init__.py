"""Hostile senders of frames, events and DICOM answers."""
