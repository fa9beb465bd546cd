"""Independent checks of mappings."""
