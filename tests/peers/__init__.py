"""Other programs where they are not installed: libraries of the same functions, written anew."""
