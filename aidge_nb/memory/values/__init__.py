"""Values of memory planning: plans, buffers, parts, live ranges."""
