"""The state of the window, and the services that change it."""
