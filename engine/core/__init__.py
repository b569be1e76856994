"""Foundations without physics: arrays, errors, paths, settings, devices, profiles."""
