"""The window itself: its frame, menus, dialogs and pages."""
