"""The window: frame, menus, dialogs and pages."""
