"""Independent checks of memory plans."""
