"""Kills, cuts and long streams of live scans."""
