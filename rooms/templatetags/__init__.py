"""Template filters of the rooms."""
