"""Aidge's memory manager, with its names: MemorySpace, MemoryPlane, strategies."""
