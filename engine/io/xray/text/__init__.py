"""Parsers of the text files of X-ray scanners."""
