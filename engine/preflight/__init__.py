"""What a run needs before it starts: memory and time, in numbers the user can act on."""
