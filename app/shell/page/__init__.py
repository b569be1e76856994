"""The two pages of the window, and what each of them shows."""
