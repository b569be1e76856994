"""Operators in other libraries: a file for each, imported only when it is used."""
