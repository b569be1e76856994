"""Entry point of `python -m isocenter`: the same as the command `isocenter`."""

from isocenter_start import run

if __name__ == "__main__":
    run()
