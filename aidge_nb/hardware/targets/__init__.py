"""Targets: processing elements, memories and links, read from descriptions."""
